"""Compiled plans are kept, and never believed when they shouldn't be."""

from __future__ import annotations

import os
import stat

import pytest

from ringfence.errors import PolicyError
from ringfence.policy import loader
from ringfence.policy.cache import plan_for
from ringfence.policy.loader import load


@pytest.fixture
def policy_file(tmp_path):
    path = tmp_path / "ringfence.yaml"
    path.write_text("version: 1\nrules: [{id: a, before: any, context: one}]\n")
    return path


@pytest.fixture
def compiled(monkeypatch):
    """Counts how often a policy is compiled."""
    count = []
    compile_ = loader.load

    def counted(path):
        count.append(path)
        return compile_(path)

    monkeypatch.setattr(loader, "load", counted)
    return count


def cached(folder):
    (path,) = folder.glob("*.plan.json")
    return path


def test_a_policy_is_compiled_once(policy_file, tmp_path, compiled):
    folder = tmp_path / "cache"
    first = plan_for(policy_file, folder)
    assert plan_for(policy_file, folder) == first == load(policy_file)
    assert len(compiled) == 1
    assert stat.S_IMODE(cached(folder).stat().st_mode) == 0o600
    assert not list(folder.glob(".plan-*"))


def test_a_changed_policy_is_compiled_anew(policy_file, tmp_path):
    folder = tmp_path / "cache"
    plan_for(policy_file, folder)
    changed = policy_file.read_text().replace("one", "two")
    stamp = policy_file.stat()
    policy_file.write_text(changed)
    os.utime(policy_file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert plan_for(policy_file, folder).rules[0].context == "two"


def test_a_changed_file_that_the_policy_extends_counts_too(tmp_path):
    base = tmp_path / "base.yaml"
    base.write_text("version: 1\nrules: [{id: b, before: any, context: one}]\n")
    own = tmp_path / "own.yaml"
    own.write_text("version: 1\nextends: [base.yaml, ringfence:recommended]\n")
    folder = tmp_path / "cache"
    assert plan_for(own, folder).rules[0].context == "one"
    base.write_text(base.read_text().replace("one", "two"))
    assert plan_for(own, folder).rules[0].context == "two"
    base.unlink()
    with pytest.raises(PolicyError):
        plan_for(own, folder)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text[:0],
        lambda text: text.replace("one", "own"),
        lambda text: text.replace('"format":1', '"format":0'),
        lambda text: text.replace('"sources":{', '"sources":{"/gone":"0",'),
    ],
)
def test_a_bad_cache_is_replaced_not_believed(policy_file, tmp_path, damage):
    folder = tmp_path / "cache"
    plan = plan_for(policy_file, folder)
    path = cached(folder)
    good = path.read_text()
    path.write_text(damage(good))
    assert plan_for(policy_file, folder) == plan
    assert path.read_text() == good


def test_another_policys_plan_is_not_taken(policy_file, tmp_path):
    folder = tmp_path / "cache"
    plan_for(policy_file, folder)
    other = tmp_path / "other.yaml"
    other.write_text("version: 1\n")
    plan_for(other, folder)
    mine, theirs = sorted(folder.iterdir(), key=lambda p: -p.stat().st_size)
    theirs.write_bytes(mine.read_bytes())
    assert plan_for(other, folder).rules == ()


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(policy_file, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert plan_for(policy_file, blocked / "cache") == load(policy_file)
    assert plan_for(policy_file) == load(policy_file)


def test_a_broken_policy_is_told_whatever_the_cache_holds(policy_file, tmp_path):
    folder = tmp_path / "cache"
    plan_for(policy_file, folder)
    policy_file.write_text("version: 1\nruels: []\n")
    with pytest.raises(PolicyError, match="did you mean 'rules'"):
        plan_for(policy_file, folder)
