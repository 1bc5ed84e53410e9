"""The recommended policy: what it stops, what it hides, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from ringfence.content.redaction import apply
from ringfence.decisions import Result, join
from ringfence.policy import packs
from ringfence.policy.calls import event_of, make_event
from ringfence.policy.evaluator import PolicyGuard
from ringfence.policy.plan import Plan
from ringfence.verdicts import Kind

HERE = Path(__file__).parent
CWD = "/home/me/project"
CALL = Mapping[str, object] | str


def listed(name: str) -> object:
    return YAML(typ="safe").load((HERE / name).read_text(encoding="utf-8"))


@cache
def guard() -> PolicyGuard:
    return PolicyGuard(packs.plan(packs.RECOMMENDED))


def rules(tool: str, tool_input: CALL) -> list[str]:
    event = make_event(tool, tool_input, cwd=CWD)
    return [match.rule.id for match in guard().matches(event)]


# -- the pack itself ---------------------------------------------------------------


@pytest.mark.parametrize("name", packs.names())
def test_the_compiled_plan_is_that_of_the_yaml(name):
    """Mend a failure with ``python -m ringfence.policy.packs``."""
    written = (packs.FOLDER / f"{name}.plan.json").read_text(encoding="utf-8")
    assert written == packs.compiled(name).to_json() + "\n"


def test_every_rule_says_what_to_do_instead_in_one_sentence():
    for rule in guard().plan.rules:
        if rule.decision is not None:
            assert rule.reason.endswith("."), rule.id
            assert "\n" not in rule.reason
            assert len(rule.reason) < 160, rule.id


def test_what_is_suggested_passes():
    suggestions = [rule.suggest for rule in guard().plan.rules if rule.suggest]
    assert len(suggestions) > 5
    for suggestion in suggestions:
        assert rules("shell", suggestion) == []


def test_every_rule_before_a_call_has_examples_of_both_kinds():
    for rule in YAML(typ="safe").load((packs.FOLDER / "recommended.yaml").read_text())[
        "rules"
    ]:
        assert rule["not_match"], rule["id"]
        if rule["id"] != "shell.not-understood":
            assert rule["match"], rule["id"]


# -- commands ----------------------------------------------------------------------

ORDINARY = listed("ordinary.yaml")
DANGEROUS = listed("dangerous.yaml")
assert isinstance(ORDINARY, Sequence)
assert isinstance(DANGEROUS, Mapping)


@pytest.mark.parametrize("command", ORDINARY)
def test_ordinary_work_is_left_alone(command):
    assert rules("shell", command) == []


@pytest.mark.parametrize(
    ("rule", "command"),
    [(rule, command) for rule, commands in DANGEROUS.items() for command in commands],
)
def test_danger_is_seen(rule, command):
    event = make_event("shell", command, cwd=CWD)
    matched = guard().matches(event)
    assert rule in [match.rule.id for match in matched]
    assert join((match.decision for match in matched), event.kind).kind in (
        Kind.DENY,
        Kind.ASK,
    )


@pytest.mark.parametrize(
    ("rule", "tool", "tool_input"),
    [
        ("secrets.read-file", "Read", {"file_path": "/home/me/project/.env"}),
        ("secrets.read-file", "read", "config/.env.local"),
        ("secrets.read-file", "Read", "/root/.ssh/id_rsa"),
        ("secrets.read-file", "mcp__files__read", {"path": "/home/me/project/.env"}),
        ("secrets.read-file", "WebFetch", "file:///home/me/.aws/credentials"),
        ("secrets.search-file", "Grep", {"pattern": "KEY", "path": ".env"}),
        ("secrets.search-file", "Grep", {"pattern": "KEY", "glob": ".env*"}),
        ("persistence.startup", "Edit", {"file_path": "/home/me/.bashrc"}),
        ("persistence.startup", "Write", {"file_path": ".git/hooks/pre-push"}),
        ("agents.hook-settings", "Write", {"file_path": ".claude/settings.local.json"}),
        (
            "agents.hook-settings",
            "apply_patch",
            "*** Begin Patch\n*** Delete File: .codex/hooks.json\n*** End Patch",
        ),
    ],
)
def test_tools_other_than_the_shell_are_seen(rule, tool, tool_input):
    assert rules(tool, tool_input) == [rule]


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", "src/app.py"),
        ("Read", "/home/me/.bashrc"),
        ("Read", ".claude/settings.json"),
        ("Read", ".env.example"),
        ("Write", {"file_path": "src/app.py", "content": "x"}),
        ("Write", {"file_path": ".claude/agents/x.md", "content": "x"}),
        ("Edit", {"file_path": ".env", "old_string": "a", "new_string": "b"}),
        ("Grep", {"pattern": "SECRET", "path": CWD}),
        ("Glob", {"pattern": "**/.env"}),
        ("WebFetch", {"url": "https://example.com", "prompt": "sum up"}),
        ("mcp__tracker__create", {"title": "read .env", "body": "see ~/.ssh/id_rsa"}),
        ("Agent", {"prompt": "look at /etc/shadow please"}),
        ("TodoWrite", {"todos": []}),
    ],
)
def test_ordinary_tools_are_left_alone(tool, tool_input):
    assert rules(tool, tool_input) == []


# -- results -----------------------------------------------------------------------

LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7b"


def seen(text: str) -> str:
    """Return what the model sees of a text."""
    event = event_of({"tool": "Read", "file_path": "x", "output": text})
    decision = join(guard()(event), event.kind)
    return str(apply(text, decision.redactions))


SECRETS = [
    ("aws-key", "AKIA" + "Q3XB" * 4),
    ("github-token", "gh" + "p_" + LETTERS + "a1b2C3d4"),
    ("github-token", "github" + "_pat_" + LETTERS),
    ("gitlab-token", "gl" + "pat-" + LETTERS),
    ("slack-token", "xox" + "b-1234567890-" + LETTERS),
    ("anthropic-key", "sk-" + "ant-api03-" + LETTERS),
    ("openai-key", "sk-" + "proj-" + LETTERS),
    ("openai-key", "sk-" + LETTERS + LETTERS),
    ("stripe-key", "sk_" + "live_" + LETTERS),
    ("stripe-key", "sk-" + "live-" + LETTERS),
    ("google-key", "AI" + "za" + LETTERS + "a1b2C3d"),
    ("package-token", "np" + "m_" + LETTERS + "a1b2C3d4"),
    ("service-token", "h" + "f_" + LETTERS + "abcd"),
    ("jwt", "ey" + "J" + LETTERS + ".ey" + "J" + LETTERS + "." + LETTERS),
]


@pytest.mark.parametrize(("label", "secret"), SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "key: {}\n", '{{"k": "{}"}}', "a\t{}\tb", "({})"]
)
def test_a_typed_secret_is_covered_and_named(label, secret, around):
    text = around.format(secret)
    assert seen(text) == around.format(f"[redacted:{label}-1]")


PEM = "\n".join([LETTERS + LETTERS] * 4)
BEGIN, END = (f"-----{word} RSA PRIVATE KEY-----" for word in ("BEGIN", "END"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a\n{BEGIN}\n{PEM}\n{END}\nb", "a\n[redacted:private-key-1]\nb"),
        (f"a\n{BEGIN}\n{PEM}", "a\n[redacted:private-key-1]"),
        (f"{PEM}\n{END}\nb", "[redacted:private-key-1]\nb"),
        (f"1\t{BEGIN}\n2\t{LETTERS}\n3\t{END}", "1\t[redacted:private-key-1]"),
        (f'"{BEGIN}\\n{LETTERS}\\n{END}\\n"', '"[redacted:private-key-1]\\n"'),
        (f"if text.startswith('{BEGIN}'):\n    pass\n", None),
    ],
)
def test_a_private_key_is_covered_whole_or_cut(text, expected):
    assert seen(text) == (text if expected is None else expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=[redacted:env-secret-1]"),
        ("export API_TOKEN='a b c d'", "export API_TOKEN='[redacted:env-secret-1]'"),
        ('SECRET_KEY_BASE="ab cd ef"', 'SECRET_KEY_BASE="[redacted:env-secret-1]"'),
        (
            ".env:3:STRIPE_API_KEY=abcd1234",
            ".env:3:STRIPE_API_KEY=[redacted:env-secret-1]",
        ),
        ("  4\tAUTH_SECRET=abcd1234", "  4\tAUTH_SECRET=[redacted:env-secret-1]"),
        ("KEY=abcd1234abcd1234abcd", "KEY=[redacted:env-secret-1]"),
        ("https://u:p4ss@h/x", "https://u:[redacted:url-password-1]@h/x"),
        (
            "Authorization: Bearer abc123def",
            "Authorization: Bearer [redacted:authorization-1]",
        ),
        ('"password": "hunter2-x"', '"password": "[redacted:config-secret-1]"'),
        ("  client_secret: ab12cd34ef", "  client_secret: [redacted:config-secret-1]"),
        ("A_TOKEN=same1 B_TOKEN=same1 C_TOKEN=other1", None),
    ],
)
def test_a_secret_by_its_place_is_covered_alone(text, expected):
    if expected is None:
        one, two = "[redacted:env-secret-1]", "[redacted:env-secret-2]"
        expected = f"A_TOKEN={one} B_TOKEN={one} C_TOKEN={two}"
    assert seen(text) == expected
    assert seen(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        "task-3f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c and disk-usage-report-for-all-hosts",
        "send a Bearer token in the Authorization header",
        "use bearer authentication-with-short-lived-tokens here",
        "PASSWORD=changeme\nAPI_KEY=your-key-here\nTOKEN=<token>\nSECRET=${SECRET}",
        "MAX_TOKENS=4096\nTOKEN_LIMIT=100\nPRIMARY_KEY=id\nCACHE_KEY=user-profile-page",
        "TOKEN=$GITHUB_TOKEN npm publish",
        "API_KEY=os.environ['API_KEY']",
        "password: string;\n  secret?: string | undefined;",
        '"password": "Password", "token": "Token"',
        "postgres://postgres:postgres@localhost/app",
        "postgres://user:${DB_PASSWORD}@host/db",
        "git@github.com:a/b.git https://github.com/a/b",
        "commit 4f0c2d9e8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d",
        "sha256-" + "A" * 43 + "=",
        "see https://example.com:8080/path@2x.png",
        "class SecretKeeper: token_count = 3",
        "def token(self): return self.password",
        "scikit-learn sk-learn-contrib desk-top-computer-with-screens",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert seen(text) == text


def test_the_model_is_told_what_placeholders_are():
    event = event_of({"tool": "Read", "file_path": "x", "output": "A_TOKEN=abcd1234"})
    assert "[redacted:" in join(guard()(event), event.kind).context


def test_a_tool_result_of_any_shape_is_covered_in_its_shape():
    output = {
        "stdout": "A_TOKEN=abcd1234",
        "stderr": "",
        "interrupted": False,
        "parts": [{"type": "text", "text": "DB_PASSWORD=abcd5678"}],
    }
    event = event_of({"tool": "shell", "command": "env", "output": output})
    decision = join(guard()(event), event.kind)
    assert apply(output, decision.redactions) == {
        "stdout": "A_TOKEN=[redacted:env-secret-1]",
        "stderr": "",
        "interrupted": False,
        "parts": [{"type": "text", "text": "DB_PASSWORD=[redacted:env-secret-2]"}],
    }


def test_a_plan_that_is_missing_or_stale_is_made_from_the_yaml(monkeypatch, tmp_path):
    source = packs.FOLDER / "recommended.yaml"
    (tmp_path / "recommended.yaml").write_bytes(source.read_bytes())
    (tmp_path / "recommended.plan.json").write_text("{}")
    monkeypatch.setattr(packs, "FOLDER", tmp_path)
    packs.plan.cache_clear()
    try:
        assert packs.plan("recommended") == Plan.from_json(
            (source.parent / "recommended.plan.json").read_text()
        )
    finally:
        packs.plan.cache_clear()


# -- whatever an agent sends ---------------------------------------------------------

OPERATORS = ["$X", "$(", ")", "`", "|", ";", "&&", "'", '"', ">", "<<E", "{", "}"]
WORDS = ["rm", "-rf", "/", "~", "git", "push", "--force", "curl", "sh", ".env", "E"]
PIECES = st.sampled_from([*OPERATORS, *WORDS, "\n", "\0", "\ud800"])
SHELL = st.lists(PIECES | st.text(max_size=3), max_size=12).map(" ".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | SHELL,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(SHELL, inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["command", "file_path", "path", "url", "content", "edits", "x"]
)
TOOLS = st.sampled_from(
    ["shell", "Read", "Write", "Edit", "apply_patch", "Grep", "fetch", "mcp__a__b", "Q"]
)


@given(TOOLS, SHELL | st.dictionaries(FIELDS, JSON, max_size=3), JSON)
def test_no_call_and_no_result_makes_it_fail(tool, tool_input, output):
    for moment in ("before", "after"):
        event = make_event(tool, tool_input, moment, output, cwd=CWD)
        decision = join(guard()(event), event.kind)
        if isinstance(decision, Result):
            apply(output, decision.redactions)
