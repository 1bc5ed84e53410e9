"""Wire shapes that several harnesses share."""
