"""A page's modules, joined into one file, mean what they mean apart."""

from __future__ import annotations

import pytest

from webui.http.js_bundle import STATIC, CannotJoin, join


@pytest.fixture
def modules(tmp_path):
    """A folder of modules: `modules(main="...", other="...")`."""

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_every_script_of_the_page_can_be_joined():
    for path in STATIC.glob("*.js"):
        assert "import {" not in join(path.name)


def test_a_module_comes_once_and_before_those_that_import_it(modules):
    folder = modules(
        main='import { b } from "./b.js";\nimport { c } from "./c.js";\nb(c);\n',
        b='import { c } from "./c.js";\nexport function b() { return c; }\n',
        c="export const c = 1;\n",
    )
    text = join("main.js", folder)
    places = [text.index(f"// {name}.js") for name in ("c", "b", "main")]
    assert places == sorted(places)
    assert text.count("// c.js") == 1


def test_names_that_a_module_does_not_export_stay_its_own(modules, browser):
    folder = modules(
        main='import { two } from "./two.js";\nconst mine = "main";\nreport(two(), mine);\n',
        two='const mine = "two";\nexport const two = () => mine;\n',
    )
    run = "const told = []; new Function('report', arguments[0])((...all) => told.push(...all)); "
    told = browser.execute_script(run + "return told", join("main.js", folder))
    assert told == ["two", "main"]


@pytest.mark.parametrize(
    "text",
    [
        'import all from "./other.js";\n',
        'import * as all from "./other.js";\n',
        'import "./other.js";\n',
        'const other = await import("./other.js");\n',
        "console.log(import.meta.url);\n",
        "export default 1;\n",
        "export let count = 0;\n",
        "await fetch('/');\n",
    ],
)
def test_what_would_mean_something_else_is_refused(modules, text):
    with pytest.raises(CannotJoin, match=r"main\.js"):
        join("main.js", modules(main=text, other="export const x = 1;\n"))


def test_a_circle_of_imports_is_refused(modules):
    one, two = 'import { b } from "./b.js";\n', 'import { a } from "./a.js";\n'
    with pytest.raises(CannotJoin, match=r"a\.js imports itself"):
        join("a.js", modules(a=one, b=two))


@pytest.mark.parametrize("name", ["none.js", "page.css", "..%2Fapp.py"])
def test_only_scripts_of_the_page_are_joined(client, name):
    assert client.get(f"/static/joined/{name}").status_code == 404


def test_a_joined_script_that_has_not_changed_is_not_sent_again(client):
    first = client.get("/static/joined/page.js")
    assert first.mimetype == "text/javascript"
    assert "no-store" not in first.headers["Cache-Control"]
    again = {"If-None-Match": first.headers["ETag"]}
    assert client.get("/static/joined/page.js", headers=again).status_code == 304
