"""What one event leaves for a later one."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.errors import StateError
from ringfence.state import memory as module
from ringfence.state.memory import Memory
from tests.strategies import json_objects

CHAIN = ("codex", "session", "turn", "")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path / "state")


class TestContinuations:
    def test_they_are_counted_up_to_the_cap(self, memory: Memory) -> None:
        assert memory.continuations(CHAIN) == 0
        went_on = [memory.continue_once_more(CHAIN, 3) for _ in range(5)]
        assert went_on == [True, True, True, False, False]
        assert memory.continuations(CHAIN) == 3

    def test_a_cap_of_zero_lets_nobody_go_on(self, memory: Memory) -> None:
        assert not memory.continue_once_more(CHAIN, 0)
        assert memory.continuations(CHAIN) == 0

    def test_each_chain_has_its_own_count(self, memory: Memory) -> None:
        memory.continue_once_more(CHAIN, 5)
        for other in (
            ("claude-code", "session", "turn", ""),
            ("codex", "other", "turn", ""),
            ("codex", "session", "other", ""),
            ("codex", "session", "turn", "agent"),
        ):
            assert memory.continuations(other) == 0

    def test_another_memory_of_the_same_folder_goes_on_counting(
        self, memory: Memory, tmp_path: Path
    ) -> None:
        memory.continue_once_more(CHAIN, 5)
        assert Memory(tmp_path / "state").continuations(CHAIN) == 1

    def test_what_is_a_day_old_is_forgotten(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.continue_once_more(CHAIN, 5)
        memory.keep_original("old", {})
        later = module.time.time() + 25 * 3600
        monkeypatch.setattr(module.time, "time", lambda: later)
        memory.continue_once_more(("another",), 5)
        memory.keep_original("new", {})
        assert memory.continuations(CHAIN) == 0
        assert memory.original("old") is None

    def test_many_at_once_never_exceed_the_cap(self, tmp_path: Path) -> None:
        folder = tmp_path / "not yet there"
        results: list[bool] = []

        def go_on() -> None:
            results.append(Memory(folder).continue_once_more(CHAIN, 5))

        threads = [threading.Thread(target=go_on) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(results) == [False] * 15 + [True] * 5


class TestOriginals:
    def test_the_input_before_a_rewrite_is_found_by_the_calls_id(
        self, memory: Memory
    ) -> None:
        assert memory.original("toolu_1") is None
        memory.keep_original("toolu_1", {"command": "rm -rf /", "n": [1, None]})
        assert memory.original("toolu_1") == {"command": "rm -rf /", "n": [1, None]}
        assert memory.original("toolu_2") is None

    def test_a_call_that_is_judged_again_keeps_its_latest(self, memory: Memory) -> None:
        memory.keep_original("toolu_1", {"command": "a"})
        memory.keep_original("toolu_1", {"command": "b"})
        assert memory.original("toolu_1") == {"command": "b"}

    def test_asking_makes_no_file(self, memory: Memory) -> None:
        memory.original("toolu_1")
        assert not memory.path.exists()

    @given(call=st.text(), tool_input=json_objects)
    def test_any_input_of_any_call(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        call: str,
        tool_input: dict[str, object],
    ) -> None:
        memory = Memory(tmp_path_factory.getbasetemp() / "any")
        memory.keep_original(call, tool_input)
        assert memory.original(call) == tool_input


def folder_is_a_file(folder: Path) -> None:
    folder.write_text("in the way")


def file_is_a_folder(folder: Path) -> None:
    (folder / "memory.sqlite3").mkdir(parents=True)


def file_is_no_database(folder: Path) -> None:
    folder.mkdir()
    (folder / "memory.sqlite3").write_bytes(b"no database" * 500)


def tables_are_others(folder: Path) -> None:
    folder.mkdir()
    database = sqlite3.connect(folder / "memory.sqlite3")
    database.executescript(
        "create table continuations (a text); create table originals (a text)"
    )
    database.close()


def link_leads_nowhere(folder: Path) -> None:
    folder.mkdir()
    (folder / "memory.sqlite3").symlink_to(folder / "no" / "such" / "place")


class TestTrouble:
    @pytest.mark.parametrize(
        "spoil",
        [folder_is_a_file, file_is_a_folder, file_is_no_database, tables_are_others],
    )
    def test_every_question_says_that_the_state_can_not_be_used(
        self, spoil: Callable[[Path], None], tmp_path: Path
    ) -> None:
        folder = tmp_path / "state"
        spoil(folder)
        memory = Memory(folder)
        for ask in (
            lambda: memory.continuations(CHAIN),
            lambda: memory.continue_once_more(CHAIN, 5),
            lambda: memory.keep_original("toolu_1", {"command": "secret"}),
            lambda: memory.original("toolu_1"),
        ):
            with pytest.raises(StateError) as error:
                ask()
            assert "secret" not in str(error.value)

    def test_a_link_that_leads_nowhere_can_not_be_written_to(
        self, tmp_path: Path
    ) -> None:
        link_leads_nowhere(tmp_path / "state")
        with pytest.raises(StateError):
            Memory(tmp_path / "state").keep_original("toolu_1", {})

    def test_one_that_is_locked_for_long_is_trouble(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        memory.keep_original("toolu_1", {})
        connect = sqlite3.connect
        monkeypatch.setattr(
            sqlite3, "connect", lambda path, **_: connect(path, timeout=0.1)
        )
        holder = connect(memory.path)
        holder.execute("begin exclusive")
        with pytest.raises(StateError):
            memory.continue_once_more(CHAIN, 5)
        holder.close()


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        Memory(tmp_path / "state").keep_original("toolu_1", {})
    finally:
        os.umask(before)
    assert _mode(tmp_path / "state") == 0o700
    assert _mode(tmp_path / "state" / "memory.sqlite3") == 0o600


def _count(folder: str) -> int:
    return sum(Memory(Path(folder)).continue_once_more(CHAIN, 7) for _ in range(5))


def test_processes_share_one_count(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        counts = pool.map(_count, [str(tmp_path / "state")] * 3)
    assert sum(counts) == 7
