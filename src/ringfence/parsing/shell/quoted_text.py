"""Reads quotes, expansions and arithmetic, and writes them out rewritten."""

from __future__ import annotations

import re

from ringfence.parsing.shell.rewritten import NormalizeError, Out

MAX_DEPTH = 50
_MAX_ATTEMPTS = 64

_BACKQUOTED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*|[@*?$-]", re.ASCII)
_PARAMETER_HEAD = re.compile(r"\$\{!?[\w@*#?$!-]+(?:\[[^\]]*\])?([#%/^,]?)", re.ASCII)


class QuotedText:
    """Reads from ``source`` at ``at`` and writes to ``out``.

    What stands between the quotes of a command is read by :meth:`code`, which a
    subclass brings.
    """

    def __init__(self, source: str, depth: int = 0) -> None:
        self.out = Out()
        self._source = source
        self._at = 0
        self._depth = depth
        self._attempts = 0
        self._inside = 0

    def code(self, closer: str, *, array: bool = False) -> None:
        """Read commands up to ``closer``, which is left to the caller."""
        raise NotImplementedError

    def finish(self) -> None:
        """Check that all was read."""
        if self._at < len(self._source):
            raise NormalizeError("a bracket in the shell text closes nothing")

    def _copy(self, count: int) -> None:
        self.out.append(self._source[self._at : self._at + count])
        self._at += count

    def _single_quoted(self) -> None:
        end = self._source.find("'", self._at + 1)
        if end < 0:
            raise NormalizeError("a quote in the shell text is not closed")
        self._copy(end + 1 - self._at)

    def _double_quoted(self) -> None:
        self._copy(1)
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == '"':
                self._copy(1)
                return
            self._quoted_step(char)
        raise NormalizeError("a quote in the shell text is not closed")

    def _quoted_step(self, char: str) -> None:
        if char == "\\":
            if self._source.startswith("\n", self._at + 1):
                self._at += 2
            else:
                self._copy(2)
        elif char == "$":
            self._dollar(quoted=True)
        elif char == "`":
            self._backquoted(quoted=True)
        else:
            self._copy(1)

    def _dollar(self, *, quoted: bool, inside: bool = False) -> None:
        """Read what a dollar sign begins, ``inside`` a word if it is not the first."""
        following = self._source[self._at + 1 : self._at + 2]
        if following == "(":
            self._substitution()
        elif following == "{":
            self._parameter(quoted=quoted)
        elif following == "[":
            self._copy(2)
            if not self._arithmetic("]"):
                raise NormalizeError("a bracket in the shell text is not closed")
        elif following == "'" and not quoted:
            self._ansi_c_quoted()
        elif following == '"' and not quoted:
            self._at += 1
            self._double_quoted()
        elif following.isdigit() or (inside and _NAME.match(following)):
            # A positional parameter has one digit; and in words of several parts the
            # grammar loses what has no braces.
            name = _NAME.match(self._source, self._at + 1)
            text = name.group() if name else following
            self.out.append(f"${{{text}}}")
            self._at += 1 + len(text)
        else:
            self._copy(1)

    def _substitution(self) -> None:
        if self._source.startswith("$((", self._at):
            if self._try_arithmetic("$(("):
                return
            self.out.append("$( ")
        else:
            self.out.append("$(")
        self._at += 2
        self._substituted()

    def _substituted(self) -> None:
        self._inside += 1
        self.code(")")
        self._copy(1)
        self._inside -= 1

    def _ansi_c_quoted(self) -> None:
        start = self._at
        self._at += 2
        while self._at < len(self._source):
            char = self._source[self._at]
            self._at += 2 if char == "\\" else 1
            if char == "'":
                self.out.append(self._source[start : self._at])
                return
        raise NormalizeError("a quote in the shell text is not closed")

    def _parameter(self, *, quoted: bool) -> None:
        head = _PARAMETER_HEAD.match(self._source, self._at)
        if head is None:
            raise NormalizeError("an expansion in the shell text was not understood")
        # Between double quotes an apostrophe is one, but not in a pattern.
        quotes = not quoted or bool(head[1])
        self._enter()
        self._copy(2)
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == "}":
                self._copy(1)
                self._depth -= 1
                return
            if char == '"':
                self._double_quoted()
            elif char == "'" and quotes:
                self._single_quoted()
            else:
                self._quoted_step(char)
        raise NormalizeError("a bracket in the shell text is not closed")

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NormalizeError("the shell text is nested too deeply")

    def _backquoted(self, *, quoted: bool) -> None:
        match = _BACKQUOTED.match(self._source, self._at)
        if match is None:
            raise NormalizeError("a quote in the shell text is not closed")
        self._at = match.end()
        escaped = r"\\([\\$`\"])" if quoted else r"\\([\\$`])"
        inner = type(self)(re.sub(escaped, r"\1", match[1]), self._depth + 1)
        inner.code("")
        inner.finish()
        self.out.append("$(")
        if match[1].startswith("("):
            self.out.append(" ")
        self.out += [inner.out, ")"]

    # -- arithmetic -----------------------------------------------------------

    def _try_arithmetic(self, opener: str) -> bool:
        """Read ``((…))``; where it does not end so, it is a nested subshell."""
        self._attempts += 1
        if self._attempts > _MAX_ATTEMPTS:
            raise NormalizeError("the shell text is nested too deeply")
        at, length, depth = self._at, len(self.out), self._depth
        self._copy(len(opener))
        try:
            if self._arithmetic("))"):
                return True
        except NormalizeError:
            self._depth = depth
        self._at = at
        del self.out[length:]
        return False

    def _arithmetic(self, closer: str) -> bool:
        depth = 0
        while self._at < len(self._source):
            char = self._source[self._at]
            if depth == 0 and self._source.startswith(closer, self._at):
                self._copy(len(closer))
                return True
            if char in "([":
                depth += 1
            elif char in ")]":
                depth -= 1
                if depth < 0:
                    return False
            if char == '"':
                self._double_quoted()
            else:
                self._quoted_step(char)
        return False
