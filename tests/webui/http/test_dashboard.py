"""The dashboard for Grafana asks for what /metrics serves."""

import json
import re

from tests.paths import ROOT
from webui.http.metrics import Metrics

DASHBOARD = json.loads((ROOT / "packaging" / "grafana" / "tables.json").read_text("utf-8"))
TARGETS = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
SERIES = re.compile(r"\btableside_\w+")


def served():
    metrics = Metrics()
    metrics.events.labels("illegal")
    return {
        line.split("{")[0].split()[0]
        for line in metrics.text().decode().splitlines()
        if not line.startswith("#")
    }


def test_every_series_of_the_dashboard_is_served():
    wanted = {name for target in TARGETS for name in SERIES.findall(target)}
    assert wanted
    assert wanted - served() == set()


def test_every_metric_that_is_served_is_on_the_dashboard():
    shown = " ".join(TARGETS)
    kinds = {re.sub(r"_(total|bucket|sum|count|created)$", "", name) for name in served()}
    assert {name for name in kinds if name not in shown} == set()


def test_panels_do_not_overlap():
    places = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & places, panel["title"]
        assert at["x"] + at["w"] <= 24
        places |= cells
