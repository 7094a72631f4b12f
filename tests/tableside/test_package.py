"""The package is complete, and what it installs works where nothing else is available.

The slow tests build it and install it with pip, whose own settings (an index, a proxy, a folder of
wheels) apply.
"""

import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tableside.cli import build_parser
from tests.paths import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGING = ROOT / "packaging"
VERSION = SETTINGS["project"]["version"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
).stdout.splitlines()
PACKAGES = {path.split("/")[0] for path in TRACKED if re.fullmatch(r"\w+/__init__\.py", path)}
NOT_INSTALLED = re.compile(r"hardware/(firmware/|PROTOCOL\.md)|webui/translations/babel\.cfg")
"""What is in the packages' folders but of use only with the sources."""

needs_git = pytest.mark.skipif(not TRACKED, reason="git does not list the files here")


def test_the_changelog_tells_what_this_version_changes():
    versions = re.findall(r"^## \[(.+?)\](?: - (\S+))?$", CHANGELOG, re.MULTILINE)
    assert versions[0] == ("Unreleased", "")
    assert versions[1][0] == VERSION
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for _, date in versions[1:])


def test_the_changelog_names_each_kind_of_change_once_a_version():
    for section in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.+)$", section, re.MULTILINE)
        assert len(kinds) == len(set(kinds)), section.splitlines()[0]
        assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


@needs_git
def test_every_package_says_that_it_is_typed():
    assert [name for name in sorted(PACKAGES) if f"{name}/py.typed" not in TRACKED] == []


def test_the_constraints_name_everything_that_is_installed():
    extras = SETTINGS["project"]["optional-dependencies"]
    wanted = [*SETTINGS["project"]["dependencies"], *extras["dev"], *extras["bench"]]
    constraints = (PACKAGING / "constraints.txt").read_text("utf-8")
    pinned = {name.lower() for name in re.findall(r"^([\w.-]+)==", constraints, re.MULTILINE)}
    names = {re.split(r"[^\w.-]", requirement)[0].lower() for requirement in wanted}
    names.discard(SETTINGS["project"]["name"])  # an extra that includes another of its extras
    assert sorted(names - pinned) == [], "`make constraints` renews them"


@pytest.mark.parametrize(
    ("file", "command", "name"),
    [
        ("tableside.service", r"^ExecStart=/opt/tableside/bin/tableside (.+)$", "live"),
        ("tableside-hall.service", r"^ExecStart=/opt/tableside/bin/tableside (.+)$", "hall"),
        ("Dockerfile", r'^CMD (\["live".+\])$', "live"),
    ],
)
def test_the_services_and_the_container_start_what_the_command_line_knows(file, command, name):
    (started,) = re.findall(command, (PACKAGING / file).read_text("utf-8"), re.MULTILINE)
    args = build_parser().parse_args(re.findall(r"[\w.:/-]+", started))
    assert (args.command, args.host, args.port, args.no_browser) == (name, "0.0.0.0", 8000, True)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
@pytest.mark.parametrize("name", ["tableside.service", "tableside-hall.service"])
def test_systemd_understands_the_services(tmp_path, name):
    unit = (PACKAGING / name).read_text("utf-8")
    (tmp_path / name).write_text(unit.replace("/opt/tableside/bin/tableside", "/bin/true"), "utf-8")
    printed = run("systemd-analyze", "verify", tmp_path / name, cwd=tmp_path)
    assert printed == ""


@pytest.mark.slow
class TestBuilt:
    """The source distribution, the wheel, and the program installed from it."""

    @pytest.fixture(scope="class")
    @staticmethod
    def dist(tmp_path_factory):
        if not TRACKED:
            pytest.skip("git does not list the files here")
        if importlib.util.find_spec("build") is None or importlib.util.find_spec("twine") is None:
            pytest.skip("needs the release extra: `make test-long` installs it")
        # A copy, so that neither leftovers here nor files that git does not track enter the
        # package.
        sources = tmp_path_factory.mktemp("sources")
        for path in TRACKED:
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, sources / path)
        out = tmp_path_factory.mktemp("dist")
        run(sys.executable, "-m", "build", "--outdir", out, cwd=sources)
        return out

    @pytest.fixture(scope="class")
    @staticmethod
    def program(dist, tmp_path_factory):
        """The wheel in its own environment, with the versions that it is tested with."""
        venv = tmp_path_factory.mktemp("venv")
        run(sys.executable, "-m", "venv", venv, cwd=dist)
        folder = venv / ("Scripts" if sys.platform == "win32" else "bin")
        constraints = PACKAGING / "constraints.txt"
        install = [folder / "python", "-m", "pip", "install", "--quiet", "-c", constraints]
        run(*install, next(dist.glob("*.whl")), cwd=dist)
        return folder / "tableside"

    def test_the_source_distribution_holds_every_file(self, dist):
        with tarfile.open(dist / f"tableside-{VERSION}.tar.gz") as archive:
            held = {name.partition("/")[2] for name in archive.getnames()}
        assert sorted(set(TRACKED) - held) == []

    def test_the_wheel_holds_what_the_program_needs_and_no_more(self, dist):
        with zipfile.ZipFile(dist / f"tableside-{VERSION}-py3-none-any.whl") as archive:
            held = {name for name in archive.namelist() if ".dist-info/" not in name}
        expected = {path for path in TRACKED if path.split("/")[0] in PACKAGES}
        assert held == {path for path in expected if not NOT_INSTALLED.match(path)}

    def test_a_package_index_accepts_both(self, dist):
        run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir(), cwd=dist)

    def test_the_demo_runs_in_an_empty_folder(self, program, tmp_path):
        out = run(program, "demo", "--once", "--no-browser", "--port", "0", cwd=tmp_path)
        assert (tmp_path / "tableside-demo" / "match.mat").read_text("utf-8"), out


def run(*command: Path | str, cwd: Path) -> str:
    """Everything that a command printed; it succeeded."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
