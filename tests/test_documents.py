"""What the documents name is there: files, folders and links."""

import re
import subprocess

import pytest

from tests.paths import ROOT

PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
PLACEHOLDER = re.compile(r"/[A-Z]+/")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
TRACKED = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
).stdout.split()
OURS = {path.split("/")[0] for path in TRACKED if "/" in path}
DOCUMENTS = [path for path in TRACKED if path.endswith(".md") and not path.startswith("tests/")]


@pytest.mark.skipif(not TRACKED, reason="git does not list the files here")
@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path != "CHANGELOG.md"])
def test_a_document_names_only_files_that_exist(document):
    text = (ROOT / document).read_text("utf-8")
    named = {
        path
        for path in PATH.findall(text)
        if path.split("/")[0] in OURS and not PLACEHOLDER.search(path)
    }
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    links = {(ROOT / document).parent / link for link in LINK.findall(text)}
    assert [str(link) for link in sorted(links) if not link.exists()] == []
