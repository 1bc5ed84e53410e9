"""Where things are kept: a hook never asks the environment."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import pytest

from ringfence.errors import StateError
from ringfence.state import directories

VARIABLES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")


def test_a_hook_goes_by_the_user_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, str(tmp_path))
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert directories.of_user() == directories.Directories(
        config=home / ".config/ringfence",
        state=home / ".local/state/ringfence",
        data=home / ".local/share/ringfence",
        cache=home / ".cache/ringfence",
    )
    assert directories.of_user().policy == home / ".config/ringfence/ringfence.yaml"


def test_a_user_whom_the_system_does_not_know_has_to_say_where(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 3_999_999)
    with pytest.raises(StateError, match="--state and --policy"):
        directories.of_user()


def test_a_person_may_use_the_usual_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in VARIABLES[1:]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "conf"))
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    found = directories.of_environment()
    assert found.config == tmp_path / "conf/ringfence"
    assert found.state == tmp_path / ".local/state/ringfence"
