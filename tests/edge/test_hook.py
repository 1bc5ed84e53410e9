"""The real hook process: whatever a guard does, the harness gets its answer."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ringfence.testing import payload
from tests.edge.processes import PATIENCE, Program, hook
from tests.wire import altered

PRE = payload("claude-code", "PreToolUse-Bash")
STOP = payload("claude-code", "Stop")
POST = payload("claude-code", "PostToolUse-Bash")

Run = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """An author's program; its guard has the given body."""

    def make(body: str, fence: str = "") -> Program:
        indented = "\n".join(f"    {line}" for line in body.strip().splitlines())
        return Program(
            tmp_path,
            f"fence = Ringfence({fence})\n@fence.before_tool\n"
            f"def guard(event):\n{indented}\n",
        )

    return make


DENYING = 'fence = Ringfence()\nfence.before_tool(lambda e: deny("no"))'
DENIES = 'return deny("no touching")'

NOISE = {
    "prints": 'print("hello")\nprint("hello", file=sys.stderr, flush=True)',
    "prints in colour and without end of line": (
        'sys.stdout.write("\\x1b[31m{"); sys.stdout.flush()'
    ),
    "writes to descriptors 1 and 2": (
        "os.write(1, b'{\"continue\": true}'); os.write(2, b'x' * 100_000)"
    ),
    "writes to the streams it found": (
        "sys.__stdout__.write('x'); sys.__stdout__.flush()"
    ),
    "starts a child that prints": 'os.system("echo from a child; echo err >&2")',
    "starts a child that prints and outlives it": (
        'subprocess.Popen("sleep 3; echo late", shell=True)'
    ),
    "closes the streams": "sys.stdout.close(); os.close(1); os.close(2)",
    "reads what is left of stdin": "assert sys.stdin.read() == ''",
    "changes the folder": 'os.chdir("/")',
    "spoils the environment": "os.environ.clear(); sys.path.clear()",
}


class TestNoise:
    @pytest.mark.parametrize("noise", NOISE)
    def test_the_answer_is_one_document_whatever_a_guard_prints(
        self, noise: str, program: Run
    ) -> None:
        said = program(f"{NOISE[noise]}\n{DENIES}").say(
            PRE, "claude-code", "PreToolUse"
        )
        assert said.reason == "no touching"
        assert said.seconds < 3

    def test_what_a_program_prints_before_it_runs_is_no_answer(
        self, tmp_path: Path
    ) -> None:
        said = Program(tmp_path, f"print('loading')\n{DENYING}").say(
            PRE, "claude-code", "PreToolUse"
        )
        assert said.reason == "no"


ENDS = {
    "raises": "raise RuntimeError('secret detail')",
    "leaves": "os._exit(0)",
    "leaves as if it had blocked": "os._exit(2)",
    "exits": "sys.exit(0)",
    "interrupts": "raise KeyboardInterrupt",
    "runs out of memory": "raise MemoryError",
    "recurses": "return guard(event)",
    "kills itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "terminates itself": "os.kill(os.getpid(), signal.SIGTERM)",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "aborts": "os.abort()",
    "executes something else": 'os.execv("/bin/true", ["true"])',
    "answers nonsense": 'return "deny"',
}
HANGS = {
    "sleeps": "time.sleep(60)",
    "hangs in C holding the interpreter": (
        'import re; re.match(r"(a+)+$", "a" * 64 + "b")'
    ),
    "waits for a child": 'subprocess.run(["sleep", "60"])',
    "ignores signals": (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    ),
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "leaves a fork that holds the way to the harness": (
        "if os.fork() == 0:\n    time.sleep(60)\nos._exit(0)"
    ),
}


