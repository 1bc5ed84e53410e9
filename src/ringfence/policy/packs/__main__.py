"""Write the compiled plans of all packs anew."""

from __future__ import annotations

from ringfence.policy.packs import write_all

if __name__ == "__main__":
    write_all()
