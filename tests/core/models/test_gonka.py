"""Models of the Gonka network: keys, nodes, signatures, failover and clocks, on loopback."""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.cli import app
from cli.doctor import examine
from cli.options import DoctorOptions
from core.models import gonka, gonka_nodes
from core.models.extras import ExtraMissing
from core.models.gonka import GonkaTransport, key_of
from core.models.gonka_nodes import Node, NodesUnknown, SettingsError, nodes_of
from core.models.model_call import ExchangeFailed, Reply, Request, Usage
from core.models.model_client import open_transport
from core.models.model_ids import UnknownModel, check_id, missing_keys
from core.models.models_file import Backend
from core.models.prices import price_of
from core.models.providers import GONKA_KEY
from core.models.redact import redact

pytest.importorskip("gonka_openai", reason="the extra gonka is not installed")
from tests.kit.fake_gonka import FakeGonka, account_of
from tests.kit.fake_openai import answer_by_script

KEY = "5a1f77aa90d28c1f77aa90d21b5b2e66dd77ac0e41f9c3d8021b4f9a1c77e2b0"
OTHER_KEY = "11" * 32
MODEL = "gonka/Qwen/Qwen3-235B-A22B-Instruct-2507-FP8"
ASK = ({"role": "user", "content": "hello there"},)
NODE = "gonka1abcdefgh"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.upper().endswith("_PROXY")]:
        monkeypatch.delenv(name)
    for name in (gonka_nodes.NODES_VARIABLE, gonka_nodes.SOURCE_VARIABLE, gonka.ADDRESS_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(GONKA_KEY, f"0x{KEY}")


def echo(model: str, messages: list[dict[str, str]]) -> str:
    return f"{model} heard {messages[-1]['content']}"


def node(number: int = 0, **fields: Any) -> FakeGonka:
    return FakeGonka(KEY, f"gonka1node000000000{number}", **{"answer": echo, **fields})


def at(*nodes: FakeGonka | str) -> GonkaTransport:
    where = ",".join(n if isinstance(n, str) else n.endpoint for n in nodes)
    return GonkaTransport(Backend(model=MODEL, base_url=where))


def send(transport: GonkaTransport, timeout: float = 60.0, **params: Any) -> Reply:
    request = Request(model=MODEL, messages=ASK, params={"max_tokens": 9, **params})
    return transport.send(request, timeout)


def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"http://127.0.0.1:{listener.getsockname()[1]};{NODE}"


def test_a_request_is_signed_for_the_node_that_gets_it() -> None:
    with node() as one:
        reply = send(at(one), reasoning_effort="low")
        assert reply.text == "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8 heard hello there"
        assert reply.usage.prompt == 2
        assert (reply.cost_usd, reply.price_source) == (None, None)
        (request,) = one.seen
        assert request["model"] == MODEL.removeprefix("gonka/")
        assert request["max_tokens"] == 9
        assert request["reasoning_effort"] == "low"
        (headers,) = one.headers
        assert headers["X-Requester-Address"] == account_of(KEY)
        assert KEY not in str(headers)


@pytest.mark.parametrize(
    "refuse",
    [
        (429, "Transfer Agent capacity reached"),
        (403, "Transfer Agent not allowed"),
        (500, "runtime error"),
        (502, "bad gateway"),
    ],
)
def test_a_node_that_cannot_serve_gives_way_to_the_next(refuse: tuple[int, str]) -> None:
    with node(0, refuse=refuse) as ill, node(1) as well:
        transport = at(nowhere(), ill, well)
        assert send(transport).text
        assert send(transport).text
        assert (len(ill.seen), len(well.seen)) == (1, 2)  # the second begins where it went well


@pytest.mark.parametrize(
    ("refuse", "kind"),
    [
        ((402, "Insufficient balance"), "quota"),
        ((400, "max_tokens is not a number"), "bad_request"),
    ],
)
def test_what_holds_for_all_nodes_is_asked_of_one(refuse: tuple[int, str], kind: str) -> None:
    with node(0, refuse=refuse) as one, node(1) as other:
        with pytest.raises(ExchangeFailed) as failed:
            send(at(one, other))
        assert failed.value.kind == kind
        assert refuse[1] in failed.value.text
        assert not other.seen


def test_where_no_node_serves_all_are_named() -> None:
    with node(0, refuse=(403, "Transfer Agent not allowed")) as one:
        gone = nowhere()
        with pytest.raises(ExchangeFailed) as failed:
            send(at(one, gone))
    assert failed.value.kind == "network"  # may pass; the other one will not
    assert one.url.removeprefix("http://") in failed.value.text
    assert gone.split(";")[0].removeprefix("http://") in failed.value.text


def test_a_node_that_hangs_takes_one_attempt_and_the_next_begins_elsewhere() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, node() as well:
        transport = at(f"http://127.0.0.1:{silent.getsockname()[1]};{NODE}", well)
        began = time.monotonic()
        with pytest.raises(ExchangeFailed) as failed:
            send(transport, timeout=0.5)
        assert failed.value.kind == "timeout"
        assert time.monotonic() - began < 60
        assert send(transport).text


@pytest.mark.parametrize(("ahead", "said"), [(95, "behind"), (-95, "ahead of")])
def test_a_clock_that_is_wrong_is_named(ahead: float, said: str) -> None:
    with node(clock_ahead=ahead) as one, pytest.raises(ExchangeFailed) as failed:
        send(at(one))
    assert failed.value.kind == "clock"
    assert "Request timestamp is" in failed.value.text
    (seconds,) = [int(w) for w in failed.value.text.split() if w in ("94", "95", "96")]
    assert f"the time of the request is {seconds} s {said} the node's clock" in failed.value.text


@pytest.mark.promise("no secret in an output")
@pytest.mark.parametrize("key", ["", "abc", "0x" + "g" * 64, KEY + "0"])
def test_a_key_that_is_none_is_told_without_a_part_of_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(GONKA_KEY, key)
    with pytest.raises(SettingsError, match="64 hexadecimal digits") as wrong:
        key_of(Backend(model=MODEL))
    assert not key or key not in str(wrong.value)
    with pytest.raises(ExchangeFailed) as failed:
        send(at(nowhere()))
    assert failed.value.kind == "authentication"


@pytest.mark.promise("no secret in an output")
def test_the_key_is_hidden_in_every_text() -> None:
    key_of(Backend(model=MODEL))
    assert KEY not in redact(f"a log with 0x{KEY} and {KEY}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"http://n:1;{NODE}", [Node("http://n:1/v1", NODE)]),
        (f" https://n/v1/ ; {NODE} ,,", [Node("https://n/v1", NODE)]),
        (
            f"https://a;{NODE},https://b;{NODE},https://a/v1;{NODE}",
            [Node("https://a/v1", NODE), Node("https://b/v1", NODE)],
        ),
    ],
)
def test_nodes_are_read_in_their_order(text: str, expected: list[Node]) -> None:
    assert nodes_of(Backend(model=MODEL, base_url=text)) == expected