class TestEnds:
    @pytest.mark.parametrize("end", ENDS)
    def test_a_guard_that_ends_badly_denies(self, end: str, program: Run) -> None:
        own = program(ENDS[end])
        said = own.say(PRE, "claude-code", "PreToolUse")
        assert "fails closed" in said.reason
        assert "secret detail" not in said.stdout
        assert said.seconds < 5
        (record,) = own.records
        assert record["failed"] is True

    @pytest.mark.parametrize("hang", HANGS)
    def test_a_guard_that_hangs_denies_at_the_deadline(
        self, hang: str, program: Run
    ) -> None:
        own = program(HANGS[hang])
        said = own.say(PRE, "claude-code", "PreToolUse", "--timeout", "1")
        assert "fails closed" in said.reason
        assert 0.9 < said.seconds < 5
        assert own.records[-1]["verdict"] == "unanswered"

    @pytest.mark.parametrize("end", [ENDS["leaves"], ENDS["raises"], HANGS["sleeps"]])
    @pytest.mark.parametrize("how", ["option", "program"])
    def test_open_lets_the_call_pass(self, end: str, how: str, program: Run) -> None:
        options = ["--timeout", "0.5"]
        if how == "option":
            own, options = program(end), [*options, "--fail", "open"]
        else:
            own = program(end, 'fail="open"')
        assert own.say(PRE, "claude-code", "PreToolUse", *options).silent

    def test_the_option_stands_above_the_program(self, program: Run) -> None:
        own = program(ENDS["raises"], 'fail="open"')
        said = own.say(PRE, "claude-code", "PreToolUse", "--fail", "closed")
        assert "fails closed" in said.reason

    @pytest.mark.parametrize(
        ("harness", "event"),
        [("codex", "PreToolUse"), ("codex", "PostToolUse"), ("codex", "Stop")],
    )
    def test_each_event_is_stopped_in_its_own_way(
        self, harness: str, event: str, tmp_path: Path
    ) -> None:
        own = Program(
            tmp_path,
            "fence = Ringfence()\n"
            "fence.on('tool.pre', 'tool.post', 'agent.stop')(lambda e: os._exit(0))",
        )
        name = event if event == "Stop" else f"{event}-Bash"
        for words in ([harness, event], [harness]):
            said = own.say(payload(harness, name), *words)
            if event == "Stop":
                assert said.silent
            elif event == "PostToolUse":
                assert said.document["decision"] == "block"
            else:
                assert "fails closed" in said.reason

    def test_a_worker_that_hangs_does_not_live_on(self, program: Run) -> None:
        own = program(f"{TELLING}\nwhile True: pass")
        own.say(PRE, "claude-code", "PreToolUse", "--timeout", "0.5")
        worker = int((own.folder / "fence.py.pid").read_text())
        wait_for(lambda: not _alive(worker), patience=0.5)

    def test_nor_does_one_that_waits_for_a_payload_and_lost_its_parent(
        self, tmp_path: Path
    ) -> None:
        own = Program(tmp_path, f"{DENYING}\nbefore = os.fork\n{FORKING}")
        command = own.command("claude-code", "PreToolUse", "--timeout", "1")
        process = subprocess.Popen(command, stdin=subprocess.PIPE)
        pid = own.folder / "fence.py.pid"
        wait_for(lambda: pid.exists() and pid.read_text())
        process.kill()
        process.wait()
        wait_for(lambda: not _alive(int(pid.read_text())), patience=8)
        assert process.stdin is not None
        process.stdin.close()

    def test_a_worker_outlives_its_parent_only_for_a_while(self, program: Run) -> None:
        own = program(f"{TELLING}\nwhile True: pass")
        command = own.command("claude-code", "PreToolUse", "--timeout", "1")
        process = subprocess.Popen(command, stdin=subprocess.PIPE)
        assert process.stdin is not None
        process.stdin.write(PRE)
        process.stdin.close()
        pid = own.folder / "fence.py.pid"
        wait_for(lambda: pid.exists() and pid.read_text())
        process.kill()
        process.wait()
        worker = int(pid.read_text())
        wait_for(lambda: not _alive(worker), patience=15)


TELLING = "open(__file__ + '.pid', 'w').write(str(os.getpid()))"
FORKING = """
def forking():
    child = before()
    if child == 0:
        open(__file__ + '.pid', 'w').write(str(os.getpid()))
    return child

os.fork = forking
"""


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(there: Callable[[], object], patience: float = PATIENCE) -> None:
    until = time.monotonic() + patience
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)


