"""Records are written whole, or it is said that they were not."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ringfence.errors import StateError
from ringfence.state.spool import Spool


def lines(folder: Path) -> list[object]:
    (path,) = folder.iterdir()
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_record_is_a_line(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "deep" / "decisions")
    spool.append({"verdict": "deny", "tool": "naïve\n"})
    spool.append({"verdict": "allow"})
    assert lines(spool.folder) == [
        {"verdict": "deny", "tool": "naïve\n"},
        {"verdict": "allow"},
    ]


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "decisions")
    before = os.umask(0)
    try:
        spool.append({})
    finally:
        os.umask(before)
    assert spool.folder.stat().st_mode & 0o777 == 0o700
    (path,) = spool.folder.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_records_of_many_at_once_do_not_mix(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "decisions")
    record = {"text": "x" * 3000}
    threads = [
        threading.Thread(target=lambda: [spool.append(record) for _ in range(50)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines(spool.folder) == [record] * 400


def test_a_folder_that_is_a_file_is_trouble_with_a_mend(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("in the way")
    for folder in (tmp_path / "state", tmp_path / "state" / "decisions"):
        with pytest.raises(StateError, match="free space there or mend"):
            Spool(folder).append({})


def test_a_link_to_a_full_device_is_trouble(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.append({})
    (path,) = tmp_path.iterdir()
    path.unlink()
    path.symlink_to("/dev/full")
    with pytest.raises(StateError, match="No space left"):
        spool.append({})


HALF = """
import sys
from pathlib import Path
from ringfence.state.spool import Spool
try:
    Spool(Path(sys.argv[1])).append({"text": "x" * 1000})
except Exception as error:
    print(type(error).__name__)
"""


def test_a_record_that_fits_by_half_is_trouble(tmp_path: Path) -> None:
    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", HALF, str(tmp_path / "decisions")],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert done.stdout == "StateError\n"


def test_a_pipe_in_the_place_of_the_file_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / time.strftime("decisions-%Y%m%d.jsonl", time.gmtime()))
    with pytest.raises(StateError):
        Spool(tmp_path).append({"verdict": "deny"})
