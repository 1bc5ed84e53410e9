"""A compiled policy survives being written down, and nothing else passes for one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.errors import PolicyError
from ringfence.policy.loader import load
from ringfence.policy.plan import (
    Defaults,
    FieldRewrite,
    Layer,
    Phase,
    Plan,
    Redaction,
    Rule,
    Verdict,
)

words = st.text(max_size=8)
names = st.lists(words, max_size=3).map(tuple)
rules = st.builds(
    Rule,
    id=words,
    phase=st.sampled_from(Phase),
    tools=names,
    when=st.none() | st.just({"not": {"fact": {"harness": ["x"]}}}),
    decision=st.none() | st.sampled_from(Verdict),
    reason=words,
    suggest=words,
    context=words,
    rewrite=st.lists(
        st.builds(FieldRewrite, field=words, value=st.none() | words | st.integers())
    ).map(tuple),
    redact=st.lists(
        st.builds(Redaction, label=words, pattern=words, keys=names, unless=names)
    ).map(tuple),
    flag=words,
    withhold=words,
    layer=st.sampled_from(Layer),
    source=words,
    line=st.integers(0, 9),
)
plans = st.builds(
    Plan,
    rules=st.lists(rules, max_size=3).map(tuple),
    default=st.sampled_from(Verdict),
    defaults=st.builds(Defaults, fail=st.none() | st.just("open"), timeout=st.none()),
    sources=st.dictionaries(words, words, max_size=2),
)


@given(plans)
def test_a_plan_comes_back_as_it_was(plan):
    assert Plan.from_json(plan.to_json()) == plan


def test_a_plan_names_what_it_was_made_from():
    header = load().to_data()["header"]
    assert header["format"] == 1
    assert header["ringfence"]
    assert set(header["sources"]) == {"ringfence:recommended"}


def damaged(change):
    data = load().to_data()
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"header": {}, "body": {}}',
        '{"header": 1, "body": 2}',
        "[" * 100_000,
        b"\xff",
        damaged(lambda data: data["header"].update(format=99)),
        damaged(lambda data: data["header"].update(ringfence="0.0.0")),
        damaged(lambda data: data["body"].update(default="allow")),
        damaged(lambda data: data["body"]["rules"].pop()),
        damaged(lambda data: data["header"].pop("sources")),
        load().to_json()[:-10],
    ],
)
def test_what_is_no_whole_plan_of_this_version_is_refused(text):
    with pytest.raises(PolicyError, match="recompile"):
        Plan.from_json(text)


def test_evaluating_a_plan_loads_neither_yaml_nor_schema_nor_compiler():
    code = """
import sys
from ringfence.policy.cache import plan_for
from ringfence.policy.evaluator import PolicyGuard
from ringfence.policy.calls import make_event
guard = PolicyGuard(plan_for("ringfence:recommended"))
assert guard(make_event("shell", "git push --force"))
print(*sorted(sys.modules))
"""
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    heavy = {"ruamel.yaml", "jsonschema", "re2", "hypothesis"}
    compiler = {"ringfence.policy.loader", "ringfence.policy.rules"}
    assert not loaded & (heavy | compiler)