class TestTime:
    def test_a_program_names_its_own_deadline(self, program: Run) -> None:
        said = program("time.sleep(60)", "timeout=0.7").say(PRE, "claude-code")
        assert "fails closed" in said.reason
        assert 0.6 < said.seconds < 5

    def test_also_by_event(self, program: Run) -> None:
        own = program(
            "time.sleep(60)", "timeout=lambda e: 0.7 if e.kind == 'tool.pre' else 60"
        )
        assert own.say(PRE, "claude-code").seconds < 5

    def test_the_option_is_never_exceeded(self, program: Run) -> None:
        own = program("time.sleep(60)", "timeout=lambda e: 60")
        said = own.say(PRE, "claude-code", "--timeout", "0.7")
        assert "fails closed" in said.reason
        assert said.seconds < 5

    def test_a_harness_that_sends_nothing_is_answered_at_the_deadline(
        self, program: Run
    ) -> None:
        own = program(DENIES)
        command = own.command("claude-code", "PreToolUse", "--timeout", "0.7")
        reading, writing = os.pipe()
        process = subprocess.Popen(command, stdin=reading, stdout=subprocess.PIPE)
        os.close(reading)
        try:
            output, _ = process.communicate(timeout=PATIENCE)
        finally:
            os.close(writing)
        assert (
            "fails closed"
            in json.loads(output)["hookSpecificOutput"]["permissionDecisionReason"]
        )


class TestStreams:
    """Streams that a harness never closes, for it would hear nothing."""

    @staticmethod
    def code(command: list[str], redirections: str, raw: bytes = PRE) -> int:
        words = " ".join(f"'{word}'" for word in command)
        done = subprocess.run(
            ["sh", "-c", f"{words} {redirections}"],
            input=raw,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return 0 if b'"deny"' in done.stdout else done.returncode + 100

    @pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"])
    def test_a_closed_one_passes_no_call(self, closed: str, program: Run) -> None:
        command = program(DENIES).command("claude-code", "PreToolUse")
        denied, by_exit = 0, 102
        assert self.code(command, closed) in (denied, by_exit)

    def test_an_answer_that_nobody_hears_is_a_block(self, program: Run) -> None:
        own = program(DENIES)
        assert self.code(own.command("claude-code", "PreToolUse"), ">/dev/full") == 102
        assert self.code(own.command("claude-code", "PreToolUse"), ">&-") == 102

    def test_but_not_at_a_stop_where_it_would_mean_to_go_on(
        self, tmp_path: Path
    ) -> None:
        own = Program(
            tmp_path,
            "fence = Ringfence()\nfence.on_stop(lambda e: continue_with('go'))",
        )
        command = own.command("claude-code", "Stop")
        assert self.code(command, ">/dev/full", STOP) == 100
        assert self.code(command, "2>/dev/full", STOP) == 100

    def test_a_long_answer_and_a_long_payload_pass_whole(self, program: Run) -> None:
        own = program('return deny("x" * 8000).with_context("y" * 9000)')
        raw = altered("claude-code", "PreToolUse-Bash", extra="z" * 5_000_000)
        said = own.say(raw, "claude-code", "PreToolUse")
        assert len(said.stdout) > 16_000
        assert said.reason

    def test_a_payload_over_the_cap_is_not_read_to_its_end(self, program: Run) -> None:
        raw = b'{"x": "' + b"a" * (32 * 1024 * 1024) + b'"}'
        said = program(DENIES).say(raw, "claude-code", "PreToolUse")
        assert "larger than" in said.reason


class TestState:
    def test_a_state_folder_that_is_a_file_denies(self, program: Run) -> None:
        own = program("return None")
        (own.folder / "state").write_text("in the way")
        said = own.say(PRE, "claude-code", "PreToolUse")
        assert "can't be written" in said.reason
        assert own.say(PRE, "claude-code", "PreToolUse", "--fail", "open").silent

    def test_a_full_disk_denies(self, program: Run) -> None:
        own = program("return None")

        def full() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        said = own.say(PRE, "claude-code", "PreToolUse", preexec_fn=full)
        assert "fails closed" in said.reason

    def test_records_hold_no_content(self, program: Run) -> None:
        secret = "sk-" + "live-" + "0123456789"
        own = program('return deny(event.tool.input["command"]).with_rule("r1")')
        raw = altered("claude-code", "PreToolUse-Bash", tool_input={"command": secret})
        assert (
            own.say(raw, "claude-code", "PreToolUse", "--session", "s1").reason
            == secret
        )
        (record,) = own.records
        assert (record["verdict"], record["rule"]) == ("deny", "r1")
        assert (record["session"], record["tool"]) == ("s1", "Bash")
        kept = [
            p.read_bytes() for p in (own.folder / "state").rglob("*") if p.is_file()
        ]
        assert not any(secret.encode() in data for data in kept)

    def test_what_is_kept_is_the_users_alone(self, tmp_path: Path) -> None:
        body = "fence = Ringfence()\nfence.on_stop(lambda e: continue_with('go'))"
        own = Program(tmp_path, body)
        own.say(STOP, "claude-code", "Stop", umask=0)
        kept = [tmp_path / "state", *(tmp_path / "state").rglob("*")]
        assert len(kept) >= 4
        assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


class TestStops:
    body = (
        "fence = Ringfence(continuation_cap=2)\n"
        "fence.on_stop(lambda e: continue_with(f'round {e.continuations}'))"
    )

    def test_the_count_is_kept_between_processes(self, tmp_path: Path) -> None:
        own = Program(tmp_path, self.body)
        said = [own.say(STOP, "claude-code", "Stop").document for _ in range(4)]
        assert [one.get("reason") for one in said] == ["round 0", "round 1", None, None]
        assert "sent on 2 times already" in said[2]["systemMessage"]

    def test_hooks_that_run_at_once_count_together(self, tmp_path: Path) -> None:
        command = Program(tmp_path, self.body).command("claude-code", "Stop")
        processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(8)
        ]
        said = [process.communicate(STOP, PATIENCE)[0] for process in processes]
        assert sum(b'"block"' in one for one in said) == 2


