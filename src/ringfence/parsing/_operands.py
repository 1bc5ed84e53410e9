"""What well-known programs do with the paths among their words: data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ringfence.calls import PathUse

READ, WRITE = PathUse.READ, PathUse.WRITE
DELETE, SEARCH = PathUse.DELETE, PathUse.SEARCH


@dataclass(frozen=True, slots=True)
class Operands:
    """How a program's words are read.

    ``use`` is what happens to its operands (``None``: they are no paths), ``first``
    and ``last`` (of several) where that differs for one of them. ``skip`` operands
    come before that are no paths, unless an option of ``instead`` gave them. ``valued``
    options take a value that is no path, those of ``paths`` take one. ``writing``
    options turn reads into writes. ``assigned`` are ``name=path`` words.
    """

    use: PathUse | None = READ
    last: PathUse | None = None
    first: PathUse | None = None
    skip: int = 0
    instead: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    paths: Mapping[str, PathUse] = field(default_factory=dict)
    writing: frozenset[str] = frozenset()
    assigned: Mapping[str, PathUse] = field(default_factory=dict)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN_READERS = _set(
    "cat tac nl less more most bat batcat view wc uniq paste comm column fold fmt"
    " expand unexpand rev strings od hexdump hd base32 cksum sum md5sum sha1sum"
    " sha224sum sha256sum sha384sum sha512sum b2sum file diff cmp diff3 sdiff zcat"
    " bzcat xzcat zless source . shuf pr tsort xmllint iconv envsubst glow gpg"
    " sqlite3 unzip zipinfo age cpio nm objdump readelf vim vi nvim nano emacs code"
    " open xdg-open"
)
_PLAIN_WRITERS = _set(
    "tee touch mkdir mkfifo mknod dos2unix unix2dos gzip gunzip bzip2 bunzip2 xz unxz"
    " zstd unzstd sponge ed ex"
)
_PLAIN_DELETERS = _set("rm unlink rmdir shred trash trash-put rimraf")
_NO_PATHS = _set(
    "echo printf cd pushd popd export unset declare local readonly typeset read test"
    " [ true false : exit return alias unalias set shift trap eval kill killall pkill"
    " sleep date whoami id uname hostname which type hash command builtin seq yes"
    " basename dirname expr bc printenv jobs wait ulimit umask git ps env sudo ssh"
)

OPERANDS: dict[str, Operands] = {
    **dict.fromkeys(_PLAIN_READERS, Operands()),
    **dict.fromkeys(_PLAIN_WRITERS, Operands(use=WRITE)),
    **dict.fromkeys(_PLAIN_DELETERS, Operands(use=DELETE)),
    **dict.fromkeys(_NO_PATHS, Operands(use=None)),
    **dict.fromkeys(
        ("head", "tail"),
        Operands(valued=_set("-n -c --lines --bytes -s --sleep-interval --pid")),
    ),
    **dict.fromkeys(
        ("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ugrep"),
        Operands(
            skip=1,
            instead=_set("-e -f --regexp --file --files"),
            valued=_set(
                "-e --regexp -m --max-count -A -B -C --context --after-context"
                " --before-context -d -D --include --exclude --exclude-dir --color"
                " --colour --label -g --glob --iglob -t -T --type --type-not -M"
                " --max-columns -j --threads --replace --sort"
            ),
            paths={"-f": READ, "--file": READ, "--ignore-file": READ},
        ),
    ),
    **dict.fromkeys(
        ("awk", "gawk", "mawk", "nawk"),
        Operands(
            skip=1,
            instead=_set("-f --file"),
            valued=_set("-F -v --assign --field-separator"),
            paths={"-f": READ, "--file": READ, "-i": READ},
        ),
    ),
    **dict.fromkeys(
        ("sed", "gsed"),
        Operands(
            skip=1,
            instead=_set("-e -f --expression --file"),
            valued=_set("-e --expression -l --line-length"),
            paths={"-f": READ, "--file": READ},
            writing=_set("-i --in-place"),
        ),
    ),
    "jq": Operands(
        skip=1,
        instead=_set("-f --from-file"),
        paths={"-f": READ, "--from-file": READ},
    ),
    "yq": Operands(skip=1, writing=_set("-i --inplace")),
    "cut": Operands(
        valued=_set(
            "-d -f -c -b --delimiter --fields --characters --bytes --output-delimiter"
        )
    ),
    "join": Operands(valued=_set("-t -1 -2 -j -o -e -a -v")),
    "sort": Operands(
        valued=_set("-k --key -t --field-separator -S --buffer-size --parallel"),
        paths={"-o": WRITE, "--output": WRITE, "-T": WRITE, "--files0-from": READ},
    ),
    "xxd": Operands(valued=_set("-c -g -l -s -o")),
    "base64": Operands(valued=_set("-w --wrap -b"), paths={"-i": READ, "-o": WRITE}),
    "split": Operands(valued=_set("-b -l -n -a -C --bytes --lines")),
    "truncate": Operands(use=WRITE, valued=_set("-s --size"), paths={"-r": READ}),
    **dict.fromkeys(
        ("chmod", "chown", "chgrp", "chattr", "setfacl"), Operands(use=WRITE, skip=1)
    ),
    **dict.fromkeys(
        ("cp", "ln", "scp", "rsync"),
        Operands(
            last=WRITE,
            valued=_set("-S --suffix -P -e --rsh --exclude --include -o -c -l -F -J"),
            paths={"-t": WRITE, "--target-directory": WRITE, "-i": READ},
        ),
    ),
    "install": Operands(
        last=WRITE,
        valued=_set("-m --mode -o --owner -g --group -S --suffix"),
        writing=_set("-d --directory"),
        paths={"-t": WRITE, "--target-directory": WRITE},
    ),
    "mv": Operands(
        use=DELETE,
        last=WRITE,
        valued=_set("-S --suffix"),
        paths={"-t": WRITE, "--target-directory": WRITE},
    ),
    "dd": Operands(use=None, assigned={"if": READ, "of": WRITE}),
    **dict.fromkeys(
        ("ls", "dir", "tree", "du", "fd", "fdfind", "locate", "exa", "eza"),
        Operands(use=SEARCH),
    ),
    "stat": Operands(use=SEARCH, valued=_set("-c --format -f --printf")),
    "zip": Operands(first=WRITE),
    "patch": Operands(
        use=WRITE, valued=_set("-p --strip"), paths={"-i": READ, "-o": WRITE}
    ),
    "openssl": Operands(
        use=None,
        paths={"-in": READ, "-inkey": READ, "-key": READ, "-out": WRITE},
    ),
    "curl": Operands(
        use=None,
        paths={
            "-o": WRITE,
            "--output": WRITE,
            "-T": READ,
            "--upload-file": READ,
            "-K": READ,
            "--config": READ,
            "-E": READ,
            "--cert": READ,
            "--key": READ,
            "-b": READ,
            "-c": WRITE,
            "--cookie-jar": WRITE,
            "-D": WRITE,
            "--netrc-file": READ,
        },
    ),
    "wget": Operands(
        use=None,
        paths={
            "-O": WRITE,
            "--output-document": WRITE,
            "-P": WRITE,
            "--post-file": READ,
            "--body-file": READ,
            "-i": READ,
            "-o": WRITE,
        },
    ),
    **dict.fromkeys(
        ("bash", "sh", "zsh", "dash", "ksh", "python", "python3", "node", "ruby"),
        # Only the first operand is a script; the rest are the script's own words.
        Operands(use=None, first=READ, instead=_set("-c -e -m -lc -ic --eval -p")),
    ),
    "perl": Operands(
        instead=_set("-e -E"), valued=_set("-e -E -M -I"), writing=_set("-i -pi -pie")
    ),
}

UPLOADS: dict[str, frozenset[str]] = {
    "curl": _set(
        "-d --data --data-ascii --data-binary --data-raw --data-urlencode -F --form"
        " --json --url-query"
    )
}
"""Options whose value names a file after ``@`` (or ``<`` in a form)."""

GIT_OPERANDS: dict[str, PathUse] = {
    "rm": DELETE,
    "mv": DELETE,
    "restore": WRITE,
    "checkout": WRITE,
    "apply": READ,
    "blame": READ,
    "hash-object": READ,
    "show": READ,
    "cat-file": READ,
}
"""What git's subcommands do with paths of the work tree."""

GIT_VALUED = _set("-C -c --git-dir --work-tree --namespace --exec-path --config-env")
"""Options of git itself that take a value."""

URL_VALUED: dict[str, frozenset[str]] = {
    "curl": _set(
        "-o -X -H -d -F -u -A -e -b -c -T -K -E -m -w -x -D -r -y -Y -z -C -Q -U -P"
        " --output --request --header --data --data-raw --data-binary --data-urlencode"
        " --form --json --user --user-agent --referer --cookie --cookie-jar --config"
        " --upload-file --cert --key --cacert --max-time --connect-timeout --retry"
        " --write-out --limit-rate --resolve --range"
    ),
    "wget": _set(
        "-O -o -P -t -T -U -i -a -e --output-document --directory-prefix --tries"
        " --timeout --user-agent --header --post-data --post-file --method --body-data"
        " --body-file --limit-rate --user --password"
    ),
}
"""Options with a value, of programs that take a host without a scheme."""
