"""Where payloads come in and answers go out."""
