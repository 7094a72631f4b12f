"""A page's modules mean the same when bundled into one file as they do apart."""

from __future__ import annotations

import pytest

from webui.http.js_bundle import STATIC, CannotJoin, join


@pytest.fixture
def modules(tmp_path):
    """A folder of modules: `modules(main="...", other="...")`; `a__b` lies in the folder `a`."""

    def write(**texts):
        for name, text in texts.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_every_module_of_the_pages_can_be_bundled():
    for path in STATIC.rglob("*.js"):
        assert "import {" not in join(path.relative_to(STATIC).as_posix())


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


def test_comments_on_lines_of_their_own_are_left_out(modules):
    module = '// Why.\nconst a = "// no comment"; // stays\n  /** What. */\nreport(a);\n'
    text = join("main.js", modules(main=module))
    assert 'const a = "// no comment"; // stays\nreport(a);\n' in text
    assert "Why" not in text
    assert "What" not in text


def test_a_module_is_the_same_one_from_whichever_folder_it_is_imported(modules):
    folder = modules(
        view__main='import { a } from "../shared/a.js";\nimport { b } from "./b.js";\na(b);\n',
        view__b='import { c } from "../shared/c.js";\nexport const b = c;\n',
        shared__a='import { c } from "./c.js";\nexport const a = () => c;\n',
        shared__c="export const c = 1;\n",
    )
    text = join("view/main.js", folder)
    names = ("shared/c", "shared/a", "view/b", "view/main")
    assert sorted(names, key=lambda name: text.index(f"// {name}.js")) == list(names)
    assert text.count("// shared/c.js") == 1
    assert text.count("const { c } = $shared$c;") == 2


def test_names_that_a_module_does_not_export_stay_its_own(modules, browser):
    folder = modules(
        main='import { two } from "./two.js";\nconst mine = "main";\nreport(two(), mine);\n',
        two='const mine = "two";\nexport const two = () => mine;\n',
    )
    run = "const seen = []; new Function('report', arguments[0])((...all) => seen.push(...all)); "
    reported = browser.execute_script(run + "return seen", join("main.js", folder))
    assert reported == ["two", "main"]


@pytest.mark.parametrize(
    "text",
    [
        'import all from "./other.js";\n',
        "report(`one\n// line`);\n",
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


@pytest.mark.parametrize(
    "name", ["none.js", "main.js", "shared/page.css", "live/../../app.py", "..%2F"]
)
def test_only_modules_of_the_pages_are_bundled(client, name):
    assert client.get(f"/static/joined/{name}").status_code == 404


def test_a_bundle_that_has_not_changed_is_not_sent_again(client):
    first = client.get("/static/joined/live/main.js")
    assert first.mimetype == "text/javascript"
    assert "no-store" not in first.headers["Cache-Control"]
    again = {"If-None-Match": first.headers["ETag"]}
    assert client.get("/static/joined/live/main.js", headers=again).status_code == 304
