from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from ringfence.errors import PolicyError
from ringfence.policy.loader import Policy, load_policy


@pytest.fixture
def policy(tmp_path: Path) -> Callable[[str], Policy]:
    """Loads a policy from the text of its file."""

    def loaded(text: str) -> Policy:
        path = tmp_path / "ringfence.yaml"
        path.write_text(dedent(text), encoding="utf-8")
        return load_policy(path)

    return loaded


@pytest.fixture
def problems(tmp_path: Path) -> Callable[[str | bytes], Sequence[str]]:
    """Returns what is wrong with a policy file, as ``LINE: what; mend``."""

    def found(text: str | bytes) -> Sequence[str]:
        path = tmp_path / "ringfence.yaml"
        raw = text if isinstance(text, bytes) else dedent(text).encode()
        path.write_bytes(raw)
        with pytest.raises(PolicyError) as caught:
            load_policy(path)
        start = f"{path}:"
        told = [line for line in caught.value.problems if not line.startswith("and ")]
        assert all(line.startswith(start) for line in told)
        return [line.removeprefix(start) for line in caught.value.problems]

    return found
