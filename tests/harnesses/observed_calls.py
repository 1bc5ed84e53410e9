"""The calls of the observed cases, and what a harness's own rules say about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ringfence.harnesses.simulation import Approver, Input, Permission
from tests.harnesses.world import PROJECT

SECRET = "TOKEN=" + "sk-" + "secret-12345"
REAL = "sk-" + "live-REALVALUE-77"
PLACE = "{{SECRET_1}}"

Answer = Mapping[str, object]
ToolCall = tuple[str, Input]


def bash(command: str, **rest: object) -> ToolCall:
    return "Bash", {"command": command, **rest}


def pre(decision: str, reason: str = "REASON-pre", **fields: object) -> Answer:
    verdict = {"permissionDecision": decision, "permissionDecisionReason": reason}
    return post("PreToolUse", **verdict, **fields)


def post(event: str = "PostToolUse", **fields: object) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


CALL = bash("touch RAN && echo ran")
LEAK = bash(f"echo {SECRET}")
FAIL = bash(f"echo {SECRET}; exit 3")
LONG = bash("seq 1 30000")
QUIET = bash(f'X="{PLACE}"; echo length ${{#X}}')
READ = ("Read", {"file_path": f"{PROJECT}/notes.txt"})
EDIT = (
    "Edit",
    {
        "file_path": f"{PROJECT}/notes.txt",
        "old_string": "alpha",
        "new_string": "beta",
    },
)
WRITE = ("Write", {"file_path": f"{PROJECT}/new.txt", "content": SECRET + "\n"})
ECHO = ("mcp__rig__echo", {"text": SECRET})
STRUCT = ("mcp__rig__structured", {"text": SECRET})
ADD = (
    "apply_patch",
    {
        "command": f"*** Begin Patch\n*** Add File: RAN\n+{SECRET}\n*** End Patch\n",
    },
)
CHILD = ("Agent", {"description": "child", "prompt": "CHILD-TASK please"})
AWAITED = ("Agent", {**CHILD[1], "run_in_background": False})
TASK = ("TaskCreate", {"subject": "s", "description": "d"})

# The calls of a case in the order of its records; the first pattern that fits counts.
CALLS: list[tuple[str, tuple[ToolCall, ...]]] = [
    ("basic-all-events", (bash("echo hello-from-tool"),)),
    ("post-(read|redact-read).*", (READ,)),
    ("post-edit.*setup0", (READ,)),
    ("post-edit.*", (EDIT,)),
    ("post-write.*", (WRITE,)),
    ("(post|shape)-mcp-structured", (STRUCT,)),
    ("post-mcp-fail", (("mcp__rig__fail", {"text": SECRET}),)),
    ("(post|shape)-mcp.*", (ECHO,)),
    ("post-large.*|size-big-output-redact", (LONG,)),
    ("post-failure-mcp", (("mcp__rig__fail", {"text": SECRET}),)),
    ("post-failure-read-missing", (("Read", {"file_path": "/nonexistent"}),)),
    ("post-failing.*", (FAIL,)),
    ("post-(failure|event-on-failure).*|failure-.*|onfail-postfailure.*", (FAIL,)),
    ("post-patch-fails", (("apply_patch", {"command": "*** Update File: x"}),)),
    ("post-patch|pre-patch-(?!via).*", (ADD,)),
    (
        "pre-patch-via-shell",
        (
            bash(
                "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: RAN\n+x\n"
                "*** End Patch\nEOF"
            ),
        ),
    ),
    ("post-.*|onfail-post-.*|onfail-http-post.*", (LEAK,)),
    ("batch-replace|size-updated-output.*", (LEAK,)),
    ("pre-mcp.*", (ECHO,)),
    ("pre-view-image", (("view_image", {"path": "x.png"}),)),
    ("pre-get-goal", (("get_goal", {}),)),
    ("pre-write-stdin|pre-long-running", (bash("bash"), ("write_stdin", {}))),
    ("conflict-duplicate-command|matchers|matcher-.*", (bash("echo x"),)),
    ("compact-.*", (bash("echo one"),)),
    ("event-compact-auto.*", (bash("echo one"), bash("echo two"))),
    ("env-file|event-env-file", (bash("echo V=$RIG_FROM_HOOK"),)),
    ("event-cwd-change", (bash("mkdir sub; cd sub; pwd"), bash("pwd"))),
    ("event-mcp", (ECHO, STRUCT)),
    ("event-notebook-and-files", (READ, EDIT, WRITE, TASK)),
    ("event-perm(req|tool).*", (bash("touch RAN"),)),
    ("ev-agent-background", (CHILD, bash("sleep 3"))),
    ("agent-.*|alias-.*|ev-agent-.*|redact-agent-sync", (AWAITED,)),
    ("(event-subagent|notify-prompt).*", (CHILD,)),
    ("redact-agent.*|putback-agent|onfail-subagent.*", (CHILD,)),
    ("plugin-hook", (bash("echo hi"), ("mcp__plugin_rig__echo", {"text": "x"}))),
    (
        "types-mcp_tool-later",
        (
            ("mcp__rig__echo", {"text": "x"}),
            bash("sleep 1; touch RAN"),
            bash("touch RAN2"),
        ),
    ),
    ("auto-claude-.*", (bash("curl -s http://127.0.0.1:9/ ; touch RAN"),)),
    ("batch-block-continue", (bash("echo SEC_${X:-}RET_VALUE; exit 3"),)),
    ("batch-sees-redacted", (bash("echo SEC_${X:-}RET_VALUE"),)),
    (
        "bg-read",
        (
            bash("true", run_in_background=True),
            bash("sleep 2"),
            ("Read", {"file_path": f"{PROJECT}/background.output"}),
        ),
    ),
    ("configchange-.*|ev-configchange", (bash("true"), bash("touch RAN2; sleep 1"))),
    ("elicit.*", (("mcp__rig__elicit", {"text": "x"}),)),
    ("ev-monitor|monitor-.*", (("Monitor", {"command": "true"}), bash("sleep 3"))),
    ("ev-sendmessage", (("EnterWorktree", {"name": "w"}), bash("pwd"))),
    ("ev-skill-tool", (("Skill", {"skill": "rigskill"}),)),
    ("ev-taskcompleted", (TASK, ("TaskUpdate", {"taskId": "1"}))),
    ("ev-webfetch", (("WebFetch", {"url": "http://127.0.0.1/text"}),)),
    ("webfetch-tls", (("WebFetch", {"url": "https://example.com/page"}),)),
    ("ev-websearch", (("WebSearch", {"query": "what"}),)),
    ("ev-worktree|worktreecreate", (bash("pwd"),)),
    ("filechanged", (bash("echo b >> watched.txt"), bash("sleep 1"))),
    ("hook-once", (bash("echo a"), bash("echo b"))),
    ("onfail-parallel", (bash("touch RAN"), READ)),
    ("pb2-fail-filter", (FAIL,)),
    ("putback-bash-fail", (bash(str(QUIET[1]["command"]) + "; exit 3"),)),
    ("putback-bash-notfound", (bash(f"nosuchcmd_{PLACE}"),)),
    ("putback-bash-background", (QUIET, bash("sleep 1"))),
    ("putback-write", (("Write", {"file_path": f"{PROJECT}/RAN", "content": PLACE}),)),
    ("putback-edit", (READ, ("Edit", {**EDIT[1], "new_string": PLACE}))),
    ("putback-mcp", (("mcp__rig__echo", {"text": PLACE}),)),
    ("putback-path", (("Read", {"file_path": f"{PROJECT}/{PLACE}"}),)),
    ("putback-.*|pb2-.*", (QUIET,)),
    ("redact-bash-stderr", (bash(f"echo {SECRET} >&2"),)),
    ("redact-bash-exit1-masked", (bash(f"(echo {SECRET}; exit 3) || true"),)),
    ("redact-bash", (LEAK,)),
    ("redact-read", (READ,)),
    ("redact-edit", (READ, ("Edit", {**EDIT[1], "new_string": SECRET + "2"}))),
    ("redact-write", (WRITE,)),
    ("redact-grep", (("Grep", {"pattern": "TOKEN", "output_mode": "content"}),)),
    ("redact-grep-files", (("Grep", {"pattern": "TOKEN"}),)),
    ("redact-glob", (("Glob", {"pattern": "**/*.txt"}),)),
    ("redact-todo", (("TaskCreate", {"subject": SECRET, "description": "d"}),)),
    ("redact-toolsearch", (("ToolSearch", {"query": "select:WebFetch"}),)),
    ("redact-notebook", (("Read", {"file_path": f"{PROJECT}/nb.ipynb"}),)),
    ("redact-mcp-structured", (STRUCT,)),
    ("redact-mcp", (ECHO,)),
    ("tamper-.*", (bash("true"), bash("touch RAN2; sleep 1"))),
    ("wrap-.*", (bash("ORIGINAL"), bash("pwd; echo V=$V"))),
]


# Calls, by case and place, whose result depends on what is not imitated.
UNPERFORMED = re.compile(
    r"(event-subagent|env-file|post-background).*|tamper-.*-0"
    r"|(bg-read-0|ev-worktree|ev-sendmessage|worktreecreate|ev-webfetch).*"
    r"|redact-notebook-.*|putback-(edit|bash-background)-0"
    r"|(pre-write-stdin|pre-long-running).*|(ev-)?configchange.*-0"
    r"|event-cwd-change-1|wrap-.*-1|wrap-exec-ok-0|pb2-env-0"
)

# Runs of several calls, or with effects of their own, whose side effect tells
# nothing about the single call.
SHARED_EFFECT = re.compile(
    r"(pre-write-stdin|parallel-tools-2|types-mcp_tool-later|ev-|event-subagent|tamper-|configchange"
    r"|onfail-subagent|notify-|redact-agent|agent-rewrite|alias-|putback-agent).*"
)

# -- permissions and who approves ---------------------------------------------

UNSET = Permission.UNSET
HOST_YES = Approver(
    person=False,
    allows=True,
    updated_input={"command": "touch RAN && echo NEW-host"},
)
REVIEWER = Approver(
    person=False, allows=False, message="Automatic approval review failed: guardian"
)


def _denies_ran2(tool_input: Input) -> Permission:
    denied = tool_input.get("command") == "touch RAN2"
    return Permission.DENIED if denied else Permission.GRANTED


PERMISSIONS: list[tuple[str, Mapping[str, object]]] = [
    ("pre-allow-vs-settings-deny|putback-bash-denied-rule", {"permission": "denied"}),
    ("pre-allow-vs-settings-ask", {"permission": "ask"}),
    ("pre-updated-deny-rule", {"permission": _denies_ran2}),
    ("(pre-none|pre-allow)-dontask", {"permission": UNSET, "mode": "dontAsk"}),
    (
        r"pre-(legacy-approve|allow|none-noperm|updated-allow|\S+-decision-noperm)",
        {"permission": UNSET},
    ),
    (
        r"conflict-(deny-allow|allow-deny|deny-slow-allow|exit2-allow)",
        {"permission": UNSET},
    ),
    (
        r"new-off-bad-pretooluse-entry|mode-restricted-deny|putback-bash-noallow",
        {"permission": UNSET},
    ),
    ("mode-acceptEdits-.*", {"mode": "acceptEdits"}),
    (
        "mode-(bypassPermissions|dontAsk|plan)-.*|(.*)-bypass",
        {"permission": UNSET, "mode": "\\1"},
    ),
    ("mode-(auto|manual|default)-.*", {"permission": UNSET}),
    ("mode-prompts-none-plain", {"permission": UNSET, "prompts": False}),
    ("mode-prompts-none-.*", {"prompts": False}),
    ("auto-claude-.*", {"permission": UNSET, "mode": "auto"}),
    ("sdk-callback-hook", {"permission": UNSET}),
    (
        "sdk-ask-deny",
        {"approver": replace(HOST_YES, allows=False, message="REASON-host")},
    ),
    ("sdk-.*", {"permission": UNSET, "approver": HOST_YES}),
    (
        "event-permtool-.*",
        {"permission": UNSET, "approver": Approver(person=False, allows=True)},
    ),
    (
        "race-permtool-.*",
        {
            "permission": UNSET,
            "approver": Approver(person=False, allows=True, answers_at=2.0),
        },
    ),
    ("event-(afm|approve)-.*", {"permission": UNSET, "approver": REVIEWER}),
    ("tui-.*", {"permission": UNSET, "approver": Approver(allows=True, answers_at=9)}),
    ("event-permreq-.*|pb2-permreq|onfail-permreq.*", {"permission": UNSET}),
    ("(ev-)?configchange.*-0", {"permission": UNSET}),
]