@pytest.mark.parametrize(
    "text",
    ["https://n", "n;gonka1abcdefgh", "ftp://n;gonka1abcdefgh", "http://[;g", "https://n;"],
)
def test_nodes_that_cannot_be_read_are_named(text: str) -> None:
    with pytest.raises(SettingsError, match="URL;ADDRESS"):
        nodes_of(Backend(model=MODEL, base_url=text))
    many = ",".join(f"https://n{n};{NODE}" for n in range(33))
    with pytest.raises(SettingsError, match="at most 32"):
        nodes_of(Backend(model=MODEL, base_url=many))


def listing(
    monkeypatch: pytest.MonkeyPatch, source: FakeGonka, *nodes: FakeGonka | tuple[str, str]
) -> None:
    source.network = [(n.url, n.address) if isinstance(n, FakeGonka) else n for n in nodes]
    monkeypatch.setenv(gonka_nodes.SOURCE_VARIABLE, source.url)


def test_with_a_key_alone_a_node_of_the_network_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with node(0) as source, node(1) as ill, node(2) as well:
        ill.is_ill = True
        listing(monkeypatch, source, ill, well)
        monkeypatch.setattr(gonka_nodes, "SOURCES", (nowhere().split(";")[0], source.url))
        monkeypatch.delenv(gonka_nodes.SOURCE_VARIABLE)
        transport = GonkaTransport(Backend(model=MODEL))
        assert [send(transport).text for _ in range(2)]
        assert (len(source.seen), len(ill.seen), len(well.seen)) == (0, 0, 2)


def test_nodes_that_the_network_does_not_let_serve_are_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"gonka1listed0000{n}" for n in range(4)]
    with node() as source:
        listing(
            monkeypatch, source, *((f"{source.url}/{n}", n) for n in names), ("ftp://n", NODE),
            (source.url, ""),
        )  # fmt: skip
        source.excluded, source.allowed = names[:1], names[:3]
        found = nodes_of(Backend(model=MODEL))
        assert {one.address for one in found} == set(names[1:3])
        source.excluded = source.allowed = None
        assert {one.address for one in nodes_of(Backend(model=MODEL))} == set(names)


