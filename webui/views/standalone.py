"""Pages that are self-contained files, rendered outside any request."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webui.i18n.locale import gettext, language, ngettext
from webui.i18n.messages import finalized

if TYPE_CHECKING:
    from jinja2 import Environment


def render_standalone(folder: Path, name: str, **values: object) -> str:
    """Render the template `name` in `folder` in the current language; values are escaped."""
    return _environment(folder).get_template(name).render(language=language(), **values)


@cache
def _environment(folder: Path) -> Environment:
    """Compiles each template of the folder once."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        finalize=finalized,
    )
    translations: Any = environment  # the extension adds a method that the type does not declare
    translations.install_gettext_callables(gettext, ngettext, newstyle=True)
    return environment