class TestOwnEntry:
    """``ringfence hook``, with a policy in place of a program."""

    POLICY = """\
version: 1
rules:
  - id: no-push
    before: shell
    when: {program: git}
    decision: deny
    reason: not here
"""

    def test_a_policy_decides(self, tmp_path: Path) -> None:
        path = tmp_path / "p.yaml"
        path.write_text(self.POLICY)
        git = altered("claude-code", "PreToolUse-Bash", tool_input={"command": "git x"})
        words = ["claude-code", "PreToolUse", "--policy", str(path)]
        assert hook(tmp_path, git, *words).reason == "not here"
        assert hook(tmp_path, PRE, *words).silent

    @pytest.mark.parametrize(
        "text", ["version: 1\nrulse: []\n", "{", "version: 99\n", "\x00", None]
    )
    def test_one_that_can_not_be_loaded_blocks_in_each_events_own_way(
        self, text: str | None, tmp_path: Path
    ) -> None:
        path = tmp_path / "p.yaml"
        if text is not None:
            path.write_text(text)
        for words in (["claude-code"], ["claude-code", "PreToolUse"]):
            said = hook(tmp_path, PRE, *words, "--policy", str(path))
            assert "guard policy: " in said.reason
        assert hook(tmp_path, STOP, "claude-code", "--policy", str(path)).silent
        lenient = ["claude-code", "--policy", str(path), "--fail", "open"]
        assert hook(tmp_path, PRE, *lenient).silent

    def test_without_any_the_recommended_one_decides(self, tmp_path: Path) -> None:
        force = {"command": "git push --force origin main"}
        raw = altered("codex", "PreToolUse-Bash", tool_input=force)
        said = hook(tmp_path, raw, "codex", "PreToolUse")
        assert said.document["hookSpecificOutput"]["permissionDecision"] == "deny"

    def test_what_a_project_sets_in_the_environment_makes_no_difference(
        self, tmp_path: Path
    ) -> None:
        planted = tmp_path / "planted"
        (planted / "ringfence").mkdir(parents=True)
        (planted / "ringfence" / "ringfence.yaml").write_text("version: 1\n")
        (planted / "ringfence" / "__init__.py").write_text("raise SystemExit(0)")
        (planted / "sitecustomize.py").write_text("raise SystemExit(0)")
        force = {"command": "git push --force origin main"}
        raw = altered("claude-code", "PreToolUse-Bash", tool_input=force)
        environment = {
            "HOME": str(planted),
            "XDG_CONFIG_HOME": str(planted),
            "PYTHONPATH": str(planted),
            "PYTHONSTARTUP": str(planted / "sitecustomize.py"),
            "PATH": os.environ["PATH"],
        }
        said = hook(
            tmp_path, raw, "claude-code", "PreToolUse", env=environment, cwd=planted
        )
        assert said.reason

    def test_a_session_that_somebody_sits_before_is_asked(self, tmp_path: Path) -> None:
        path = tmp_path / "p.yaml"
        path.write_text(self.POLICY.replace("decision: deny", "decision: ask"))
        git = altered("claude-code", "PreToolUse-Bash", tool_input={"command": "git x"})
        words = ["claude-code", "PreToolUse", "--policy", str(path)]
        version = ["--harness-version", "2.1.332"]
        plain = {"PATH": os.environ["PATH"]}
        for environment, verdict in (
            (plain, "ask"),
            ({**plain, "CLAUDE_CODE_SESSION_ATTENDED": "1"}, "ask"),
            ({**plain, "CLAUDE_CODE_SESSION_ATTENDED": "0"}, "deny"),
        ):
            said = hook(tmp_path, git, *words, *version, env=environment)
            specific = said.document["hookSpecificOutput"]
            assert specific["permissionDecision"] == verdict


