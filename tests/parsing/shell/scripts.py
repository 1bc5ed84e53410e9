"""Small random shell scripts, for Hypothesis."""

from __future__ import annotations

import shlex

from hypothesis import strategies as st

PROGRAMS = ["alpha", "beta", "gamma", "rm", "git"]
NAMES = ["X", "Y", "Z"]
TEXTS = ["a", "-x", "--y=z", "b c", "", "'", '"', "$X", "`", "\\", "\n", "#", "é", ";"]
TEXTS += ["|", "{a,b}", "~", "*", "rm", "EOF", "(", ")", "&&", "<", ">", "=", "!", "\t"]
PLAIN = [
    "a",
    "-x",
    "--y=z",
    "a#b",
    "x.y/z",
    "%",
    "a=b",
    "1",
    "+",
    "é",
    "~",
    "a,b",
    "if",
]
PLAIN += ["==", "=~", "]", "[", "[a]", "{}", "}", "!", "2", "\\x"]
EXPANSIONS = ["$X", '"$X"', "${X}", "$Y", '"$Y"', "${X:-a}", "${X-b}", "${X:+c d}"]
EXPANSIONS += ['"$X $Y"', '" $X"', "$1$2", "'r'm$1"]
EXPANSIONS += ["{a,b}", "{1..3}", "x{,y}z", "{a,{b,c}}", "$((1+2))", "$1", '"$@"', "$*"]
REDIRECTS = [
    ">out",
    "2>&1",
    "</dev/null",
    "&>out",
    "3<>out",
    "{fd}>out",
    ">|out",
    ">&2",
]
JOINS = [" && ", " || ", " | ", "; ", " & ", "\n", " |& "]


