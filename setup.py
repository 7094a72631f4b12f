"""The README as a package index shows it, which cannot follow links into the repository.

All else about the package is in `pyproject.toml`.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FILES: str = SETTINGS["tool"]["tableside"]["files"].format(version=SETTINGS["project"]["version"])
RELATIVE = re.compile(r"\]\((?!\w+:|#)")

readme = (ROOT / "README.md").read_text("utf-8")
setup(
    long_description=RELATIVE.sub(f"]({FILES}", readme) if FILES else readme,
    long_description_content_type="text/markdown",
)
