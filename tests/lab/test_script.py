"""A script is walked through turn by turn, each conversation on its own track."""

from __future__ import annotations

from ringfence.lab import Script, ToolCall, Track, Turn, say, use
from ringfence.lab.model.script import EXHAUSTED, Player

CHILD = Track("child", "CHILD-TASK", (say("child one"), say("child two")))


def test_turns_come_in_order_and_then_there_is_a_last_word() -> None:
    player = Player(Script.of(say("one"), say("two")))
    played = [player.play(["anything"], "") for _ in range(3)]
    assert [each.turn.text for each in played] == ["one", "two", EXHAUSTED]
    assert [each.index for each in played] == [0, 1, 2]


def test_a_track_answers_the_requests_whose_user_texts_name_it() -> None:
    player = Player(Script.of(say("one"), say("two"), tracks=[CHILD]))
    asked = [["hello"], ["rules", "do the CHILD-TASK now"], ["hello"], ["CHILD-TASK"]]
    said = [player.play(texts, "").turn.text for texts in asked]
    assert said == ["one", "child one", "two", "child two"]


def test_what_is_captured_from_a_request_fills_the_turn() -> None:
    call = ToolCall("wait", {"ids": ["{{id}}"], "n": "{{number}}", "s": "#{{number}}"})
    turn = Turn(
        text="waiting for {{id}}",
        calls=(call, ToolCall("free", raw="for {{id}}")),
        captures={"id": r"agent (\w+)", "number": r"session (\d+)"},
    )
    shown = "agent first\nagent last\nsession 42"
    filled = Player(Script.of(turn)).play([], shown).turn
    assert filled.text == "waiting for last"
    assert filled.calls[0].input == {"ids": ["last"], "n": 42, "s": "#42"}
    assert filled.calls[1].raw == "for last"


def test_what_is_not_found_becomes_empty() -> None:
    turn = Turn(text="<{{id}}>", captures={"id": "no (such) thing"})
    assert Player(Script.of(turn)).play([], "").turn.text == "<>"


def test_replacing_reaches_every_track() -> None:
    script = Script.of(
        use(ToolCall("t", {"path": "HERE"}), text="at HERE"),
        tracks=[Track("child", "HERE", (say("in HERE"),))],
    )
    replaced = script.replaced(
        lambda value: (
            value.replace("HERE", "there") if isinstance(value, str) else value
        )
    )
    assert replaced.turns[0].text == "at there"
    assert replaced.turns[0].calls[0].input == {"path": "there"}
    assert replaced.tracks[0].turns[0].text == "in there"
    assert replaced.tracks[0].when == "HERE"
