"""Answers on their way from the worker to the process that speaks."""

from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from ringfence.edge.frames import ANSWER, LIMIT, PREPARED, Frames, pack, write_all

frames = st.tuples(
    st.sampled_from([PREPARED, ANSWER, LIMIT]),
    st.text(max_size=50),
    st.text(max_size=50),
    st.integers(0, 255),
)


@given(st.lists(frames, max_size=4), st.integers(1, 40))
def test_they_come_out_as_they_went_in_however_they_are_cut(
    sent: list[tuple[bytes, str, str, int]], size: int
) -> None:
    data = b"".join(pack(*frame) for frame in sent)
    collected = Frames()
    got = [
        frame
        for start in range(0, len(data), size)
        for frame in collected.feed(data[start : start + size])
    ]
    assert got == [
        (letter, code, *(text.encode("utf-8", "backslashreplace") for text in texts))
        for letter, *texts, code in sent
    ]


def test_half_a_character_is_written_out() -> None:
    ((_, _, stdout, _),) = Frames().feed(pack(ANSWER, "a\ud800", "", 0))
    assert stdout == b"a\\ud800"


def test_everything_is_written_however_little_a_pipe_takes() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    data = os.urandom(50_000)
    write_all(writing, data)
    os.close(writing)
    assert os.read(reading, 1 << 20) == data
    os.close(reading)
