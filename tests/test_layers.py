"""The arrows of ARCHITECTURE.md: who may import whom, wherever in a file the import stands."""

import ast
from collections.abc import Iterator
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


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path.read_text("utf-8")
    for package in ALLOWED
    for path in sorted((ROOT / package).rglob("*.py"))
}


def imported(source: str, name: str, modules: set[str]) -> Iterator[str]:
    """Our modules that `source` imports at any depth, for types as well; `name` is its own."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively in line {node.lineno}"
            # `from package import module` names a module; `from module import thing` does not.
            found = [
                f"{node.module}.{alias.name}"
                if f"{node.module}.{alias.name}" in modules
                else node.module or ""
                for alias in node.names
            ]
        else:
            continue
        yield from (one for one in found if one.split(".")[0] in ALLOWED and one != name)


def wrong_arrows(sources: dict[str, str]) -> list[str]:
    return sorted(
        f"{name} -> {target}"
        for name, source in sources.items()
        for target in imported(source, name, set(sources))
        if (own := name.split(".")[0]) != (other := target.split(".")[0])
        and other not in ALLOWED[own]
    )


def find_cycle(sources: dict[str, str]) -> list[str]:
    graph = {name: set(imported(text, name, set(sources))) for name, text in sources.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_package_is_looked_at():
    assert {name.split(".")[0] for name in SOURCES} == set(ALLOWED)


def test_no_import_goes_against_the_layers():
    assert wrong_arrows(SOURCES) == []


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
def test_an_import_upward_is_found_wherever_it_stands(source):
    sources = {"engine.play": source, "vision": "", "vision.sources.open": ""}
    assert wrong_arrows(sources)[0].startswith("engine.play -> vision")


def test_a_circle_is_found():
    sources = {
        "engine.a": "import engine.b",
        "engine.b": "def f():\n    from engine.c import g",
        "engine.c": "from engine import a",
    }
    assert set(find_cycle(sources)) == set(sources)
