"""What all simulators share: texts that are known in part, JSON read strictly."""

from __future__ import annotations

import pytest

from ringfence.harnesses._dialects.strict_json import NotJSONError, read_document
from ringfence.harnesses.simulation import Call, HookRun, Permission, Text, by_finish


def test_an_exact_text_matches_itself_but_for_blanks_at_its_ends() -> None:
    assert Text.of("a b").matches(" a b\n")
    assert not Text.of("a b").matches("a b c")


def test_a_partly_known_text_matches_what_holds_its_parts_in_order() -> None:
    text = Text.holding("one", "two")
    assert text.matches("x one y two z")
    assert not text.matches("two one")
    assert Text().matches("anything")
    assert "tw" in text
    assert "x" not in text


def test_equal_times_keep_the_order_of_configuration() -> None:
    runs = [HookRun(finished_at=at) for at in (2, 1, 1)]
    assert by_finish(runs) == [1, 2, 0]


def test_a_hook_that_answers_prints_json_and_ends_well() -> None:
    run = HookRun.answering({"decision": "block"}, command="guard")
    assert (run.stdout, run.exit_code) == ('{"decision": "block"}', 0)


def test_permission_may_depend_on_the_input() -> None:
    call = Call(
        event="PreToolUse",
        permission=lambda given: Permission.DENIED if given else Permission.GRANTED,
    )
    assert call.permission_for({}) is Permission.GRANTED
    assert call.permission_for({"a": 1}) is Permission.DENIED


@pytest.mark.parametrize(
    "text", ["", "{", "{}{}", "NaN", '{"a": -Infinity}', "[" * 9**6]
)
def test_what_is_not_one_document_is_refused(text: str) -> None:
    with pytest.raises(NotJSONError):
        read_document(text)


@pytest.mark.parametrize("text", ["1e999", '["\\ud800"]', '{"\\ud800": 1}', "[[[[]]]]"])
def test_rusts_parser_refuses_more_than_javascripts(text: str) -> None:
    read_document(text)
    with pytest.raises(NotJSONError):
        read_document(text, finite=True, max_depth=3)
