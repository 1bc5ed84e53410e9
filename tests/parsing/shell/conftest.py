from __future__ import annotations

import sys
from pathlib import Path

import pytest

# The oracle is a plain module beside the tests that use it.
sys.path.insert(0, str(Path(__file__).parent))

from oracle import BASH, Oracle


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    if BASH is None:
        pytest.skip("no bash on this machine")
    return Oracle.create(tmp_path_factory.mktemp("oracle"))
