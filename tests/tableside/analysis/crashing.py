"""An analysis whose engine ends the process at one question, as a fault in native code does."""

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

from tableside.analysis.process import Orders, Worker
from tableside.analysis.store import AnswerStore
from tableside.record.store import Store
from webui.contracts.analysis import JudgedEvent

CRASHES_AT = 5


def judge(question) -> JudgedEvent:
    if question.turn == CRASHES_AT:
        os.kill(os.getpid(), signal.SIGKILL)
    return {
        "event": question.event, "game": question.game, "turn": question.turn,
        "player": question.player.value, "luck": None, "chances": None, "decisions": [],
    }  # fmt: skip


def run(record):
    path = Path(record)
    with closing(Store.open_read_only(path)) as store, AnswerStore(path, "test 1") as answers:
        worker, orders = Worker(judge, store, answers), Orders()
        for line in sys.stdin:
            orders.take(line)
            while worker.step(orders):
                pass
