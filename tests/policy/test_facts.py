"""Reading fields by dotted path."""

from __future__ import annotations

import pytest

from ringfence.policy.facts import field_holds, values_at

VALUE = {
    "a": {"b": [10, {"c": "x"}], "d.e": "dotted"},
    "to": [{"email": "p"}, {"email": "q"}, {}],
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b.0", [10]),
        ("a.b.1.c", ["x"]),
        ("a.b.2", []),
        ("a.d.e", ["dotted"]),
        ("to.*.email", ["p", "q"]),
        ("a.*", [[10, {"c": "x"}], "dotted"]),
        ("nowhere", []),
        ("a.b.x", []),
        ("**", ["x", "dotted", "p", "q"]),
    ],
)
def test_a_path_leads_to_values(path, found):
    assert list(values_at(VALUE, path)) == found


@pytest.mark.parametrize(
    ("condition", "value", "expected"),
    [
        ({"field": "a", "matches": "^b$"}, {"a": "b"}, True),
        ({"field": "a", "matches": "^5$"}, {"a": 5}, True),
        ({"field": "a", "matches": "true"}, {"a": True}, True),
        ({"field": "a", "matches": "x"}, {"a": ["y", {"z": "x"}]}, True),
        ({"field": "a", "matches": "."}, {"a": ""}, False),
        ({"field": "a", "glob": "x*"}, {"a": "xyz"}, True),
        ({"field": "a", "glob": "x"}, {"a": "xyz"}, False),
        ({"field": "a", "contains": "y"}, {"a": "xyz"}, True),
        ({"field": "a", "contains": 2}, {"a": [1, 2]}, True),
        ({"field": "a", "contains": "k"}, {"a": {"k": 1}}, True),
        ({"field": "a", "contains": 2}, {"a": "12"}, False),
        ({"field": "a", "equals": 1}, {"a": 1.0}, True),
        ({"field": "a", "equals": True}, {"a": 1}, False),
        ({"field": "a", "equals": None}, {"a": None}, True),
        ({"field": "a", "exists": True}, {"a": None}, True),
        ({"field": "a", "exists": True}, {}, False),
        ({"field": "a", "exists": False}, {}, True),
        ({"field": "a", "glob": "x*", "matches": "z$"}, {"a": "xyz"}, True),
        ({"field": "a", "glob": "x*", "matches": "y$"}, {"a": "xyz"}, False),
        ({"matches": "secret"}, {"deep": [{"er": "a secret"}]}, True),
    ],
)
def test_a_field_passes_its_tests(condition, value, expected):
    assert field_holds(condition, value) is expected
