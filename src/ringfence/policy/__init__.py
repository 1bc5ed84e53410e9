"""Declarative policy: rules written down, compiled to a plan, evaluated as a guard.

This package loads what evaluation needs and no more; reading and compiling YAML is
in :mod:`ringfence.policy.loader`.
"""

from __future__ import annotations

from ringfence.policy.evaluator import Match, PolicyGuard
from ringfence.policy.plan import Layer, Plan, Rule

__all__ = ["Layer", "Match", "Plan", "PolicyGuard", "Rule"]
