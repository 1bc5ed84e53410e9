"""How the hooks of the observed cases were registered, and those not recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ringfence.harnesses.simulation import Carrier, HookRun
from tests.harnesses.observed_calls import (
    CALL,
    PLACE,
    QUIET,
    REAL,
    Answer,
    post,
    pre,
)

# -- how hooks were registered ------------------------------------------------

BLOCK: Mapping[str, object] = {"on_failure": "block"}
REGISTERED: list[tuple[str, Mapping[str, object]]] = [
    ("onfail-async", {**BLOCK, "is_async": True}),
    ("onfail-(timeout|post-timeout)", {**BLOCK, "timeout": 1}),
    ("onfail-(continue-exit1|invalid-value)", {}),
    ("onfail-.*", BLOCK),
    ("pre-async", {"is_async": True}),
    ("pre-timeout", {"timeout": 1}),
]


DENY = json.dumps(pre("deny"))
SERVER = "http://127.0.0.1:39285"

# HTTP hooks, by what their endpoint does: its path and what came back.
HTTP: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "deny": ("/answer/deny", {"stdout": json.dumps(pre("deny", "HTTP-REASON"))}),
    "allow": ("", {"stdout": json.dumps(pre("allow"))}),
    "ask": ("", {"stdout": json.dumps(pre("ask", "HTTP-REASON-ask"))}),
    "update": (
        "",
        {
            "stdout": json.dumps(
                pre("allow", updatedInput={"command": "echo NEW-command"})
            )
        },
    ),
    "context": (
        "",
        {"stdout": json.dumps(post("PreToolUse", additionalContext="CTX-http"))},
    ),
    "201": (
        "",
        {"stdout": json.dumps(pre("deny", "HTTP-REASON deny from http hook"))},
    ),
    "empty-object": ("", {"stdout": "{}"}),
    "empty-body": ("", {}),
    "text": ("/text", {"stdout": "HTTP-TEXT plain text, not JSON"}),
    "500": ("/status/500", {"failure": f"HTTP 500 from {SERVER}/status/500"}),
    "403": ("/status/403", {"failure": f"HTTP 403 from {SERVER}/status/403"}),
    "404": ("/status/404", {"failure": f"HTTP 404 from {SERVER}/status/404"}),
    "redirect": ("/redirect", {"failure": f"HTTP 302 from {SERVER}/redirect"}),
    "drop": ("/drop", {"failure": "socket hang up"}),
    "slow": ("/slow/6", {"timed_out": True}),
    "not-allowed": (
        "/answer/deny",
        {
            "failure": f"HTTP hook blocked: {SERVER}/answer/deny does not match any "
            "pattern in allowedHttpHookUrls"
        },
    ),
    "unreachable": ("", {"failure": "connect ECONNREFUSED 127.0.0.1:9"}),
    "badhost": ("", {"failure": "getaddrinfo EAI_AGAIN nonexistent.invalid"}),
}
_ADDRESSES = {
    "unreachable": "http://127.0.0.1:9/none",
    "badhost": "http://nonexistent.invalid/none",
}


def http(kind: str, **fields: object) -> HookRun:
    path, answer = HTTP[kind]
    address = _ADDRESSES.get(kind, SERVER + path)
    return HookRun(command=address, carrier=Carrier.HTTP, **{**answer, **fields})  # type: ignore[arg-type]


def mcp_tool(arguments: Mapping[str, str] | None, **fields: object) -> HookRun:
    text = ""
    if arguments is not None:
        text = json.dumps(pre("deny", "REASON-mcp-guard " + json.dumps(arguments)))
    return HookRun(stdout=text, carrier=Carrier.MCP_TOOL, **fields)  # type: ignore[arg-type]


def _judged(verdict: str) -> HookRun:
    return HookRun(stdout=verdict, carrier=Carrier.PROMPT, on_failure="block")


def _allowed_quietly() -> HookRun:
    """The rewrite that a hook behind an address or a server gave."""
    rewritten = str(QUIET[1]["command"]).replace(PLACE, REAL)
    return HookRun.answering(pre("allow", updatedInput={"command": rewritten}))


_RAN = str(CALL[1]["command"])
_ALLOW = json.dumps(pre("allow"))
_NOT_FOUND = "/bin/sh: 1: /nonexistent/guard: not found\n"
_SERVER_GONE = {"failure": "MCP server 'none' not connected", "command": "none/guard"}
_HTTP_REDACTION = json.dumps(
    post(
        updatedToolOutput={
            "stdout": "NEW-http",
            "stderr": "",
            "interrupted": False,
            "isImage": False,
        }
    )
)

# Hooks that recorded nothing, as they were no probes: all they did, by case.
UNRECORDED: Mapping[str, tuple[str, tuple[HookRun, ...]]] = {
    name: (event, (run,))
    for name, event, run in [
        ("pre-exit127", "PreToolUse", HookRun(exit_code=127, stderr=_NOT_FOUND)),
        ("pre-signal", "PreToolUse", HookRun(signal=9)),
        ("pre-timeout-streamed", "PreToolUse", HookRun(stdout=DENY, timed_out=True)),
        (
            "pre-child-holds-stdout",
            "PreToolUse",
            HookRun(stdout=DENY, stdout_held=True),
        ),
        ("pre-no-stdin-read", "PreToolUse", HookRun(stdout=DENY)),
        (
            "onfail-exit127",
            "PreToolUse",
            HookRun(
                exit_code=127,
                stderr=_NOT_FOUND,
                command="/nonexistent/guard --x",
                on_failure="block",
            ),
        ),
        (
            "onfail-exit126",
            "PreToolUse",
            HookRun(
                exit_code=127,
                stderr="/etc/hostname: 1: vm: not found\n",
                command="/etc/hostname",
                on_failure="block",
            ),
        ),
        (
            "onfail-cwd-gone",
            "PreToolUse",
            HookRun(
                exit_code=2,
                stderr="/bin/sh: 1: cd: can't cd to /nonexistent\n",
                command="cd /nonexistent && true",
                on_failure="block",
            ),
        ),
        (
            "onfail-exec-noexec",
            "PreToolUse",
            HookRun(
                failure="Failed to run: ENOEXEC: unknown error, posix_spawn "
                "'/etc/hostname'",
                command="/etc/hostname",
                on_failure="block",
            ),
        ),
        (
            "onfail-exec-nonexistent",
            "PreToolUse",
            HookRun(
                failure="Error occurred while executing hook command: ENOENT: no such "
                "file or directory, posix_spawn '/nonexistent/guard'",
                command="/nonexistent/guard a",
                on_failure="block",
            ),
        ),
        (
            "onfail-timeout-after-allow",
            "PreToolUse",
            HookRun(
                stdout=_ALLOW,
                timed_out=True,
                command=f"echo '{_ALLOW}'; sleep 6",
                on_failure="block",
            ),
        ),
        (
            "onfail-timeout-after-deny",
            "PreToolUse",
            HookRun(
                stdout=DENY,
                timed_out=True,
                command=f"echo '{DENY}'; sleep 6",
                on_failure="block",
            ),
        ),
        (
            "args-expand-command",
            "PreToolUse",
            HookRun(stdout=json.dumps(pre("deny", "REASON-args"))),
        ),
        (
            "sdk-callback-hook",
            "PreToolUse",
            HookRun.answering(pre("deny", "REASON-sdk")),
        ),
        ("pb2-http", "PreToolUse", _allowed_quietly()),
        ("pb2-mcp_tool", "PreToolUse", _allowed_quietly()),
        (
            "http-post-redact",
            "PostToolUse",
            HookRun(stdout=_HTTP_REDACTION, carrier=Carrier.HTTP),
        ),
        (
            "onfail-http-post-unreachable",
            "PostToolUse",
            http("unreachable", on_failure="block"),
        ),
        (
            "post-batch-context",
            "PostToolBatch",
            HookRun.answering(post("PostToolBatch", additionalContext="CTX-batch")),
        ),
        (
            "batch-replace",
            "PostToolBatch",
            HookRun.answering(
                post(
                    "PostToolBatch",
                    updatedToolOutput="NEW-x",
                    updatedToolOutputs=["NEW-y"],
                    additionalContext="CTX-b",
                )
            ),
        ),
        ("type-prompt", "PreToolUse", _judged("")),
        ("type-agent", "PreToolUse", _judged("")),
        ("judge-agent-no", "PreToolUse", _judged("")),
        ("judge-prompt-garbage-onfail", "PreToolUse", _judged("garbage")),
        ("onfail-prompt-type", "PreToolUse", _judged("all done")),
        ("mcp-notool", "PreToolUse", mcp_tool(None, failure="no such tool")),
        (
            "mcp-notool-block",
            "PreToolUse",
            mcp_tool(
                None,
                failure="no such tool",
                command="rig/nosuchtool",
                on_failure="block",
            ),
        ),
        ("types-mcp_tool-missing", "PreToolUse", mcp_tool(None, **_SERVER_GONE)),
        (
            "onfail-mcp_tool-missing",
            "PreToolUse",
            mcp_tool(None, on_failure="block", **_SERVER_GONE),
        ),
        ("onfail-mcp_tool-connecting", "PreToolUse", mcp_tool({})),
        *(
            (f"mcpslow-{kind}", "PreToolUse", mcp_tool({"cmd": _RAN}))
            for kind in ("3", "3-block", "20", "20-block")
        ),
        ("types-mcp_tool", "PreToolUse", mcp_tool({"cmd": _RAN, "tool": "Bash"})),
        *(
            (
                f"types-mcp_tool-later-{place}",
                "PreToolUse",
                mcp_tool({"cmd": asked, "tool": "Bash"}),
            )
            for place, asked in ((1, "sleep 1; touch RAN"), (2, "touch RAN2"))
        ),
        *((f"http-{kind}", "PreToolUse", http(kind)) for kind in HTTP),
        *(
            (f"onfail-http-{kind}", "PreToolUse", http(kind, on_failure="block"))
            for kind in HTTP
        ),
    ]
}

# While its server connects, the older version does not wait for it.
NOT_YET_CONNECTED = {
    ("2.1.197", "types-mcp_tool"),
    ("2.1.197", "types-mcp_tool-later-1"),
}

# Answers too long to be recorded.
LARGE: Mapping[str, Answer] = {
    "pre-context-long": {
        "json": post("PreToolUse", additionalContext="CTX-long " + "x" * 20_000)
    },
    "post-large": {},
    "post-context-long": {
        "json": post(additionalContext="CTX-long " + "x" * 20_000),
    },
    "post-block-long": {
        "json": {"decision": "block", "reason": "REASON " + "y" * 60_000},
    },
    "size-updated-output-200k": {
        "json": post(
            updatedToolOutput={
                "stdout": "NEW " + "q" * 200_000,
                "stderr": "",
                "interrupted": False,
                "isImage": False,
            }
        )
    },
    **{
        f"size-reason-{size}": {
            "json": pre("deny"),
            "pad": ["permissionDecisionReason", size],
        }
        for size in (100_000, 1_000_000, 10_000_000)
    },
}