def test_named_nodes_go_before_those_that_the_network_lists(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with node(0) as named, node(1) as listed:
        monkeypatch.setenv(gonka_nodes.NODES_VARIABLE, f"http://n;{NODE},{named.endpoint}")
        listing(monkeypatch, listed, listed, named)
        addresses = [one.address for one in nodes_of(Backend(model=MODEL))]
        assert addresses == [NODE, named.address, listed.address]
        monkeypatch.setenv(gonka_nodes.SOURCE_VARIABLE, nowhere().split(";")[0])
        assert [one.address for one in nodes_of(Backend(model=MODEL))] == addresses[:2]


def test_a_list_that_cannot_be_had_is_a_failure_that_may_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with node() as empty:
        for source in (nowhere().split(";")[0], empty.url, f"{empty.url}/nothing", "http://["):
            monkeypatch.setenv(gonka_nodes.SOURCE_VARIABLE, source)
            with pytest.raises(NodesUnknown, match=gonka_nodes.SOURCE_VARIABLE):
                nodes_of(Backend(model=MODEL))
            with pytest.raises(ExchangeFailed) as failed:
                send(GonkaTransport(Backend(model=MODEL)))
            assert (failed.value.kind, failed.value.usage) == ("network", Usage.nothing())


@pytest.mark.promise("what comes from outside is bounded")
def test_a_listed_node_never_leads_to_this_machine_or_its_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = ("127.0.0.1:1", "localhost", "[::1]", "10.0.0.7", "169.254.169.254")
    outside = ("n.example", "8.8.8.8:8000")
    listed = [Node(f"http://{host}/v1", NODE) for host in (*inside, *outside)]
    epoch = {"active_participants": {"participants": [
        {"index": one.address, "inference_url": one.url} for one in listed
    ]}}  # fmt: skip
    answers = iter([epoch, {"params": {}}])
    monkeypatch.setattr(gonka_nodes, "_get", lambda url: next(answers))
    assert gonka_nodes._from_source("https://source") == listed[len(inside) :]


def test_the_library_prints_and_logs_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    level, handlers = logging.getLogger().level, list(logging.getLogger().handlers)
    with node() as one:
        send(at(one))
    assert capfd.readouterr() == ("", "")
    assert (logging.getLogger().level, logging.getLogger().handlers) == (level, handlers)


def test_it_is_known_needs_a_key_alone_and_the_price_of_its_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_id(MODEL)
    with pytest.raises(UnknownModel):
        check_id("gonka/")
    assert isinstance(open_transport(Backend(model=MODEL)), GonkaTransport)
    assert missing_keys(Backend(model=MODEL)) == ()
    monkeypatch.delenv(GONKA_KEY)
    assert missing_keys(Backend(model=MODEL)) == (GONKA_KEY,)
    assert missing_keys(Backend(model=MODEL, key_variable="MINE")) == ("MINE",)
    price = price_of(MODEL)
    assert price is not None
    assert price.source == "like openrouter/qwen/qwen3-235b-a22b-2507"


def test_without_the_extra_the_command_that_installs_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gonka.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissing, match=r"\[gonka\]"):
        check_id(MODEL)
    diagnosed = examine(DoctorOptions(evaluator=MODEL, worker=MODEL), {}, lambda text: None)
    (known,) = [f for f in diagnosed.findings if (f.area, f.name) == ("models", "id")]
    assert known.state == "problem"
    assert "[gonka]" in known.text


def test_the_doctor_asks_a_node_and_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    options = DoctorOptions(evaluator=MODEL, worker=MODEL)
    with node() as one:
        monkeypatch.setenv(gonka_nodes.NODES_VARIABLE, one.endpoint)
        diagnosed = examine(options, {}, lambda text: None)
        by_name = {f.name: f for f in diagnosed.findings if f.area == "models"}
        assert by_name["key"].text == f"set; nodes: {one.url.removeprefix('http://')}"
        assert by_name["decision"].text.startswith("no usable decision")  # the node only echoes
        assert KEY not in diagnosed.model_dump_json()
    monkeypatch.setenv(gonka_nodes.NODES_VARIABLE, "https://n")
    diagnosed = examine(options, {}, lambda text: None)
    (key,) = [f for f in diagnosed.findings if (f.area, f.name) == ("models", "key")]
    assert key.state == "problem"


@pytest.mark.promise("no secret in an output")
def test_a_run_is_played_through_two_nodes_and_its_folder_holds_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    busy = (429, "Transfer Agent capacity reached")
    with node(0, refuse=busy) as ill, node(1, answer=answer_by_script) as well:
        monkeypatch.setenv(gonka_nodes.NODES_VARIABLE, f"{ill.endpoint},{well.endpoint}")
        words = ["--json", "--evaluator", MODEL, "--worker", MODEL]
        done = CliRunner().invoke(app, [*words, "--task", "required_coupon_works"])
    assert done.exit_code == 0, done.output
    results = json.loads(done.stdout)
    totals = results["totals"]
    assert [task["score"] for task in results["tasks"]] == [1.0]
    assert totals["tokens"]["prompt"] + totals["tokens"]["completion"] == well.tokens
    files = [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in done.output
