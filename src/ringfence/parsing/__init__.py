"""From text to meaning: shell programs, patches, paths and URLs. No I/O happens here."""
