"""Registering handlers and deciding, as an author does it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from pathlib import Path
from typing import ClassVar

import pytest

import ringfence
from ringfence import Pending, Ringfence, allow, ask, deny, no_decision, redact, rewrite
from ringfence.calls import ToolClass
from ringfence.decisions import (
    Decision,
    answer_natively,
    block_prompt,
    continue_with,
    flag_output,
    observe,
)
from ringfence.errors import PolicyError
from ringfence.events import AfterTool, BeforeTool, Event, EventKind
from ringfence.verdicts import Kind
from tests.strategies import call, event

PRE = event(EventKind.TOOL_PRE)


def shell(command: str) -> BeforeTool:
    before = event(EventKind.TOOL_PRE, tool=call(tool_input={"command": command}))
    assert isinstance(before, BeforeTool)
    return before


class TestRegistering:
    def test_a_handler_is_handed_back_so_that_it_can_be_called_and_stacked(
        self,
    ) -> None:
        fence = Ringfence()

        def handler(_event: Event) -> Decision:
            return deny("no")

        assert fence.before_tool(handler) is handler
        assert fence.before_tool(tools="shell")(handler) is handler
        assert fence.on_prompt(handler) is handler
        assert fence.on("session.start")(handler) is handler
        assert fence.on_native("Anything")(handler) is handler
        assert fence.observe(handler) is handler

    def test_a_guard_against_force_pushes(self) -> None:
        fence = Ringfence()

        @fence.before_tool(tools="shell")
        def no_force_push(event: BeforeTool) -> Decision | None:
            for command in event.tool.commands:
                if command.program == "git" and {"push", "--force"} <= set(
                    command.args
                ):
                    return deny(
                        "force pushes need a person",
                        suggest="git push --force-with-lease",
                    )
            return None

        assert fence.decide(shell("cd x && git push --force")).decision.blocks
        assert fence.decide(shell("git push")).decision == no_decision()

    def test_handlers_are_joined_and_not_first_come(self) -> None:
        fence = Ringfence()
        fence.before_tool(lambda _: allow("fine"))
        fence.before_tool(lambda _: deny("no"))
        fence.before_tool(lambda _: ask("sure?"))
        assert fence.decide(PRE).decision == deny("no")

    @pytest.mark.parametrize(
        "names", ["shell", ["mcp__*", "Bash"], lambda tool: tool.name == "Bash"]
    )
    def test_tools_narrow_a_handler(self, names: object) -> None:
        fence = Ringfence()
        fence.before_tool(tools=names)(lambda _: deny("no"))  # type: ignore[call-overload]
        assert fence.decide(PRE).decision.blocks
        read = call("Read", {"file_path": "/x"}, ToolClass.FILE_READ)
        other = event(EventKind.TOOL_PRE, tool=read)
        assert fence.decide(other).decision.neutral

    def test_a_handler_after_a_call_hears_of_failed_calls_as_well(self) -> None:
        fence = Ringfence()
        fence.after_tool(lambda _: flag_output("hm"))
        fence.after_tool(tools="mcp")(lambda _: flag_output("never"))
        for kind in (EventKind.TOOL_POST, EventKind.TOOL_ERROR):
            assert fence.decide(event(kind)).decision == flag_output("hm")
        assert fence.decide(PRE).decision.neutral

    def test_each_kind_has_its_place(self) -> None:
        fence = Ringfence()
        fence.on_prompt(lambda event: block_prompt(event.prompt))
        fence.on_stop(lambda _: continue_with("run the tests"))
        fence.on_permission(tools="shell")(lambda _: allow())
        said = fence.decide(event(EventKind.PROMPT, prompt="hello")).decision
        assert said == block_prompt("hello")
        for kind in (EventKind.STOP, EventKind.SUBAGENT_STOP):
            assert fence.decide(event(kind)).decision.kind is Kind.CONTINUE
        assert fence.decide(event(EventKind.PERMISSION)).decision == allow()

    def test_kinds_are_known_by_name(self) -> None:
        fence = Ringfence()

        @fence.on("session.start", "compact.pre")
        def remind(event: Event) -> Decision:
            return observe().with_context("be careful")

        for kind in (EventKind.SESSION_START, EventKind.COMPACT_PRE):
            assert fence.decide(event(kind)).decision.contexts == ("be careful",)
        with pytest.raises(ValueError, match=r"session\.begin"):
            fence.on("session.begin")

    def test_an_event_nobody_maps_can_be_answered_in_the_harness_own_words(
        self,
    ) -> None:
        fence = Ringfence()
        fence.on_native("WorktreeCreate")(lambda _: answer_natively({"path": "/x"}))
        named = event(EventKind.OTHER, native_name="WorktreeCreate")
        assert fence.decide(named).decision == answer_natively({"path": "/x"})
        assert fence.decide(event(EventKind.OTHER)).decision.neutral


class TestEverythingElse:
    def test_observers_see_what_no_handler_is_for(self) -> None:
        fence = Ringfence()
        seen: list[EventKind] = []
        fence.observe(lambda event: seen.append(event.kind))
        for kind in EventKind:
            fence.decide(event(kind))
        assert seen == list(EventKind)

    def test_middleware_wraps_the_handlers(self) -> None:
        fence = Ringfence()

        @fence.middleware
        def gently(event: Event) -> Generator[Event, Decision, Decision | None]:
            decision = yield event
            return ask(decision.reason) if decision.blocks else None

        fence.before_tool(lambda _: deny("no"))
        assert fence.decide(PRE).decision == ask("no")
        with pytest.raises(TypeError, match="has to yield"):
            fence.middleware(lambda _: None)

    def test_guards_stand_before_everything_an_author_adds(self) -> None:
        def guard(_event: Event) -> Decision:
            return deny("policy")

        fence = Ringfence(guards=[guard])
        fence.before_tool(lambda _: allow("fine"))
        assert fence.decide(PRE).decision == deny("policy")
        roles = [stage.role for stage in fence.walk()]
        assert roles == ["guard", "handler"]

    def test_trouble_means_what_the_author_says(self) -> None:
        def broken(_event: Event) -> Decision:
            raise ValueError

        for fail, blocks in (("closed", True), ("open", False)):
            fence = Ringfence(fail=fail)
            fence.before_tool(broken)
            assert fence.decide(PRE).decision.blocks is blocks
        fence = Ringfence(
            fail=lambda event: "open" if event.harness == "x" else "closed"
        )
        fence.before_tool(broken)
        assert fence.decide(PRE).decision.blocks
        assert not fence.decide(event(EventKind.TOOL_PRE, harness="x")).decision.blocks

    def test_a_wrong_word_for_it_is_refused_at_once(self) -> None:
        with pytest.raises(ValueError, match="'opne' is not open or closed"):
            Ringfence(fail="opne")

    @pytest.mark.parametrize(
        "handler",
        [
            lambda _: Pending(lambda: "no", deny),
            lambda _: deny("no"),
        ],
    )
    def test_deciding_in_a_loop_decides_the_same(
        self, handler: Callable[[Event], object]
    ) -> None:
        fence = Ringfence()
        fence.before_tool(handler)

        @fence.before_tool
        async def context(_event: Event) -> Decision:
            await asyncio.sleep(0)
            return no_decision().with_context("c")

        wanted = deny("no").with_context("c")
        assert fence.decide(PRE, exhaustive=True).decision == wanted
        later = asyncio.run(fence.decide_async(PRE, exhaustive=True))
        assert later.decision == wanted

    def test_a_rewrite_without_a_wire_is_what_the_handler_said(self) -> None:
        fence = Ringfence()
        fence.before_tool(lambda _: rewrite({"command": "ls -l"}))
        assert fence.decide(PRE).decision == rewrite({"command": "ls -l"})


class TestRedacting:
    output: ClassVar = {"stdout": "id CUST-12345678 and CUST-87654321", "code": 0}

    def after(self) -> AfterTool:
        made = event(EventKind.TOOL_POST, output=self.output)
        assert isinstance(made, AfterTool)
        return made

    def test_the_decision_holds_the_covered_result_in_its_own_shape(self) -> None:
        fence = Ringfence()
        fence.after_tool(lambda event: redact(event, r"CUST-\d{8}"))
        for decision in (
            fence.decide(self.after()).decision,
            asyncio.run(fence.decide_async(self.after())).decision,
        ):
            shown = decision.replaced_output  # type: ignore[attr-defined]
            assert shown["code"] == 0
            assert "CUST-" not in shown["stdout"]
            assert shown["stdout"].startswith("id [")

    def test_a_result_without_any_passes_as_it_is(self) -> None:
        fence = Ringfence()
        fence.after_tool(lambda event: redact(event, r"NEVER-\d{8}"))
        assert fence.decide(self.after()).decision.neutral


class TestPolicy:
    def test_one_that_can_not_be_loaded_says_so_at_once(self, tmp_path: Path) -> None:
        with pytest.raises(PolicyError):
            Ringfence(policy=tmp_path / "missing.yaml")


class TestPackage:
    def test_every_public_name_can_be_imported(self) -> None:
        for name in ringfence.__all__:
            assert getattr(ringfence, name) is not None

    def test_another_name_is_none(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = ringfence.nothing  # type: ignore[attr-defined]
