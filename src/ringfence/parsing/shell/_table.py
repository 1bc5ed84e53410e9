"""How programs that run other programs read their words: data only.

An option is written as one letter (``-u``) or a long name (``--user``). ``flags`` take
no value, ``valued`` take one (attached or as the next word), ``optional`` take one only
if it is attached. From the manuals: coreutils 9, util-linux 2.39, findutils 4.9,
sudo 1.9, OpenSSH 9, Docker 27, kubectl 1.31, npm 10, uv 0.5.
"""

from __future__ import annotations

from dataclasses import dataclass

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wrapper:
    """The words of one program: options, operands, then the command it runs.

    ``operands`` words come before the command, none with an option of ``instead``; ``again`` tells that options may follow
    them. ``verbs`` are the subcommands that run a command (empty: the program itself
    does), which may follow a word of ``groups``. Values of ``code`` options are shell text, those of ``split`` options words,
    of ``directories`` the directory to run in, of ``entrypoints`` the program. With an
    option of ``inert`` nothing runs; with one of ``shells`` and no command a shell does.
    ``joined``: a shell reads the command's words, joined. ``elsewhere``: another file
    system. ``keyword``: runs the command in its own place. ``extended``: the command
    gets more words that are not written here. ``dashes``: a ``--`` after the operands,
    if there is one, begins the command.
    """

    flags: frozenset[str] = _NONE
    valued: frozenset[str] = _NONE
    optional: frozenset[str] = _NONE
    operands: int = 0
    instead: frozenset[str] = _NONE
    again: bool = False
    verbs: frozenset[str] = _NONE
    groups: frozenset[str] = _NONE
    code: frozenset[str] = _NONE
    split: frozenset[str] = _NONE
    directories: frozenset[str] = _NONE
    entrypoints: frozenset[str] = _NONE
    inert: frozenset[str] = _NONE
    shells: frozenset[str] = _NONE
    assignments: bool = False
    joined: bool = False
    elsewhere: bool = False
    keyword: bool = False
    extended: bool = False
    dashes: bool = False
    shell: bool = False
    until: str = ""


def _set(text: str) -> frozenset[str]:
    """Return options: each word without a dash is a run of one-letter options."""
    found: set[str] = set()
    for word in text.split():
        if word.startswith("--"):
            found.add(word)
        else:
            found.update(f"-{letter}" for letter in word)
    return frozenset(found)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHELLS = _words("sh bash zsh dash ksh ksh93 mksh ash rbash yash fish posh hush")

# bash sets these itself, whatever is assigned to them.
LIVING = _words(
    "_ RANDOM SRANDOM SECONDS LINENO BASHPID PPID UID EUID GROUPS FUNCNAME PIPESTATUS"
    " DIRSTACK HISTCMD BASH_COMMAND BASH_SUBSHELL EPOCHSECONDS EPOCHREALTIME OPTIND"
    " BASHOPTS SHELLOPTS BASH_ARGV0 BASH_VERSINFO COMP_WORDBREAKS"
)

_DOCKER = Wrapper(verbs=_words("exec run"), groups=_words("container compose"))

_CONTAINER_RUN = Wrapper(
    flags=_set(
        "dPiqtT --detach --interactive --tty --rm --privileged --init --read-only"
        " --publish-all --no-healthcheck --oom-kill-disable --sig-proxy --quiet"
        " --no-deps --service-ports --no-TTY --build --remove-orphans --use-aliases"
        " --disable-content-trust --replace --systemd"
    ),
    valued=_set(
        "acehlmpuvwH --add-host --annotation --attach --blkio-weight --cap-add"
        " --cap-drop --cgroup-parent --cgroupns --cidfile --cpu-period --cpu-quota"
        " --cpu-shares --cpus --cpuset-cpus --cpuset-mems --detach-keys --device"
        " --dns --dns-option --dns-search --domainname --env --env-file --expose"
        " --gpus --group-add --health-cmd --hostname --ip --ip6 --ipc --isolation"
        " --label --label-file --link --log-driver --log-opt --mac-address --memory"
        " --memory-swap --mount --name --network --net --pid --pids-limit --platform"
        " --publish --pull --restart --runtime --security-opt --shm-size"
        " --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit"
        " --user --userns --uts --volume --volume-driver --volumes-from --index"
        " --userns --pod --secret --arch --os"
    ),
    directories=_set("w --workdir"),
    entrypoints=_set("--entrypoint"),
    operands=1,
    elsewhere=True,
)

