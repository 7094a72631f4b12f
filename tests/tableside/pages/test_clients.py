"""Clients that others' tools generate from the API's document, and what they read with them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.tableside.sample_archive import archived
from webui.app import create_app
from webui.pages.dice import install_dice
from webui.pages.matches import install_review
from webui.server import serve

PYTHON = """
import sys
from tableside_client import Client
from tableside_client.api.matches_of_the_record import get_match_events, get_matches
from tableside_client.api.the_referees_desk import post_desk_word
from tableside_client.api.watching import get_state
from tableside_client.models import CommandBody, CommandBodyWord, GameStartEvent, IllegalEvent

client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
state = get_state.sync(client=client)
feed = get_match_events.sync(1, client=client)
first = feed.events[0]
assert isinstance(first, GameStartEvent) and first.players.light == "Ann & Co"
assert any(isinstance(one, IllegalEvent) and one.rule for one in feed.events)
body = CommandBody(word=CommandBodyWord.PAUSE)
done = post_desk_word.sync(client=client, body=body, x_tableside="1")
print(state.players.light, len(get_matches.sync(client=client).matches), done.turns)
"""
SCRIPT = """
import type { paths, components } from "./client";

type Answer<Path extends "/api/state" | "/api/matches/{match}/events"> =
  paths[Path]["get"]["responses"][200]["content"]["application/json"];
type Happened = components["schemas"]["EventList"]["events"][number];

declare const process: { argv: string[] };

function told(event: Happened): string {
  if (event.event === "illegal") return `${event.play}: ${event.rule}`;
  return event.event === "roll" ? event.dice.join("-") : event.event;
}

async function read<Found>(path: string): Promise<Found> {
  return (await fetch(process.argv[2] + path)).json() as Promise<Found>;
}

const state = await read<Answer<"/api/state">>("/api/state");
const feed = await read<Answer<"/api/matches/{match}/events">>("/api/matches/1/events");
console.log(JSON.stringify([state.players.light, feed.events.map(told)]));
"""


@pytest.fixture
def served(table, desk, script, tmp_path):
    script.start_game(table)
    record = archived(tmp_path)
    app = create_app(table, desk=desk)
    install_review(app, record.archive)
    install_dice(app, record.archive.dice)
    server = serve(app, port=0)
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(app.test_client().get("/api/openapi.json").json), "utf-8")
    yield server.url.rstrip("/"), document
    server.close()
    record.close()


def tool(name):
    """Where `make test` installs it, or anywhere else on this machine."""
    own = (str(ROOT / ".venv" / "clients" / folder) for folder in ("bin", "node_modules/.bin"))
    found = shutil.which(name, path=os.pathsep.join((*own, os.environ["PATH"])))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command, cwd):
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_operation_and_every_type_has_one_plain_name(served):
    document = json.loads(served[1].read_text("utf-8"))
    names = [
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
    ]
    assert len(names) == len(set(names))
    assert {"get_state", "get_match_events", "get_turn_still", "post_desk_word"} <= {*names}
    assert all(name.isidentifier() for name in (*names, *document["components"]["schemas"]))


def test_a_generated_python_client_reads_a_match_and_commands_it(served, tmp_path, desk):
    generator = tool("openapi-python-client")
    url, document = served
    made = tmp_path / "python"
    run(generator, "generate", "--path", str(document), "--output-path", str(made), cwd=tmp_path)
    python = Path(generator).with_name("python")
    assert run(str(python), "-c", PYTHON, url, cwd=made).split() == ["Anna", "3", "1"]
    assert len(desk.commands) == 1


def test_a_generated_typescript_client_reads_a_match(served, tmp_path):
    generator, compiler, node = tool("openapi-typescript"), tool("tsc"), tool("node")
    url, document = served
    run(generator, str(document), "-o", "client.ts", cwd=tmp_path)
    (tmp_path / "program.ts").write_text(SCRIPT, "utf-8")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    options = {"target": "es2022", "module": "esnext", "moduleResolution": "bundler"}
    project = {"compilerOptions": {"strict": True, **options}, "files": ["program.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(project), "utf-8")
    run(compiler, cwd=tmp_path)
    name, told = json.loads(run(node, "program.js", url, cwd=tmp_path))
    assert name == "Anna"
    assert told[:2] == ["game_start", "opening"]
