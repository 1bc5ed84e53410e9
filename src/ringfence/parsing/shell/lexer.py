"""Reads shell text command by command, and writes it out rewritten."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ringfence.parsing.shell.quoted_text import MAX_DEPTH, QuotedText
from ringfence.parsing.shell.quoting import CLOSE, OPEN
from ringfence.parsing.shell.rewritten import NormalizeError, Operator, Out


@dataclass(slots=True)
class _HereDocument:
    delimiter: str
    strips_tabs: bool
    quoted: bool
    slot: Out


@dataclass(slots=True)
class _Place:
    """Where in a command the lexer is.

    ``command`` tells whether a reserved word may come next, ``piped`` whether a pipe
    came before, ``start`` where the word began that it is in. ``cases`` counts open
    ``case`` statements, in whose patterns a closing parenthesis stands alone; ``head``
    follows the words from ``case`` to ``in``.
    """

    command: bool = True
    piped: bool = False
    word: bool = False
    start: int = 0
    cases: int = 0
    head: int = 0
    function: bool = False
    test: bool = False
    array: bool = False


_NAME = re.compile(r"[A-Za-z_]+(?=[\s;&|()<>]|$)")
_PLAIN = re.compile(r"[\w./:=+,@%~^*?\[\]\x80-\xff-]+", re.ASCII)
_FD_VARIABLE = re.compile(r"\{([A-Za-z_]\w*)\}(?=[<>])", re.ASCII)
_TIME_OPTIONS = re.compile(r"(?:[ \t]+-p)?(?:[ \t]+--)?(?=[\s<>])[ \t]*")
_COPROC_NAME = re.compile(
    r"(?=[ \t<>])[ \t]*"
    r"(?:\w+[ \t]+(?=[{(]|\[\[|(?:while|until|for|if|case|select)\s))?",
    re.ASCII,
)
_REDIRECT = re.compile(r"<<<|<<-?|<>|<&|>&|>>|>\||<|>")
_SEPARATOR = re.compile(r"&>>|&>|&&|&|\|\||\|&|\||;;&|;;|;&|;")

_KEEPS_COMMAND = frozenset({"if", "then", "else", "elif", "do", "while", "until"})
_META = " \t\n;&|()<>"


class Lexer(QuotedText):
    """Reads a whole shell text; see :mod:`.normalize` for what it changes."""

    def __init__(self, source: str, depth: int = 0) -> None:
        super().__init__(source, depth)
        self._pending: list[_HereDocument] = []

    def finish(self) -> None:
        """Check that all was read; a here-document may end with the text."""
        super().finish()
        self._bodies()

    def code(self, closer: str, *, array: bool = False) -> None:
        self._enter()
        place = _Place(command=not array, array=array)
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == ")" and not (place.cases or place.test):
                if closer != ")":
                    raise NormalizeError("a bracket in the shell text closes nothing")
                break
            inside, at = place.word, self._at
            self._code_step(char, place)
            if place.word and not inside:
                place.start = at
        else:
            if closer:
                raise NormalizeError("a bracket in the shell text is not closed")
        self._depth -= 1

    def _code_step(self, char: str, place: _Place) -> None:
        if char in " \t":
            self._copy(1)
            place.word = False
        elif char == "\n":
            self._copy(1)
            self._bodies()
            self._separate(place)
        elif char == "#" and not place.word:
            end = self._source.find("\n", self._at)
            self._at = len(self._source) if end < 0 else end
        elif char in ";&|":
            self._separator(place)
        elif char == "(":
            self._parenthesis(place)
        elif char == ")":
            self._copy(1)
            self._separate(place)
        elif char in "<>":
            self._redirection(place)
        else:
            self._word_part(char, place)

    @staticmethod
    def _separate(place: _Place, *, piped: bool = False) -> None:
        place.command = not place.array and not place.test
        place.piped = piped
        place.word = False

    def _separator(self, place: _Place) -> None:
        match = _SEPARATOR.match(self._source, self._at)
        assert match is not None
        text = match.group()
        self._at = match.end()
        # The blank keeps what follows from becoming a part of the operator.
        plain = ";;" if text in {";;&", ";&"} else text
        self.out.append(plain if text in {"&>", "&>>"} else f"{plain} ")
        if text in {"&>", "&>>"}:
            place.word = False
            place.command = False
        else:
            self._separate(place, piped=text in {"|", "|&"})

    def _parenthesis(self, place: _Place) -> None:
        if place.test:
            self._copy(1)
            place.word = False
            return
        arithmetic = self._source.startswith("((", self._at) and not place.word
        if arithmetic and self._try_arithmetic("(("):
            self._separate(place)
            return
        array = place.word and self._source[self._at - 1] == "="
        # ``((`` would be arithmetic to the grammar.
        self._at += 1
        self.out.append("( " if arithmetic else "(")
        self.code(")", array=array)
        self._copy(1)
        self._separate(place)
        if array and not self._ends_word(0):
            raise NormalizeError("an array in the shell text was not understood")

    def _redirection(self, place: _Place, fd: str = "") -> None:
        match = _REDIRECT.match(self._source, self._at)
        assert match is not None
        operator = match.group()
        if place.test:
            self._copy(1)
            place.word = False
            return
        if self._source.startswith("(", self._at + 1) and operator in "<>":
            self._copy(2)
            self._substituted()
            place.word, place.command = True, False
            return
        written = self._source[place.start : self._at].replace("\\\n", "")
        if place.word and not re.fullmatch("[0-9]+", written):
            # To the grammar ``-x2>f`` redirects a descriptor ``-x2``.
            self.out.append(" ")
        self._at = match.end()
        if operator in {"<<", "<<-", "<<<", "<>"} or fd:
            plain = "<<" if operator == "<<-" else operator
            self.out.append(Operator(plain, fd))
        if operator in {"<<", "<<-"}:
            self.out.append("<")
            self._here_document(strips_tabs=operator == "<<-")
        else:
            self.out.append({"<<<": "<", "<>": ">"}.get(operator, operator))
        place.word = place.command = False

    # -- words ----------------------------------------------------------------

    def _word_part(self, char: str, place: _Place) -> None:
        if not place.word and self._reserved(char, place):
            return
        if char == "\\":
            self._backslash(place)
            return
        inside = place.word
        if not inside:
            self._begin_word(place)
        place.word = True
        place.command = False
        if char == "'":
            self._single_quoted()
        elif char == '"':
            self._double_quoted()
        elif char == "$":
            self._dollar(quoted=False, inside=inside)
        elif char == "`":
            self._backquoted(quoted=False)
        elif char in "{}":
            self.out.append(OPEN if char == "{" else CLOSE)
            self._at += 1
        elif char in "\r\v\f":
            # The grammar takes these for blanks; to bash they are letters.
            self.out.append(f"'{char}'")
            self._at += 1
        else:
            match = _PLAIN.match(self._source, self._at)
            self._copy(match.end() - self._at if match else 1)

    @staticmethod
    def _begin_word(place: _Place) -> None:
        if place.head == 1:
            place.head = 2
        elif place.function:
            place.function = False

    def _backslash(self, place: _Place) -> None:
        following = self._source[self._at + 1 : self._at + 2]
        if following == "\n":
            self._at += 2
            return
        if not place.word:
            self._begin_word(place)
        if following >= "\x80":
            # Part of a character that means nothing special.
            self.out.append(following)
        else:
            # The grammar takes some escaped characters for blanks, or a newline
            # before one for a part of the word.
            quoted = f"'{following or chr(92)}'"
            self.out.append('"\'"' if following == "'" else quoted)
        self._at += 2
        place.word = True
        place.command = False

    def _reserved(self, char: str, place: _Place) -> bool:
        """Read a reserved word, if one stands here; tell whether it did."""
        if char == "{":
            return self._open_brace(place)
        if char == "}" and place.command and self._ends_word(1):
            self._copy(1)
            place.command = False
            return True
        if char == "!" and place.command and self._ends_word(1):
            # What it negates is no matter here, and the grammar takes no ``! {``.
            self._at += 1
            return True
        if char in "[]" and self._bracket(char, place):
            return True
        if char == "=" and self._comparison(place):
            return True
        match = _NAME.match(self._source, self._at)
        if match is None:
            return False
        name = match.group()
        if name == "in" and place.head == 2:
            self._copy(2)
            place.head, place.command = 0, True
            return True
        if place.function:
            self._copy(len(name))
            place.function, place.command = False, True
            return True
        return place.command and self._reserved_name(name, place)

    def _reserved_name(self, name: str, place: _Place) -> bool:
        end = self._at + len(name)
        if name in {"time", "coproc"}:
            return self._prefix(name, end, place)
        if (
            place.cases
            and name != "esac"
            and self._source[end:].lstrip(" \t")[:1] == ")"
        ):
            # A pattern that is spelled like a reserved word.
            return False
        if name in _KEEPS_COMMAND:
            self._copy(len(name))
            return True
        if name == "case":
            place.cases += 1
            place.head = 1
        elif name == "esac":
            place.cases = max(place.cases - 1, 0)
        elif name == "function":
            place.function = True
        else:
            return False
        self._copy(len(name))
        place.command = False
        return True

    def _prefix(self, name: str, end: int, place: _Place) -> bool:
        """Drop ``time`` and ``coproc``, which the grammar takes for programs."""
        pattern = _TIME_OPTIONS if name == "time" else _COPROC_NAME
        match = pattern.match(self._source, end)
        if match is None or (name == "time" and place.piped):
            return False
        if self._source[match.end() : match.end() + 1] in {"", *"\n;&|)"}:
            return False
        self._at = match.end()
        if name == "time":
            self.out.append(None)
        return True

    def _open_brace(self, place: _Place) -> bool:
        if place.command and self._ends_word(1):
            self._copy(1)
            return True
        match = _FD_VARIABLE.match(self._source, self._at)
        if match is None:
            return False
        self._at = match.end()
        self._redirection(place, fd=f"{{{match[1]}}}")
        return True

    def _bracket(self, char: str, place: _Place) -> bool:
        if self._test_bracket(char, place):
            return True
        if place.test or place.array or not self._ends_word(1):
            return False
        # ``[`` is a program like any other, and its words are ordinary ones.
        self.out.append(f"'{char}'")
        self._at += 1
        place.word, place.command = True, False
        return True

    def _comparison(self, place: _Place) -> bool:
        """Quote what the grammar would take for a comparison, outside of a test."""
        operator = self._source[self._at : self._at + 2]
        if place.test or operator not in {"==", "=~"}:
            return False
        self.out.append(f"'{operator}'")
        self._at += 2
        place.word, place.command = True, False
        return True

    def _test_bracket(self, char: str, place: _Place) -> bool:
        double = char * 2
        if not self._source.startswith(double, self._at) or not self._ends_word(2):
            return False
        if char == "[" and not place.command:
            return False
        if char == "]" and not place.test:
            return False
        self._copy(2)
        place.test = char == "["
        place.command = False
        return True

    def _ends_word(self, length: int) -> bool:
        following = self._source[self._at + length : self._at + length + 1]
        return following == "" or following in _META

    def _here_document(self, *, strips_tabs: bool) -> None:
        while self._source[self._at : self._at + 1] in {" ", "\t"}:
            self._at += 1
        delimiter, quoted = self._delimiter()
        slot = Out()
        self.out.append(slot)
        self._pending.append(_HereDocument(delimiter, strips_tabs, quoted, slot))

    def _delimiter(self) -> tuple[str, bool]:
        start = self._at
        parts: list[str] = []
        while self._at < len(self._source):
            char = self._source[self._at]
            if char in _META:
                break
            if char in "'\"":
                end = self._source.find(char, self._at + 1)
                if end < 0:
                    raise NormalizeError("a quote in the shell text is not closed")
                parts.append(self._source[self._at + 1 : end])
                self._at = end + 1
            elif char == "\\":
                parts.append(self._source[self._at + 1 : self._at + 2])
                self._at += 2
            else:
                parts.append(char)
                self._at += 1
        raw = self._source[start : self._at]
        if not raw or "$" in raw or "`" in raw or "\n" in raw:
            raise NormalizeError("the end of a here-document was not understood")
        return "".join(parts), any(char in raw for char in "'\"\\")

    def _bodies(self) -> None:
        pending, self._pending = self._pending, []
        for document in pending:
            body = self._body(document)
            if document.quoted:
                quoted = body.replace("'", "'\\''")
                document.slot.append(f"'{quoted}'")
            else:
                inner = Lexer(body, self._depth + 1)
                inner.here_document_text()
                document.slot.append(inner.out)

    def _body(self, document: _HereDocument) -> str:
        lines: list[str] = []
        while self._at < len(self._source):
            end = self._source.find("\n", self._at)
            end = len(self._source) if end < 0 else end
            line = self._source[self._at : end]
            self._at = min(end + 1, len(self._source))
            if document.strips_tabs:
                line = line.lstrip("\t")
            if line == document.delimiter:
                return "".join(lines)
            rest = line.removeprefix(document.delimiter)
            if self._inside and rest != line and ")" in rest:
                # In a substitution bash lets its end stand on the last line.
                self._at = end - len(rest)
                return "".join(lines)
            lines.append(line + "\n")
        return "".join(lines)

    def here_document_text(self) -> None:
        """Read all as an unquoted here-document, write it as a quoted string."""
        if self._depth > MAX_DEPTH:
            raise NormalizeError("the shell text is nested too deeply")
        self.out.append('"')
        while self._at < len(self._source):
            char = self._source[self._at]
            following = self._source[self._at + 1 : self._at + 2]
            if char == '"':
                self.out.append('\\"')
                self._at += 1
            elif char == "\\" and following not in {"$", "`", "\\", "\n"}:
                self.out.append("\\\\")
                self._at += 1
            else:
                self._quoted_step(char)
        self.out.append('"')
