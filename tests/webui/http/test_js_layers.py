"""The arrows among the folders of static/: a view imports only from itself and from shared/."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter

import pytest

from webui.http.js_bundle import STATIC, imports_of

SHARED = "shared"
MODULES = {
    path.relative_to(STATIC).as_posix(): path.read_text("utf-8") for path in STATIC.rglob("*.js")
}


def wrong_imports(modules):
    return [
        f"{name} -> {target}"
        for name, text in modules.items()
        for target in imports_of(name, text)
        if target.split("/")[0] not in {name.split("/")[0], SHARED}
    ]


def test_no_view_imports_from_another_and_nothing_shared_from_a_view():
    assert wrong_imports(MODULES) == []


@pytest.mark.parametrize("name", ["desk/main.js", "shared/dom.js"])
def test_an_import_from_another_view_is_found(name):
    modules = {name: 'import { Replay } from "../review/main.js";\n'}
    assert wrong_imports(modules) == [f"{name} -> review/main.js"]


def test_no_imports_run_in_a_circle_and_each_leads_to_a_module():
    graph = {name: imports_of(name, text) for name, text in MODULES.items()}
    TopologicalSorter(graph).prepare()
    assert {target for targets in graph.values() for target in targets} <= MODULES.keys()


def imported_names(name, text):
    """What a module imports: {(the other module, the name)}."""
    lists = re.findall(r"^import \{ (.*) \}", text, re.MULTILINE)
    pairs = zip(imports_of(name, text), lists, strict=True)
    return {(target, export) for target, exports in pairs for export in exports.split(", ")}


def test_what_is_exported_is_imported_elsewhere_and_the_other_way_round():
    declared = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
    exported = {(name, one) for name, text in MODULES.items() for one in declared.findall(text)}
    assert set().union(*(imported_names(*module) for module in MODULES.items())) == exported


def test_what_is_imported_is_used():
    unused = [
        f"{name}: {export}"
        for name, text in MODULES.items()
        for _, export in imported_names(name, text)
        if len(re.findall(rf"(?<!\w){re.escape(export)}(?!\w)", text)) < 2
    ]
    assert unused == []


def test_no_script_has_a_look_behind_which_older_browsers_cannot_parse():
    assert [name for name, text in MODULES.items() if "(?<=" in text or "(?<!" in text] == []