class Maker:
    """Draws one script; ``depth`` is what may still be nested."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def pick(self, items: list[str]) -> str:
        return self._draw(st.sampled_from(items))

    def chance(self) -> bool:
        return self._draw(st.booleans())

    def script(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(PROGRAMS)
        makers = [self.simple] * 4 + [self.joined] * 3
        makers += [self.compound, self.nested_shell, self.here_document, self.wrapped]
        return self._draw(st.sampled_from(makers))(depth - 1)

    def simple(self, depth: int) -> str:
        parts: list[str] = []
        if self.chance():
            parts.append(f"{self.pick(NAMES)}={self.word(depth)}")
            if self.chance():
                return parts[0]
        program = self.pick([*PROGRAMS, "$X", "$Y", "\\rm"])
        parts.append(program if self.chance() else self.quoted(program))
        parts += [self.word(depth) for _ in range(self._draw(st.integers(0, 3)))]
        if self.chance():
            place = self._draw(st.integers(0, len(parts)))
            parts.insert(place, self.pick(REDIRECTS))
        return " ".join(parts)

    def word(self, depth: int) -> str:
        kind = self._draw(st.integers(0, 5))
        if kind == 0:
            return self.pick(PLAIN)
        if kind == 1:
            return self.quoted(self.pick(TEXTS))
        if kind == 2:
            return self.pick(EXPANSIONS)
        if kind == 3:
            return self.pick(PLAIN) + self.quoted(self.pick(TEXTS))
        if kind == 4:
            return self.pick(EXPANSIONS) + self.pick(PLAIN + EXPANSIONS)
        return self.substitution(depth)

    def quoted(self, text: str) -> str:
        kind = self._draw(st.integers(0, 3))
        if kind == 0 or text == "\n":
            return shlex.quote(text)
        if kind == 1:
            inner = "".join(f"\\{c}" if c in '"\\$`' else c for c in text)
            return f'"{inner}"'
        if kind == 2:
            inner = "".join(c if c.isalnum() else f"\\{c}" for c in text)
            return inner or "''"
        inner = "".join(f"\\x{byte:02x}" for byte in text.encode())
        return f"$'{inner}'"

    def substitution(self, depth: int) -> str:
        inner = self.script(depth)
        if inner.startswith("("):
            inner = f" {inner}"  # "$((" would be arithmetic
        forms = [
            f"$({inner})",
            f'"$({inner})"',
            f"<({inner})",
            f"${{none:-$({inner})}}",
        ]
        if not set(inner) & set("`\\\n"):
            forms.append(f"`{inner}`")
        return self.pick(forms)

    def joined(self, depth: int) -> str:
        first, join = self.script(depth), self.pick(JOINS)
        # Nothing may follow the last line of a here-document.
        return first + ("\n" if "<<" in first else join) + self.script(depth)

    def compound(self, depth: int) -> str:
        first, second = self.script(depth), self.script(depth)
        name, word = self.pick(NAMES), self.word(depth)
        return self.pick(
            [
                f"( {first}\n)",
                f"{{ {first}\n}}",
                f"! {first}",
                f"time {first}",
                f"if {first}\nthen {second}\nfi",
                f"if false; then {first}\nelse {second}\nfi",
                f"for {name} in {word}; do {first}\ndone",
                f"while :; do {first}\nbreak; done",
                f"case {word} in x) {first}\n;; *) {second}\n;; esac",
                f"f() {{ {first}\n}}; f a b; {second}",
                f"coproc {{ {first}\n}}",
                f"[[ -n x && ( a < b ) ]] && {first}",
            ]
        )

    def nested_shell(self, depth: int) -> str:
        quoted = shlex.quote(self.script(depth))
        return self.pick(
            [
                f"bash -c {quoted}",
                f"bash -c {quoted} zero one",
                f"eval {quoted}",
                f"env Y=1 sh -c {quoted}",
                f"printf '%s' {quoted} | bash",
                f"bash <<<{quoted}",
                f"export X; bash -c {quoted}",
            ]
        )

    def here_document(self, depth: int) -> str:
        inner, program = self.script(depth), self.pick(PROGRAMS)
        end = f"END{depth}"
        return self.pick(
            [
                f"bash <<'{end}'\n{inner}\n{end}",
                f"{program} <<{end}\n$({inner}\n) \"$X' \\$Y\n{end}",
                f"{program} <<'{end}' x\n$({inner})\n{end}",
                f"{program} <<{end} | {self.simple(0)}\nx\n{end}",
                f"{program} <<{end} <<-\\{end}\nx\n{end}\n\ty\n\t{end}",
                f"cat <<{end}; {self.simple(0)}\n`{program}`\n{end}",
            ]
        )

    def wrapped(self, depth: int) -> str:
        inner = self.simple(depth)
        return self.pick(
            [
                f"timeout 5 {inner}",
                f"command {inner}",
                f"env -u X {inner}",
                f"nice -n 1 {inner}",
                f"nohup {inner}",
                f"exec {inner}",
                f"echo a | xargs {inner}",
            ]
        )


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """Draw a script of up to three levels; bash may find it malformed."""
    return Maker(draw).script(draw(st.integers(1, 3)))


_TOKENS = """alpha beta rm \\rm a -x -x2 $X X=a X=rm ' ' " " ` $( ) ( ) { } {a,b} ; ; &
&& || | <<E <<<x >out 2>&1 <out if then fi else case x in esac x) ;; for i do done time
! [[ ]] # $' ${X:- ${X} "$X $Y" eval <( env command == =~ ~ 1 $(( )) 1+1 coproc a=( )
[ ] exec $@ $1 set -- {fd}>out >&2 &>out <>out = += X Y= $Y , |& export"""
_BLANK_TOKENS = ["bash -c", "\n", "\nE\n", "\\\n", "\\ ", "\t"]


@st.composite
def token_soups(draw: st.DrawFn) -> str:
    """Draw shell tokens in any order; some of it is a script by accident."""
    tokens = st.sampled_from(_TOKENS.split() + _BLANK_TOKENS)
    blanks = st.sampled_from([" ", " ", ""])
    parts = draw(st.lists(st.tuples(tokens, blanks), min_size=2, max_size=14))
    return "".join(token + blank for token, blank in parts)