_SU = Wrapper(
    flags=_set("flmpP --login --fast --preserve-environment --pty"),
    valued=_set("gGsTwu --group --supp-group --shell --whitelist-environment --user"),
    instead=_set("u --user"),
    code=_set("c --command --session-command"),
    operands=1,
    again=True,
    shell=True,
)

_RUNNER = Wrapper(verbs=_words("run"))

WRAPPERS: dict[str, Wrapper] = {
    "sudo": Wrapper(
        flags=_set(
            "ABbEHiknPSs --askpass --background --bell --preserve-env --set-home"
            " --login --non-interactive --preserve-groups --stdin --shell"
            " --reset-timestamp"
        ),
        valued=_set(
            "CghprRTtUu --close-from --group --host --prompt --role --chroot"
            " --command-timeout --type --other-user --user"
        ),
        directories=_set("D --chdir"),
        inert=_set("eKlVv --edit --list --validate --version --remove-timestamp"),
        shells=_set("is --login --shell"),
        assignments=True,
    ),
    "doas": Wrapper(flags=_set("Lns"), valued=_set("aCu"), shells=_set("s")),
    "su": _SU,
    "runuser": _SU,
    "pkexec": Wrapper(
        flags=_set("--disable-internal-agent --keep-cwd"), valued=_set("--user")
    ),
    "gosu": Wrapper(operands=1),
    "su-exec": Wrapper(operands=1),
    "setpriv": Wrapper(
        valued=_set("--reuid --regid --groups --inh-caps --bounding-set --pdeathsig")
    ),
    "env": Wrapper(
        flags=_set(
            "iv0 --ignore-environment --debug --null --list-signal-handling"
            " --block-signal --default-signal --ignore-signal"
        ),
        valued=_set("uaP --unset --argv0"),
        directories=_set("C --chdir"),
        split=_set("S --split-string"),
        assignments=True,
    ),
    "nice": Wrapper(valued=_set("n --adjustment")),
    "ionice": Wrapper(
        flags=_set("t --ignore"),
        valued=_set("cn --class --classdata"),
        inert=_set("pPu --pid --pgid --uid"),
    ),
    "timeout": Wrapper(
        flags=_set("fpv --foreground --preserve-status --verbose"),
        valued=_set("ks --kill-after --signal"),
        operands=1,
    ),
    "gtimeout": Wrapper(
        flags=_set("fpv --foreground --preserve-status --verbose"),
        valued=_set("ks --kill-after --signal"),
        operands=1,
    ),
    "nohup": Wrapper(),
    "setsid": Wrapper(flags=_set("cfw --ctty --fork --wait")),
    "chrt": Wrapper(
        flags=_set(
            "abdfiorRv --all-tasks --batch --deadline --fifo --idle --other --rr"
            " --reset-on-fork --verbose"
        ),
        valued=_set("DPT --sched-runtime --sched-period --sched-deadline"),
        inert=_set("mp --max --pid"),
        operands=1,
    ),
    "taskset": Wrapper(
        flags=_set("ac --all-tasks --cpu-list"), inert=_set("p --pid"), operands=1
    ),
    "prlimit": Wrapper(inert=_set("p --pid"), optional=_set("cdefilmnqrsutvxy")),
    "stdbuf": Wrapper(valued=_set("eio --error --input --output")),
    "unbuffer": Wrapper(flags=_set("p")),
    "time": Wrapper(
        flags=_set("apqvlh --append --portability --quiet --verbose"),
        valued=_set("fo --format --output"),
    ),
    "strace": Wrapper(
        flags=_set("CDcdFfhiknqrTtvVwxyYzZ"), valued=_set("aeEIbOoPsSuUX"),
        inert=_set("p"),
    ),
    "ltrace": Wrapper(
        flags=_set("bcCfhiLrSTtV"), valued=_set("aAeDFlnosuwx"), inert=_set("p")
    ),
    "command": Wrapper(flags=_set("p"), inert=_set("vV"), keyword=True),
    "builtin": Wrapper(keyword=True),
    "exec": Wrapper(flags=_set("cl"), valued=_set("a"), keyword=True),
    "xargs": Wrapper(
        flags=_set(
            "0oprtx --null --no-run-if-empty --interactive --verbose --exit"
            " --open-tty --show-limits"
        ),
        valued=_set(
            "adEILnPsJRS --arg-file --delimiter --max-args --max-procs --max-chars"
            " --process-slot-var"
        ),
        optional=_set("eil --eof --replace --max-lines"),
        extended=True,
    ),
    "parallel": Wrapper(
        flags=_set(
            "0kqrtvXm --null --keep-order --quote --dry-run --verbose --bar --eta"
            " --ungroup --line-buffer --lb --will-cite --progress --tag"
        ),
        valued=_set(
            "ajnNILdSC --arg-file --jobs --max-args --delimiter --colsep --joblog"
            " --results --timeout --retries --delay --halt --sshlogin --basefile"
        ),
        joined=True,
        extended=True,
        until=":::",
    ),
    "watch": Wrapper(
        flags=_set(
            "bcegprtwx --beep --color --errexit --chgexit --precise --no-rerun"
            " --no-title --no-wrap --exec"
        ),
        valued=_set("nq --interval --equexit"),
        optional=_set("d --differences"),
        joined=True,
    ),
    "entr": Wrapper(flags=_set("acdnprsxz"), extended=True),
    "flock": Wrapper(
        flags=_set(
            "Fensoxu --no-fork --exclusive --nonblock --nb --shared --close --unlock"
            " --verbose"
        ),
        valued=_set("Ew --conflict-exit-code --timeout --wait"),
        code=_set("c --command"),
        operands=1,
        again=True,
    ),
    "script": Wrapper(
        flags=_set("aefq --append --flush --quiet --return --force"),
        valued=_set("BEImoOT --log-in --log-out --log-io --log-timing --output-limit"),
        optional=_set("t"),
        code=_set("c --command"),
        operands=1,
        again=True,
    ),
    "ssh": Wrapper(
        flags=_set("46AaCfGgKkMNnqsTtVvXxYy"),
        valued=_set("BbcDEeFIiJLlmOopQRSWwP"),
        operands=1,
        again=True,
        joined=True,
        elsewhere=True,
        shell=True,
    ),
    "busybox": Wrapper(inert=_set("--list --help --install")),
    "toybox": Wrapper(inert=_set("--long --help --version")),
    "chroot": Wrapper(
        flags=_set("--skip-chdir"), operands=1, elsewhere=True, shell=True
    ),
    "unshare": Wrapper(
        flags=_set("CfimnprTUu --fork --mount-proc --map-root-user --keep-caps"),
        valued=_set("GSRw --setuid --setgid --root --wd --propagation"),
        shell=True,
    ),
    "nsenter": Wrapper(
        flags=_set("aFZ --all --no-fork --preserve-credentials"),
        valued=_set("GSt --target --setuid --setgid"),
        optional=_set("CimnprTuUw"),
        elsewhere=True,
        shell=True,
    ),
    "systemd-run": Wrapper(
        flags=_set(
            "dGPqrSt --user --system --scope --remain-after-exit --wait --pty --pipe"
            " --shell --quiet --collect --no-block --same-dir --no-ask-password"
        ),
        valued=_set(
            "EHMpu --unit --property --description --slice --uid --gid --nice"
            " --setenv --host --machine --on-active --on-calendar --service-type"
        ),
        directories=_set("--working-directory"),
    ),
    "firejail": Wrapper(),
    "caffeinate": Wrapper(flags=_set("dimsu"), valued=_set("tw")),
    "dbus-run-session": Wrapper(valued=_set("--config-file --dbus-daemon")),
    "xvfb-run": Wrapper(
        flags=_set("al --auto-servernum --listen-tcp"),
        valued=_set("efnps --error-file --auth-file --server-num --server-args"),
    ),
    "setarch": Wrapper(operands=1),
    "proxychains": Wrapper(flags=_set("q"), valued=_set("f")),
    "proxychains4": Wrapper(flags=_set("q"), valued=_set("f")),
    "torsocks": Wrapper(),
    "dumb-init": Wrapper(flags=_set("cv")),
    "tini": Wrapper(flags=_set("gsvw"), valued=_set("e")),
    "winpty": Wrapper(),
    "docker": _DOCKER,
    "podman": _DOCKER,
    "nerdctl": _DOCKER,
    "docker-compose": Wrapper(verbs=_words("exec run")),
    "kubectl": Wrapper(verbs=_words("exec run")),
    "oc": Wrapper(verbs=_words("exec run")),
    "npx": Wrapper(
        flags=_set("yq --yes --no --no-install --quiet --ignore-existing"),
        valued=_set("pnw --package --workspace --node-arg --userconfig"),
        code=_set("c --call"),
    ),
    "bunx": Wrapper(flags=_set("--bun"), valued=_set("p --package")),
    "uvx": Wrapper(
        flags=_set("qv --isolated --offline --no-cache --quiet --verbose"),
        valued=_set("pw --from --with --python --index-url --directory"),
    ),
    "npm": Wrapper(verbs=_words("exec x")),
    "pnpm": Wrapper(verbs=_words("exec dlx")),
    "yarn": Wrapper(verbs=_words("exec dlx")),
    "bun": Wrapper(verbs=_words("x")),
    "uv": Wrapper(verbs=_words("run")),
    "pipx": _RUNNER,
    "poetry": _RUNNER,
    "pipenv": _RUNNER,
    "pdm": _RUNNER,
    "rye": _RUNNER,
    "hatch": _RUNNER,
    "conda": Wrapper(verbs=_words("run")),
    "mamba": Wrapper(verbs=_words("run")),
    "bundle": Wrapper(verbs=_words("exec")),
    "mise": Wrapper(verbs=_words("exec x")),
    "direnv": Wrapper(verbs=_words("exec")),
    "rustup": Wrapper(verbs=_words("run")),
    "doppler": _RUNNER,
    "op": _RUNNER,
    "aws-vault": Wrapper(verbs=_words("exec")),
    "nix-shell": Wrapper(code=_set("--run --command"), operands=99),
}
"""By program name. Where a program has ``verbs``, see ``VERBS`` for what follows."""

