"""The arrows of ARCHITECTURE.md: which package and which folder may import which.

An import counts wherever it is in a file.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "engine": set(),
    "calibration": {"engine"},
    "vision": {"engine", "calibration"},
    "hardware": {"engine"},
    "webui": {"engine"},
    "samples": set(),
    "tableside": {"engine", "calibration", "vision", "hardware", "webui", "samples"},
}


FOLDERS = {
    "engine": (
        *("rules", "evidence", "events", "match", "inference", "dice_sets", "turns", "referee"),
        *("formats/model", "formats/validate", "formats/ids", "formats/mat", "formats/sgf"),
        *("formats/xg", "formats/bgf"),
        *("formats", "fairness", "study", "simulation"),
    ),
    "vision": (
        *("steady", "sources", "board", "dice", "checkers", "reading", "benchmark"),
        *("training/render", "training/scenes", "training/samples", "training/nets"),
        *("training/train", "training/export", "training"),
    ),
    "hardware": ("bluetooth",),
    "webui": ("contracts", "i18n", "views", "http", "streaming", "api/schemas", "api", "pages"),
    "tableside": (
        *("record", "match", "dice", "cup", "review", "site", "analysis", "desk"),
        *("analysis/catalog", "recording"),
        *("recording/archive", "vision_process", "setup", "label"),
        *("hall/migrations/versions", "hall/migrations", "hall"),
        *("bench", "doctor", "commands", "documents"),
    ),
}
"""The folders of each package, lowest first: each may import those before it, and the modules
directly in its package."""
ROOTS = {
    *("engine", "webui", "webui.app", "webui.context", "webui.server"),
    *("tableside.cli", "tableside.__main__"),
}
"""Modules that assemble a package: they may import all of it."""
MOST_ENTRIES = 26


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path.read_text("utf-8")
    for package in ALLOWED
    for path in sorted((ROOT / package).rglob("*.py"))
}


@cache
def imports_in(source: str) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a module at any depth, parsed once for all tests."""
    nodes = ast.walk(ast.parse(source))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_names(source: str, name: str, modules: set[str]) -> Iterator[str]:
    """The modules that `source` imports at any depth, for types as well; `name` is its own."""
    for node in imports_in(source):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{name} imports relatively in line {node.lineno}"
            # `from package import module` names a module; `from module import thing` does not.
            found = [
                f"{node.module}.{alias.name}"
                if f"{node.module}.{alias.name}" in modules
                else node.module or ""
                for alias in node.names
            ]
        yield from found


def imported(source: str, name: str, modules: set[str]) -> Iterator[str]:
    """Those of them that are our modules, without itself."""
    names = imported_names(source, name, modules)
    return (one for one in names if one.split(".")[0] in ALLOWED and one != name)


def package_of(name: str) -> str:
    """The package of a module; the tests in `tests/vision` belong to `vision`."""
    parts = name.split(".")
    return parts[1] if parts[0] == "tests" and len(parts) > 1 else parts[0]


def wrong_arrows(sources: dict[str, str]) -> list[str]:
    return sorted(
        f"{name} -> {target}"
        for name, source in sources.items()
        for target in imported(source, name, set(sources))
        if (own := name.split(".")[0]) != (other := target.split(".")[0])
        and other not in ALLOWED[own]
    )


def folder_of(name: str) -> str:
    """The folder of a module within its package; empty for a module directly in it."""
    path = Path(*name.split("."))
    inside = path if (ROOT / path).is_dir() else path.parent
    return "/".join(inside.parts[1:])


def wrong_folders(sources: dict[str, str]) -> list[str]:
    """Imports within a package that go to a higher folder."""
    wrong = []
    for name, source in sources.items():
        package = name.split(".")[0]
        rank = {folder: n for n, folder in enumerate(("", *FOLDERS.get(package, ())))}
        for target in imported(source, name, set(sources)):
            if target.split(".")[0] != package or name in ROOTS or target in ROOTS - {package}:
                continue
            if rank[folder_of(target)] > rank[folder_of(name)]:
                wrong.append(f"{name} -> {target}")
    return sorted(wrong)


def find_cycle(sources: dict[str, str]) -> list[str]:
    graph = {name: set(imported(text, name, set(sources))) for name, text in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_package_is_checked():
    assert {name.split(".")[0] for name in SOURCES} == set(ALLOWED)


def test_no_import_goes_against_the_layers():
    assert wrong_arrows(SOURCES) == []


def test_no_import_goes_to_a_higher_folder():
    assert wrong_folders(SOURCES) == []


def test_the_record_knows_nothing_of_the_page():
    record = {name: text for name, text in SOURCES.items() if name.startswith("tableside.record.")}
    targets = {one for name, text in record.items() for one in imported(text, name, set(SOURCES))}
    assert {one for one in targets if one.startswith("webui")} == set()


def test_every_folder_has_a_docstring():
    for name, source in SOURCES.items():
        if (ROOT / Path(*name.split("."))).is_dir():
            assert ast.get_docstring(ast.parse(source)), name


def test_no_package_is_a_heap():
    for package in ALLOWED:
        # py.typed has to be there for type checkers and is nothing to read.
        ignored = {"__pycache__", "py.typed"}
        entries = [e for e in (ROOT / package).iterdir() if e.name not in ignored]
        assert len(entries) <= MOST_ENTRIES, package


def test_tests_import_no_package_above_the_one_they_test():
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        name, package = module_name(path), path.relative_to(ROOT / "tests").parts[0]
        if package == "e2e":
            continue
        higher = set(ALLOWED) - ALLOWED.get(package, {"engine"}) - {package}
        targets = imported_names(path.read_text("utf-8"), name, set(SOURCES))
        wrong += [f"{name} -> {target}" for target in targets if package_of(target) in higher]
    assert wrong == []


def test_no_imports_run_in_a_circle():
    assert find_cycle(SOURCES) == []


def test_every_import_of_ours_leads_to_a_module_that_is_there():
    names = set(SOURCES)
    missing = [
        f"{name} -> {target}"
        for name, source in SOURCES.items()
        for target in imported(source, name, names)
        if target not in names
    ]
    assert missing == []


@pytest.mark.parametrize(
    "source",
    [
        "import vision.sources.open",
        "from vision import source",
        "def f():\n    from vision.sources.open import Frame",
        "if TYPE_CHECKING:\n    import vision.sources.open",
    ],
)
def test_an_import_upward_is_found_at_any_depth(source):
    sources = {"engine.play": source, "vision": "", "vision.sources.open": ""}
    assert wrong_arrows(sources)[0].startswith("engine.play -> vision")


def test_an_import_of_a_higher_folder_is_found():
    sources = {
        "engine.rules.legal": "from engine.referee import manual",
        "engine.referee.manual": "",
    }
    assert wrong_folders(sources) == ["engine.rules.legal -> engine.referee.manual"]


def test_a_circle_is_found():
    sources = {
        "engine.a": "import engine.b",
        "engine.b": "def f():\n    from engine.c import g",
        "engine.c": "from engine import a",
    }
    assert set(find_cycle(sources)) == set(sources)
