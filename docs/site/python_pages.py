"""A page of the Python API for each module that other programs may want to import."""

import mkdocs_gen_files

MODULES = {
    "engine": ("The game", ["engine"]),
    "match-files": (
        "Match files and position IDs",
        [
            "engine.formats.detect",
            "engine.formats.model.match_file",
            "engine.formats.ids.position_id",
            "engine.formats.ids.xgid",
        ],
    ),
    "study": (
        "Study numbers",
        ["engine.study.match_equity", "engine.study.bear_off"],
    ),
    "dice": ("Statistics of dice", ["engine.fairness.rolls", "engine.fairness.findings"]),
    "vision": (
        "From pictures to observations",
        ["vision.sources.open", "vision.reading.single_image", "vision.reading.reader"],
    ),
    "calibration": ("Profiles", ["calibration.profile", "calibration.pose"]),
    "cup": ("The dice cup's proof", ["hardware.proof"]),
}
for name, (title, modules) in MODULES.items():
    with mkdocs_gen_files.open(f"reference/python/{name}.md", "w") as page:
        page.write("\n\n".join([f"# {title}", *(f"::: {module}" for module in modules)]) + "\n")
