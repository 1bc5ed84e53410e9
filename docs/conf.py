"""How the documentation is built; ``make docs`` does it."""

from __future__ import annotations

from ringfence import __version__

project = "Ringfence"
author = "The Ringfence authors"
copyright = "the Ringfence authors"  # noqa: A001 - Sphinx names it so
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Ringfence {__version__}"
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False}
