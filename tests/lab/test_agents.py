"""Agents are installed by the real npm, here from a registry on loopback."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn

import pytest

from ringfence.lab import AgentUnavailableError, AgentVersionError, ensure, pinned
from ringfence.lab.agents import Pin, Pins, default_root

Missing = Callable[[str], NoReturn]
PACKAGE = "ringfence-test-agent"


def tarball(says: str) -> bytes:
    """Return an npm package whose command prints this version."""
    manifest = {"name": PACKAGE, "version": "1.2.3", "bin": {"agent": "agent.sh"}}
    files = {
        "package.json": json.dumps(manifest),
        "agent.sh": f"#!/bin/sh\necho 'agent {says} (a test)'\n",
    }
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mode = len(text), 0o755
            archive.addfile(entry, io.BytesIO(text.encode()))
    return target.getvalue()


@dataclass
class Registry:
    """A registry with one package at version 1.2.3, and a count of downloads."""

    url: str = ""
    says: str = "1.2.3"
    downloads: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str) -> bytes | None:
        if path == f"/{PACKAGE}":
            version = {
                "name": PACKAGE,
                "version": "1.2.3",
                "bin": {"agent": "agent.sh"},
                "dist": {"tarball": f"{self.url}/agent.tgz"},
            }
            listing = {
                "name": PACKAGE,
                "dist-tags": {"latest": "1.2.3"},
                "versions": {"1.2.3": version},
            }
            return json.dumps(listing).encode()
        if path == "/agent.tgz":
            with self.lock:
                self.downloads += 1
            return tarball(self.says)
        return None


@pytest.fixture
def registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: Missing
) -> Iterator[Registry]:
    """A registry on loopback that npm is told to use, with a cache of its own."""
    if shutil.which("npm") is None:
        missing("npm is not on PATH")
    served = Registry()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = served.answer(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setenv("npm_config_registry", served.url)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm-cache"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    threading.Thread(target=server.serve_forever, args=[0.05], daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()


@pytest.fixture
def root(tmp_path: Path, missing: Missing) -> Path:
    """A cache in which the pinned Node is already there: this machine's own."""
    node = shutil.which("node")
    if node is None:
        missing("node is not on PATH")
    folder = tmp_path / "agents" / f"node-{node_version()}" / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    (folder / "node").symlink_to(Path(node).resolve())
    return tmp_path / "agents"


@pytest.fixture
def pins() -> Pins:
    return Pins(
        node=Pin("node", "node", node_version(), "node"),
        agents=(Pin("tester", PACKAGE, "1.2.3", "agent", "model-1"),),
    )


def node_version() -> str:
    done = subprocess.run(
        ["node", "--version"], capture_output=True, text=True, check=True
    )
    return done.stdout.strip().removeprefix("v")


def test_an_agent_is_installed_once_and_then_found(
    registry: Registry, root: Path, pins: Pins
) -> None:
    told: list[str] = []
    agent = ensure("tester", root=root, pins=pins, progress=told.append)
    assert agent.binary == root / "tester-1.2.3" / "node_modules" / ".bin" / "agent"
    assert (agent.name, agent.version, agent.model) == ("tester", "1.2.3", "model-1")
    assert len(told) == 2
    assert registry.downloads == 1
    assert ensure("tester", "1.2.3", root=root, pins=pins) == agent
    assert registry.downloads == 1
    assert agent.search_path("rest").split(os.pathsep) == [
        str(agent.binary.parent),
        str(agent.node.parent),
        "rest",
    ]


def test_another_version_than_the_pin_is_an_error_and_stays_one(
    registry: Registry, root: Path, pins: Pins
) -> None:
    registry.says = "1.2.30"
    for _ in range(2):
        with pytest.raises(AgentVersionError, match=r"1\.2\.30, pinned is 1\.2\.3;"):
            ensure("tester", root=root, pins=pins)


def test_half_an_install_is_not_taken_for_a_whole_one(
    registry: Registry, root: Path, pins: Pins
) -> None:
    leftover = root / ".tester-1.2.3.partial" / "node_modules"
    leftover.mkdir(parents=True)
    broken = root / "tester-1.2.3" / "node_modules" / ".bin"
    broken.mkdir(parents=True)
    (broken / "agent").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (broken / "agent").chmod(0o755)
    agent = ensure("tester", root=root, pins=pins)
    done = subprocess.run([agent.binary], capture_output=True, text=True, check=True)
    assert "1.2.3" in done.stdout
    assert not leftover.exists()


def test_a_package_that_does_not_run_is_told(
    registry: Registry, root: Path, pins: Pins
) -> None:
    registry.says = "nothing of a version"
    with pytest.raises(AgentUnavailableError, match="does not run; see"):
        ensure("tester", root=root, pins=pins)


def test_of_two_installers_at_once_one_waits_and_finds_it(
    registry: Registry, root: Path, pins: Pins
) -> None:
    found: list[Path] = []

    def install() -> None:
        found.append(ensure("tester", root=root, pins=pins).binary)

    threads = [threading.Thread(target=install) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert registry.downloads == 1


def test_without_npm_the_error_says_how_to_mend_it(
    root: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(AgentUnavailableError, match=r"install Node\.js with npm") as e:
        ensure("tester", root=root, pins=pins)
    assert str(root / "tester-1.2.3") in str(e.value)


def test_without_npm_what_is_installed_is_still_used(
    registry: Registry, root: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = ensure("tester", root=root, pins=pins)
    monkeypatch.setenv("PATH", "/usr/bin/nowhere")
    assert ensure("tester", root=root, pins=pins) == agent


def test_what_the_registry_does_not_have_is_unavailable(
    registry: Registry, root: Path, pins: Pins
) -> None:
    absent = replace(pins.agents[0], package="ringfence-no-such-agent")
    with pytest.raises(AgentUnavailableError, match="exit 1") as error:
        ensure("tester", root=root, pins=replace(pins, agents=(absent,)))
    log = re.search(r"see (\S+),", str(error.value))
    assert log is not None
    assert "404" in Path(log.group(1)).read_text(encoding="utf-8")
    assert not (root / "tester-1.2.3").exists()


def test_what_is_not_pinned_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(
        AgentUnavailableError, match=r"pinned are claude-code 2\.1\.332"
    ):
        ensure("claude-code", "1.0.0", root=tmp_path)


def test_every_pin_is_exact_and_names_a_model() -> None:
    pins = Pins.load()
    for pin in (pins.node, *pins.agents):
        assert re.fullmatch(r"\d+\.\d+\.\d+", pin.version)
    assert all(pin.model for pin in pins.agents)
    assert {pin.name for pin in pinned()} == {"claude-code", "codex"}
    assert len({pin.folder for pin in pins.agents}) == len(pins.agents)


def test_the_cache_is_where_caches_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_root() == tmp_path / "ringfence" / "agents"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_root() == tmp_path / ".cache" / "ringfence" / "agents"