_UV_RUN = Wrapper(
    flags=_set(
        "qvn --isolated --active --no-sync --locked --frozen --no-project --offline"
        " --no-dev --all-extras --all-packages --no-cache --quiet --verbose --exact"
        " --no-editable --native-tls --no-config --no-progress"
    ),
    valued=_set(
        "pw --extra --group --only-group --no-group --with --with-editable"
        " --with-requirements --python --package --project --env-file --index-url"
        " --index --default-index --config-file --cache-dir --refresh-package"
    ),
    directories=_set("--directory"),
    inert=_set("ms --module --script"),
)
_KUBECTL = Wrapper(
    flags=_set("itqT --stdin --tty --quiet --rm --command --attach"),
    valued=_set(
        "cnf --container --namespace --filename --context --kubeconfig --cluster"
        " --image --restart --overrides --env --labels --pod-running-timeout --user"
    ),
    operands=1,
    again=True,
    dashes=True,
    elsewhere=True,
)
_EXEC = Wrapper(
    flags=_set("yrc --yes --recursive --parallel --silent"),
    valued=_set("pw --package --workspace --filter"),
)

VERBS: dict[tuple[str, str], Wrapper] = {
    **{
        (program, verb): _CONTAINER_RUN
        for program in ("docker", "podman", "nerdctl", "docker-compose")
        for verb in ("exec", "run")
    },
    **{(program, verb): _KUBECTL for program in ("kubectl", "oc")
       for verb in ("exec", "run")},
    ("uv", "run"): _UV_RUN,
    ("npm", "exec"): Wrapper(
        flags=_set("y --yes"), valued=_set("pw --package"), code=_set("c --call")
    ),
    ("conda", "run"): Wrapper(
        flags=_set("v --no-capture-output --live-stream"),
        valued=_set("np --name --prefix"),
        directories=_set("--cwd"),
    ),
    ("direnv", "exec"): Wrapper(operands=1),
    ("rustup", "run"): Wrapper(flags=_set("--install"), operands=1),
    ("aws-vault", "exec"): Wrapper(operands=1, dashes=True),
    ("mise", "exec"): Wrapper(dashes=True, code=_set("c --command")),
    ("doppler", "run"): Wrapper(dashes=True, valued=_set("pc"), code=_set("--command")),
    ("op", "run"): Wrapper(dashes=True, valued=_set("--env-file")),
}
"""What follows a verb; a pair that is absent reads as :data:`PLAIN_VERB`."""

PLAIN_VERB = _EXEC
GLOBAL_VALUED = _set(
    "cHlnCf --config --context --host --log-level --namespace --kubeconfig --file"
    " --project-name --profile --prefix --project --directory --dir --cwd"
)
"""Options before a verb that take a value, over all programs with verbs."""