USAGE = {
    "no harness": [],
    "an unknown harness": ["nobody", "PreToolUse"],
    "an unknown option": ["claude-code", "PreToolUse", "--polcy", "x"],
    "an option without its value": ["claude-code", "PreToolUse", "--policy"],
    "an empty value": ["claude-code", "PreToolUse", "--policy", ""],
    "an option for a value": ["claude-code", "--event", "--fail", "closed"],
    "a word too many": ["claude-code", "PreToolUse", "Stop", "x"],
    "another way to fail": ["claude-code", "PreToolUse", "--fail", "opne"],
    "a time that is none": ["claude-code", "PreToolUse", "--timeout", "soon"],
    "no time at all": ["claude-code", "PreToolUse", "--timeout", "0"],
    "a time that is no number": ["claude-code", "PreToolUse", "--timeout", "nan"],
}


class TestUsage:
    @pytest.mark.parametrize("wrong", USAGE)
    def test_a_wrong_one_blocks_and_says_why(self, wrong: str) -> None:
        own = [sys.executable, "-I", "-m", "ringfence", "hook", *USAGE[wrong]]
        done = subprocess.run(
            own, input=PRE, capture_output=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"ringfence: ")

    @pytest.mark.parametrize("how", [["Stop"], ["--event", "Stop"], ["--event=Stop"]])
    def test_but_never_makes_an_agent_go_on(self, how: list[str]) -> None:
        own = [sys.executable, "-I", "-m", "ringfence", "hook", "codex", *how, "--x"]
        done = subprocess.run(
            own, input=STOP, capture_output=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stdout) == (0, b"")
        assert b"unknown option --x" in done.stderr

    def test_a_program_names_its_own_policy(self, program: Run) -> None:
        for words in (["claude-code"], []):
            said = program(DENIES).say(PRE, *words, "--policy", "x.yaml")
            assert said.exit_code == 2
            assert "--policy" in said.stderr


class TestDetection:
    """A program that is told no harness finds out by the payload."""

    @pytest.mark.parametrize("harness", ["claude-code", "codex"])
    def test_a_program_answers_whoever_calls(self, program: Run, harness: str) -> None:
        said = program(DENIES).say(payload(harness, "PreToolUse-Bash"))
        assert '"permissionDecision":"deny"' in said.stdout

    @pytest.mark.parametrize("raw", [b"", b"{}", b'{"hook_event_name": "PreToolUse"}'])
    def test_what_nobody_can_tell_is_blocked(self, program: Run, raw: bytes) -> None:
        said = program(DENIES).say(raw)
        assert (said.exit_code, said.stdout) == (2, "")
        assert said.stderr.startswith("ringfence: ")
