"""The documents' files, links and anchors exist, and their commands are accepted."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tableside.cli import build_parser
from tests.paths import ROOT

PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
PLACEHOLDER = re.compile(r"/[A-Z]+/")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
COMMAND = re.compile(r"^(?: {4,}|\t|)(?:.*\| )?((?:\.venv/bin/)?tableside [a-z].*)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
).stdout.split()
OURS = {path.split("/")[0] for path in TRACKED if "/" in path}
DOCUMENTS = [path for path in TRACKED if path.endswith(".md") and not path.startswith("tests/")]
GUIDES = [path for path in DOCUMENTS if path.startswith(("README", "docs/"))]
MOST_README_LINES, MOST_README_WORDS = 150, 1300
MOST_PICTURE_BYTES, MOST_FILM_BYTES = 4_000_000, 3_000_000
STANDALONE = ("cup roll --virtual", "cup verify rolls", "calibrate --lens-sheet")
"""Starts of commands that depend on nothing but each other and take seconds."""

pytestmark = pytest.mark.skipif(not TRACKED, reason="git does not list the files here")


def text_of(document):
    return (ROOT / document).read_text("utf-8")


def anchors(document):
    """The anchors of a page's headings, as GitHub and MkDocs form them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", text_of(document)), re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {one.strip().replace(" ", "-") for one in words}


def commands_in(document):
    """Every command line in a code block, without any comment or redirection after it."""
    found = COMMAND.findall(text_of(document))
    lines = [re.split(r"\s{2,}(?:#|\()| [<>] ", line)[0].strip() for line in found]
    return [line for line in lines if "`" not in line and "|" not in line]


COMMANDS = sorted({line for document in GUIDES for line in commands_in(document)})


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path != "CHANGELOG.md"])
def test_a_document_names_only_files_that_exist(document):
    named = {
        path
        for path in PATH.findall(text_of(document))
        if path.split("/")[0] in OURS and not PLACEHOLDER.search(path)
    }
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_relative_link_leads_somewhere(document):
    for link in LINK.findall(text_of(document)):
        path, _, anchor = link.partition("#")
        target = (ROOT / document).parent / path if path else ROOT / document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_documents_can_be_given_as_it_stands(line):
    build_parser().parse_args(shlex.split(line)[1:])


def test_the_documents_have_commands():
    assert len(COMMANDS) > 60


def test_commands_that_need_nothing_run(tmp_path):
    guides = ("docs/how-to/dice-cup.md", "docs/how-to/camera-and-light.md")
    ran = [
        line
        for guide in guides
        for line in commands_in(guide)
        if line.removeprefix("tableside ").startswith(STANDALONE)
    ]
    assert len(ran) == len(STANDALONE)
    for line in ran:
        subprocess.run(
            [sys.executable, "-m", "tableside", *shlex.split(line)[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )


def test_the_examples_in_python_run(capsys):
    page = text_of("docs/how-to/python-library.md")
    examples = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(examples) == 10
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "python-library.md", "exec"), names)
    assert "the opponent holds the 12 point" in capsys.readouterr().out


def test_the_readme_is_short():
    readme = text_of("README.md")
    assert readme.count("\n") <= MOST_README_LINES
    assert len(readme.split()) <= MOST_README_WORDS


def test_pictures_are_small_and_each_is_shown():
    pictures = [Path(path) for path in TRACKED if path.startswith("docs/images/")]
    sizes = {path: (ROOT / path).stat().st_size for path in pictures}
    assert sum(sizes.values()) < MOST_PICTURE_BYTES
    assert sizes[Path("docs/images/play.webp")] < MOST_FILM_BYTES
    shown = " ".join(text_of(document) for document in DOCUMENTS)
    assert [path for path in pictures if f"images/{path.name}" not in shown] == []


@pytest.mark.slow
def test_the_website_is_built_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the docs extra: `make test-long` installs it")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path],
        cwd=ROOT / "docs/site",
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "index.html").exists()
