"""Where Claude Code's versions differ in what they do with a hook's answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ringfence.harnesses.versions import parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What changes from version to version; all else holds for all of them.

    Observed in 2.1.197 and 2.1.332, unless a comment says otherwise.
    """

    since: tuple[int, ...]

    # What the model is told.
    denials_name_the_hook: bool
    """A JSON denial reads ``PreToolUse:TOOL hook error: REASON``, not ``REASON``."""
    managed_denials_are_wrapped: bool
    """A managed hook's denial stands in ``<tool_use_error>``."""
    contexts_before_a_call_are_joined: bool
    """Several contexts before a call make one reminder, its tags made harmless."""
    bad_rewrites_are_explained: bool
    """The model is told that a rewrite, and not its own input, was invalid; but then
    it reads no context of the hooks."""
    longest_reason: int | None
    """Characters of a denial that are shown whole."""
    start_block_is_shown: bool
    """A block at the start of a session becomes a reminder."""
    stop_feedback_is_framed: bool
    """What keeps a turn going comes with a warning that no user wrote it."""

    # What happens.
    on_failure: bool
    """``onFailure: block`` is known."""
    exit_2_survives_bad_json: bool
    """Exit 2 blocks even with JSON on stdout that fails validation."""
    block_survives_wrong_event: bool
    """``decision: block`` counts though ``hookEventName`` is another event's."""
    stop_ends_denied_turn: bool
    """``continue: false`` also ends the turn where the hook kept the call back."""
    rewrites_are_checked_last: bool
    """A rewrite is checked once all hooks have finished, not as each one does."""
    permission_hooks_headless: bool
    """PermissionRequest hooks run where no person is there."""
    skill_shell_hooks: bool
    """Inline shell of skills and commands fires PreSkillShellCommand."""
    any_mcp_replacement: bool
    """Any JSON value may replace an MCP result; before, an object broke it."""
    whitespace_is_trimmed: bool
    """Bash output loses blanks at its start, errors of hooks those at their end."""
    compaction_blocks: bool
    """A block before compaction makes the run fail."""


_2_1_197 = Contract(
    since=(),
    denials_name_the_hook=False,
    managed_denials_are_wrapped=False,
    contexts_before_a_call_are_joined=False,
    bad_rewrites_are_explained=False,
    longest_reason=None,
    start_block_is_shown=True,
    stop_feedback_is_framed=False,
    on_failure=False,
    exit_2_survives_bad_json=False,
    block_survives_wrong_event=False,
    stop_ends_denied_turn=False,
    rewrites_are_checked_last=False,
    permission_hooks_headless=False,
    skill_shell_hooks=False,
    any_mcp_replacement=False,
    whitespace_is_trimmed=False,
    compaction_blocks=False,
)
# The documentation dates onFailure; nothing between the two versions was measured.
_2_1_295 = replace(_2_1_197, since=(2, 1, 295), on_failure=True)
_2_1_332 = Contract(
    since=(2, 1, 332),
    denials_name_the_hook=True,
    managed_denials_are_wrapped=True,
    contexts_before_a_call_are_joined=True,
    bad_rewrites_are_explained=True,
    longest_reason=50_000,
    start_block_is_shown=False,
    stop_feedback_is_framed=True,
    on_failure=True,
    exit_2_survives_bad_json=True,
    block_survives_wrong_event=True,
    stop_ends_denied_turn=True,
    rewrites_are_checked_last=True,
    permission_hooks_headless=True,
    skill_shell_hooks=True,
    any_mcp_replacement=True,
    whitespace_is_trimmed=True,
    compaction_blocks=True,
)

CONTRACTS = (_2_1_197, _2_1_295, _2_1_332)


def contract(version: str) -> Contract:
    """Return the contract of a version: the newest one that is not newer than it."""
    number = parse(version)
    return max(
        (each for each in CONTRACTS if each.since <= number),
        key=lambda each: each.since,
    )
