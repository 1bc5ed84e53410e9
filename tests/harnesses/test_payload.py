"""Payloads that are not as they should be: what is understood, and what is not."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfence.capabilities import Capability
from ringfence.decisions import FAMILIES, Decision, deny
from ringfence.errors import DecodeError, UnsupportedDecisionError
from ringfence.events import AfterTool, BeforeTool, EventKind, ToolEvent
from ringfence.failure import MAX_PAYLOAD
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context
from ringfence.testing import captured, payload
from tests.strategies import BY_FAMILY, json_objects, json_values
from tests.wire import MISSING, altered, answer, decoded

HARNESS = pytest.mark.parametrize("harness", registry.NAMES)
GOOD = {name: payload(name, "PreToolUse-Bash") for name in registry.NAMES}


@HARNESS
class TestUnderstood:
    def test_a_byte_order_mark(self, harness: str) -> None:
        event = decoded(harness, b"\xef\xbb\xbf" + GOOD[harness])
        assert event.raw.startswith(b"\xef\xbb\xbf")
        assert event.native == json.loads(GOOD[harness])

    def test_blanks_around_the_document(self, harness: str) -> None:
        assert decoded(harness, b" \r\n\t" + GOOD[harness] + b"\n\n ")

    def test_a_tool_input_that_is_a_string_holding_an_object(
        self, harness: str
    ) -> None:
        raw = altered(harness, "PreToolUse-Bash", tool_input='{"command": "ls"}')
        event = decoded(harness, raw)
        assert isinstance(event, ToolEvent)
        assert event.tool.input == {"command": "ls"}
        assert event.tool.raw_input == '{"command": "ls"}'

    def test_a_command_word_by_word(self, harness: str) -> None:
        words = {"command": ["git", "push", "--force"]}
        event = decoded(harness, altered(harness, "PreToolUse-Bash", tool_input=words))
        assert isinstance(event, ToolEvent)
        assert event.tool.input == words

    def test_a_key_that_comes_twice_goes_by_its_last_value(self, harness: str) -> None:
        # As every parser of the harnesses does it.
        raw = GOOD[harness].rstrip()[:-1] + b',"session_id":"last"}'
        assert decoded(harness, raw).session.id == "last"

    @pytest.mark.parametrize("value", [1, [], {}, True, 1.5])
    def test_a_wrong_type_where_nothing_depends_on_it(
        self, harness: str, value: object
    ) -> None:
        keys = ("session_id", "cwd", "permission_mode", "tool_use_id", "agent_id")
        raw = altered(harness, "PreToolUse-Bash", **dict.fromkeys(keys, value))
        event = decoded(harness, raw)
        assert sorted(event.oddities) == sorted(keys)
        assert event.session.id == event.session.cwd == ""
        assert event.agent is None
        assert isinstance(event, BeforeTool)
        assert event.tool.synthesized

    @pytest.mark.parametrize(
        "value", ["soon", True, [], {}, 10**400, -(10**400)], ids=lambda v: str(v)[:5]
    )
    def test_a_duration_that_is_none(self, harness: str, value: object) -> None:
        raw = altered(harness, "PostToolUse-Bash", duration_ms=value)
        event = decoded(harness, raw)
        assert isinstance(event, AfterTool)
        assert event.duration is None
        assert event.oddities == ("duration_ms",)

    @pytest.mark.parametrize("value", ["yes", 1, [], {}])
    def test_a_stop_that_does_not_say_whether_it_is_one_more(
        self, harness: str, value: object
    ) -> None:
        event = decoded(harness, altered(harness, "Stop", stop_hook_active=value))
        assert event.previously_continued is False  # type: ignore[attr-defined]
        assert "stop_hook_active" in event.oddities

    def test_a_null_is_nothing_odd(self, harness: str) -> None:
        raw = altered(harness, "PreToolUse-Bash", permission_mode=None, cwd=None)
        assert decoded(harness, raw).oddities == ()

    def test_a_number_of_any_size(self, harness: str) -> None:
        raw = altered(harness, "PreToolUse-Bash", extra=10**300, more=-(2**64))
        assert decoded(harness, raw).lookup("extra") == 10**300

    def test_half_a_character_in_a_text(self, harness: str) -> None:
        raw = altered(harness, "PreToolUse-Bash", tool_input={"command": "ls \ud800"})
        event = decoded(harness, raw)
        assert isinstance(event, ToolEvent)
        assert event.tool.id

    def test_the_name_it_was_installed_for_where_the_payload_has_none(
        self, harness: str
    ) -> None:
        raw = altered(harness, "PreToolUse-Bash", hook_event_name=MISSING)
        assert decoded(harness, raw, event="PreToolUse").kind is EventKind.TOOL_PRE

    def test_the_payloads_own_name_before_that(self, harness: str) -> None:
        event = decoded(harness, GOOD[harness], event="Stop")
        assert event.native_name == "PreToolUse"


NOT_UNDERSTOOD = {
    "nothing": b"",
    "blanks": b" \n\t ",
    "a byte order mark alone": b"\xef\xbb\xbf",
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "half a document": GOOD["claude-code"][:-20],
    "an array": b'[{"hook_event_name": "PreToolUse"}]',
    "a text": b'"PreToolUse"',
    "a number": b"17",
    "null": b"null",
    "two documents": GOOD["claude-code"] + GOOD["claude-code"],
    "a document and a word": GOOD["claude-code"] + b"x",
    "bad UTF-8": GOOD["claude-code"].replace(b"echo", b"\xff\xfe"),
    "UTF-16": GOOD["claude-code"].decode().encode("utf-16"),
    "half a character of UTF-8": GOOD["claude-code"].replace(b"echo", b"\xed\xa0\x80"),
    "a NUL in a text": GOOD["claude-code"].replace(b"echo", b"ec\x00ho"),
    "a NUL behind the document": GOOD["claude-code"] + b"\x00",
    "NaN": b'{"hook_event_name": "Stop", "x": NaN}',
    "Infinity": b'{"hook_event_name": "Stop", "x": -Infinity}',
    "a number too long to read": b'{"x": ' + b"9" * 5000 + b"}",
    "nesting without end": b'{"x": ' + b"[" * 200_000,
    "nesting that ends": b'{"x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "more than is read": b'{"x": "' + b"a" * MAX_PAYLOAD + b'"}',
    "no name of an event": b"{}",
    "a name that is no text": b'{"hook_event_name": ["PreToolUse"]}',
    "an empty name": b'{"hook_event_name": ""}',
}


@HARNESS
@pytest.mark.parametrize("raw", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_is_not_understood(harness: str, raw: bytes) -> None:
    with pytest.raises(DecodeError):
        decoded(harness, raw)


NEEDED = {
    "no tool's name": {"tool_name": MISSING},
    "a tool's name that is no text": {"tool_name": 5},
    "an empty name of a tool": {"tool_name": ""},
    "no input": {"tool_input": MISSING},
    "an input that is a list": {"tool_input": ["ls"]},
    "an input that is null": {"tool_input": None},
    "an input that is a number": {"tool_input": 5},
    "an input that is a word": {"tool_input": "ls"},
    "an input that is a string holding a list": {"tool_input": '["ls"]'},
    "an input that is a string holding NaN": {"tool_input": '{"command": NaN}'},
    "an input that is a string nested too deeply": {"tool_input": "[" * 100_000},
    "no command": {"tool_input": {"description": "x"}},
    "a command that is a number": {"tool_input": {"command": 5}},
    "a command that is an object": {"tool_input": {"command": {"x": "ls"}}},
    "a command of no words": {"tool_input": {"command": []}},
    "a command with a word that is none": {"tool_input": {"command": ["ls", 5]}},
}


@HARNESS
@pytest.mark.parametrize("changes", NEEDED.values(), ids=NEEDED)
def test_what_an_answer_depends_on_has_to_be_there(
    harness: str, changes: dict[str, object]
) -> None:
    for name in ("PreToolUse-Bash", "PermissionRequest-Bash"):
        with pytest.raises(DecodeError) as error:
            decoded(harness, altered(harness, name, **changes))
        assert error.value.event_name == name.partition("-")[0]


@HARNESS
def test_so_does_a_result(harness: str) -> None:
    with pytest.raises(DecodeError, match="tool_response is missing"):
        decoded(harness, altered(harness, "PostToolUse-Bash", tool_response=MISSING))


@HARNESS
@pytest.mark.parametrize("prompt", [MISSING, None, 5, ["hello"]])
def test_so_does_a_prompt(harness: str, prompt: object) -> None:
    with pytest.raises(DecodeError, match="prompt"):
        decoded(harness, altered(harness, "UserPromptSubmit", prompt=prompt))


@HARNESS
def test_an_error_never_quotes_the_payload(harness: str) -> None:
    secret = "sk-" + "live-" + "0123456789"
    broken = [
        f'{{"hook_event_name": "{secret}'.encode(),
        f'{{"hook_event_name": "PreToolUse"}} {secret}'.encode(),
        altered(harness, "PreToolUse-Bash", tool_input=secret),
        altered(harness, "PreToolUse-Bash", tool_input={"command": {secret: 1}}),
    ]
    for raw in broken:
        with pytest.raises(DecodeError) as error:
            decoded(harness, raw)
        assert secret not in str(error.value)
        assert error.value.__cause__ is None


@HARNESS
class TestUnknownEvents:
    def test_one_without_a_call_is_delivered_and_answered_by_silence(
        self, harness: str
    ) -> None:
        event = decoded(harness, b'{"hook_event_name": "NextYear", "x": 1}')
        assert event.kind is EventKind.OTHER
        assert event.native == {"hook_event_name": "NextYear", "x": 1}
        codec = registry.codec(harness)
        assert codec.encode(event, FAMILIES[event.kind]()).answer == codec.silence

    def test_one_with_a_call_is_a_gate_that_denies_by_exit_code(
        self, harness: str
    ) -> None:
        raw = altered(harness, "PreToolUse-Bash", hook_event_name="PreNextYear")
        event = decoded(harness, raw)
        assert isinstance(event, BeforeTool)
        assert event.kind is EventKind.TOOL_PRE
        assert event.can(Capability.DENY)
        assert not event.can(Capability.ASK)
        given = answer(event, deny("not this"))
        assert (given.exit_code, given.stdout) == (2, "")
        assert "not this" in given.stderr

    def test_one_about_a_call_that_ran_is_no_gate(self, harness: str) -> None:
        raw = altered(harness, "PostToolUse-Bash", hook_event_name="PostNextYear")
        assert decoded(harness, raw).kind is EventKind.OTHER

    def test_one_with_half_a_call_is_not_understood(self, harness: str) -> None:
        raw = altered(
            harness, "PreToolUse-Bash", hook_event_name="PreNextYear", tool_input=5
        )
        with pytest.raises(DecodeError):
            decoded(harness, raw)


# -- anything at all -------------------------------------------------------------


def survives(harness: str, raw: bytes) -> None:
    try:
        decoded(harness, raw)
    except DecodeError as error:
        assert error.what  # noqa: PT017 - the property is that nothing else is raised


@HARNESS
@given(raw=st.binary(max_size=200))
def test_any_bytes_are_decoded_or_not_understood(harness: str, raw: bytes) -> None:
    survives(harness, raw)


KEYS = st.sampled_from(
    [
        "session_id",
        "prompt_id",
        "turn_id",
        "tool_name",
        "tool_input",
        "tool_response",
        "tool_use_id",
        "error",
        "prompt",
        "duration_ms",
        "source",
        "agent_id",
        "stop_hook_active",
        "hook_event_name",
    ]
)
NAMES = st.sampled_from(
    sorted({e for h in registry.NAMES for e in registry.codec(h).facts.events})
)


@HARNESS
@given(
    native=st.dictionaries(KEYS, json_values, max_size=8),
    name=NAMES,
    tool_input=st.one_of(json_values, json_objects.map(json.dumps)),
)
def test_any_json_is_decoded_or_not_understood(
    harness: str, native: dict[str, object], name: str, tool_input: object
) -> None:
    survives(harness, json.dumps(native).encode())
    full = {"hook_event_name": name, "tool_name": "Bash", "tool_input": tool_input}
    survives(harness, json.dumps({**full, **native}).encode())


@HARNESS
def test_any_depth_is_decoded_or_not_understood(harness: str) -> None:
    # Reading and writing JSON give up at different depths.
    plain = altered(harness, "PreToolUse-Bash", tool_use_id=MISSING, tool_input="@")
    for depth in range(500, 1100):
        deep = b'{"a":' * depth + b"1" + b"}" * depth
        survives(harness, plain.replace(b'"@"', b'{"command":"ls","x":' + deep + b"}"))


EVENTS = [
    registry.codec(one.harness).decode(one.raw, Context(version=one.version))
    for one in captured()
]


@st.composite
def answered(draw: st.DrawFn) -> tuple[int, Decision]:
    index = draw(st.integers(0, len(EVENTS) - 1))
    return index, draw(BY_FAMILY[FAMILIES[EVENTS[index].kind]])


@settings(max_examples=400)
@given(answered())
def test_any_decision_is_one_document_on_one_channel(
    pair: tuple[int, Decision],
) -> None:
    event, decision = EVENTS[pair[0]], pair[1]
    if getattr(decision, "redactions", ()):
        return  # the edge settles those before
    try:
        given_answer = answer(event, decision)
    except UnsupportedDecisionError as error:
        assert "JSON" in str(error)  # noqa: PT017 - a native answer may hold anything
        return
    assert given_answer.exit_code in (0, 2)
    if given_answer.exit_code == 2:
        assert given_answer.stdout == ""
        assert given_answer.stderr.strip()
        return
    assert given_answer.stderr == ""
    if given_answer.stdout:
        document = json.loads(given_answer.stdout)
        assert isinstance(document, dict)
        assert document
        assert given_answer.stdout.isascii()
        specific = document.get("hookSpecificOutput")
        if specific is not None and getattr(decision, "native", None) is None:
            assert specific["hookEventName"] == event.native_name
