"""`tableside hall`: the tables of a tournament on one page, their results, and who calls."""

from __future__ import annotations

import os
import threading
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from contextlib import ExitStack, closing
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tableside.commands import COMMANDS
from tableside.commands.options import (
    Subparsers,
    broker_options,
    command,
    page_network,
    page_options,
)
from tableside.console import say
from tableside.errors import StoreError, WrongUsage
from tableside.paths import data_folder

if TYPE_CHECKING:
    from tableside.hall.boards import Boards
    from tableside.hall.nearby_tables import NearbyTables
    from tableside.hall.store import HallStore

_EXAMPLES: Final = (
    "tableside hall --broker mqtt://localhost\n"
    "tableside hall --broker mqtts://hall@hall.local --store postgresql://hall@localhost/hall "
    "--host 0.0.0.0\n"
    "tableside hall --announce --host 0.0.0.0\n"
    "tableside hall --nearby --trust 192.168.1.21 --trust 192.168.1.22\n"
    "tableside hall --import 7=table7/record.sqlite\n"
    "tableside hall --results results.csv"
)


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside hall` and its options."""
    parser = command(
        subparsers,
        "hall",
        COMMANDS["hall"],
        _EXAMPLES,
        "Tables take part with `tableside live --hall URL --table NAME`. Needs the extra `hall`.",
    )
    group = parser.add_argument_group("hall")
    broker_options(group, "--broker")
    group.add_argument(
        "--announce",
        action="store_true",
        help="let tables on this network find the broker with --hall mdns://; without --broker, "
        "the hall starts one of its own, open to everybody on the network (needs Mosquitto)",
    )
    group.add_argument(
        "--nearby",
        action="store_true",
        help="without a broker: show the tables on this network that run with --announce, as their "
        "viewers see them",
    )
    group.add_argument(
        "--trust",
        metavar="ADDRESS",
        type=_network,
        action="append",
        default=[],
        help="with --nearby: the address of a table, or a network such as 192.168.1.0/24, that may "
        "be sent the password in TABLESIDE_HALL_PASSWORD, which is that of the tables' viewers; "
        "may be repeated. Nobody else is: whoever likes can announce a table",
    )
    group.add_argument(
        "--store",
        metavar="FILE|URL",
        help="store of the hall: a file or postgresql://...; default: hall.sqlite in your data "
        "folder",
    )
    group.add_argument(
        "--webhook",
        metavar="URL",
        action="append",
        default=[],
        help="send results, disputes and calls for the referee there, signed with the secret in "
        "TABLESIDE_WEBHOOK_SECRET; may be repeated",
    )
    files = parser.add_argument_group("files, instead of a page")
    files.add_argument(
        "--import",
        dest="records",
        metavar="TABLE=FILE",
        type=_table_record,
        action="append",
        default=[],
        help="take the matches of a record into the store, as if that table had sent them; may be "
        "repeated",
    )
    files.add_argument(
        "--results", type=Path, metavar="FILE", help="write every result: *.csv or *.json"
    )
    page_options(parser)


def _table_record(text: str) -> tuple[str, Path]:
    table, _, path = text.partition("=")
    if not table or not path:
        raise ArgumentTypeError(f"{text!r} is not TABLE=FILE")
    return table, Path(path)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise ArgumentTypeError(
            f"{text!r} is neither an address such as 192.168.1.21 nor a network"
        ) from error


def run(args: Namespace) -> int:
    """Serve the hall until stopped, or only read and write files."""
    from tableside.hall.broker import PASSWORD

    has_broker = args.broker is not None or args.announce
    is_served = has_broker or args.nearby
    if args.nearby and (has_broker or args.webhook):
        raise WrongUsage("--nearby only shows boards: what else a hall does needs --broker instead")
    if args.trust and not (args.nearby and os.environ.get(PASSWORD)):
        raise WrongUsage(f"--trust needs --nearby, and the viewers' password in {PASSWORD}")
    if not is_served and not args.records and args.results is None:
        raise WrongUsage(
            "hall needs --broker URL, or --announce to start a broker of its own, or --nearby, or "
            "--import or --results"
        )
    if args.delay:
        raise WrongUsage("--delay is a table's: a hall shows its tables at once")
    if args.webhook and not os.environ.get("TABLESIDE_WEBHOOK_SECRET"):
        raise WrongUsage("--webhook needs a secret in TABLESIDE_WEBHOOK_SECRET")
    store = _open_store(args)
    with closing(store):
        for table, path in args.records:
            _import_record(store, table, path)
        if args.results is not None:
            _write_results(store, args.results)
        if is_served:
            _serve(args, store)
    return 0


def _open_store(args: Namespace) -> HallStore:
    try:
        from tableside.hall.store import HallStore
    except ModuleNotFoundError as error:
        from tableside.hall.broker import NEEDS_EXTRA

        raise WrongUsage(NEEDS_EXTRA) from error
    from tableside.hall.webhooks import check_address

    webhooks = [check_address(one) for one in dict.fromkeys(args.webhook)]
    return HallStore.open(args.store or str(data_folder() / "hall.sqlite"), webhooks)


def _import_record(store: HallStore, table: str, path: Path) -> None:
    from tableside.hall.messages import match_key
    from tableside.hall.outbox import event_message, match_named
    from tableside.hall.store import same_event
    from tableside.record.store import Store

    with Store.open_read_only(path) as record:
        for entry in record.matches():
            if entry.is_added:  # it was not played at the table
                continue
            named, key = match_named(entry), match_key(entry.id, entry.begun)
            named["edition"] = store.edition(table, key)
            events = record.events(entry.id)
            messages = [event_message(named, *one) for one in enumerate(events, start=1)]
            pairs = zip(messages, store.events(table, key), strict=False)
            others = (one["number"] for one, held in pairs if not same_event(one["event"], held))
            other = next(others, None)
            if other is not None:
                say(
                    f"{path}, match {entry.id}: the hall has another record of it from event "
                    f"{other} on; it was not imported"
                )
                continue
            # A match that is closed, or was left long ago, is not in play.
            last = entry.begun + events[-1].time if entry.is_open and events else 0.0
            heard = min(last, store.now)
            added = store.add(((table, message) for message in messages), heard)
            say(f"{path}, match {entry.id}: {added.stored} of {entry.events} events are new")


def _write_results(store: HallStore, path: Path) -> None:
    import json

    from tableside.hall.results import results_csv
    from tableside.record.files import replace_file

    rows = store.results()
    if path.suffix not in (".csv", ".json"):
        raise StoreError(f"{path}: results are written as .csv or .json")
    is_csv = path.suffix == ".csv"
    text = results_csv(rows) if is_csv else json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    say(f"wrote {replace_file(path, text)}: {len(rows)} matches")


def _serve(args: Namespace, store: HallStore) -> None:
    from tableside.hall.boards import Boards
    from tableside.hall.indexer import Indexer
    from tableside.site.serve import Site, ended_by_signals, page_of
    from tableside.site.state_hub import StateHub

    network, stopped = page_network(args), threading.Event()
    boards = Boards(store, is_nearby=args.nearby)
    site = Site(
        StateHub(),
        network,
        hall=boards,
        has_table=False,
        name="the hall",
        port=args.port,
        opens_browser=not args.no_browser,
    )
    with ExitStack() as stack:
        stack.enter_context(closing(Indexer(store, boards.set_trouble)))
        if args.nearby:
            stack.enter_context(closing(_nearby(boards, args.trust)))
        else:
            _listen(args, store, boards, stack)
        stack.enter_context(page_of(site))
        stack.enter_context(ended_by_signals(stopped.set))
        print("press Ctrl-C to stop", flush=True)
        stopped.wait()


def _nearby(boards: Boards, trusted: Sequence[IPv4Network | IPv6Network]) -> NearbyTables:
    """What shows the tables of the network."""
    try:
        from tableside.hall.nearby_tables import NearbyTables
    except ModuleNotFoundError as error:
        from tableside.hall.broker import NEEDS_EXTRA

        raise WrongUsage(NEEDS_EXTRA) from error

    from tableside.hall.broker import PASSWORD

    return NearbyTables(boards, os.environ.get(PASSWORD, ""), trusted)


def _listen(args: Namespace, store: HallStore, boards: Boards, stack: ExitStack) -> None:
    """Take what the tables send to a broker until `stack` is left."""
    from tableside.hall.broker import find_broker
    from tableside.hall.own_broker import own_broker
    from tableside.hall.subscriber import Subscriber
    from tableside.hall.webhooks import SECRET, Deliverer, read_secret

    named = None if args.broker is None else find_broker(args.broker, args.hall_ca)
    broker = named or stack.enter_context(own_broker())
    subscriber = Subscriber(broker, store, boards)
    stack.enter_context(closing(subscriber))
    if args.webhook:
        secret = read_secret(os.environ[SECRET])
        deliverer = stack.enter_context(
            closing(Deliverer(store, secret, set_trouble=boards.set_trouble))
        )
        subscriber.on_notices = deliverer.wake
    if args.announce:
        from tableside.hall.nearby import announced

        found = announced(broker.host, broker.port, is_encrypted=broker.is_encrypted)
        stack.enter_context(found)
        say(f"tables find the broker {broker.name} with --hall mdns://")
