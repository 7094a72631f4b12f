"""The dashboards for Grafana ask for what /metrics serves."""

import json
import re

import pytest

from tableside.hall.boards import Boards
from tableside.hall.store import HallStore
from tests.paths import ROOT
from webui.http.metrics import Metrics

SERIES = re.compile(r"\btableside_\w+")


@pytest.fixture(params=["tables", "hall"])
def dashboard(request):
    path = ROOT / "packaging" / "grafana" / f"{request.param}.json"
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def targets(dashboard):
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


@pytest.fixture
def served(dashboard, tmp_path):
    metrics = Metrics()
    metrics.events.labels("illegal")
    if dashboard["uid"] == "tableside-hall":
        metrics.show_hall(Boards(HallStore.open(str(tmp_path / "hall.sqlite"))))
    return {
        line.split("{")[0].split()[0]
        for line in metrics.text().decode().splitlines()
        if not line.startswith("#")
    }


def test_every_series_of_the_dashboard_is_served(targets, served):
    wanted = {name for target in targets for name in SERIES.findall(target)}
    assert wanted
    assert wanted - served == set()


def test_every_metric_that_is_served_is_on_the_dashboard(targets, served):
    shown = " ".join(targets)
    kinds = {re.sub(r"_(total|bucket|sum|count|created)$", "", name) for name in served}
    assert {name for name in kinds if name not in shown} == set()


def test_panels_do_not_overlap(dashboard):
    places = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & places, panel["title"]
        assert at["x"] + at["w"] <= 24
        places |= cells
