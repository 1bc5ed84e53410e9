"""From text to meaning: shell text, patches, paths, URLs. No I/O happens here."""
