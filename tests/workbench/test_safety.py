"""Who may ask the workbench, and what its pages cannot be made to do."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from benches import TEXT, Bench, bench, start, stop

from ports import free_port

EVIL = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'> strangles </textarea>"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench that others can reach."""
    started = start(tmp_path_factory.mktemp("public"), "--host", "0.0.0.0")
    yield started
    stop(started)


def form(bench: Bench, text: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Paste a text as a browser does."""
    _, told, page = bench.ask("GET", "/")
    token = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    body = f"csrfmiddlewaretoken={token[1].decode()}&text={text}&kind=plain".encode()
    return bench.ask(
        "POST", "/", body,
        Cookie=told["set-cookie"].partition(";")[0],
        Content_Type="application/x-www-form-urlencoded",
        **headers,
    )  # fmt: skip


def test_only_this_machine_can_ask_unless_told_otherwise(bench: Bench) -> None:
    assert bench.link == f"http://127.0.0.1:{bench.port}/"


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1.elsewhere.example", "", "::"])
def test_page_asked_for_by_another_name_is_refused(bench: Bench, host: str) -> None:
    status, _, content = bench.ask("GET", "/api/openapi.json", Host=host)
    assert status == 400
    assert host == "" or json.loads(content)["error"]["code"] == "wrong-host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8200", "[::1]"])
def test_names_of_this_machine_are_known(bench: Bench, host: str) -> None:
    assert bench.ask("GET", "/", Host=host)[0] == 200


@pytest.mark.parametrize("path", ["/", "/t/0123456789abcdef", "/kept", "/api/openapi.json", "/nix"])
def test_every_answer_has_the_headers_that_keep_it_to_itself(bench: Bench, path: str) -> None:
    _, headers, _ = bench.ask("GET", path)
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


def test_form_of_another_site_is_refused(bench: Bench) -> None:
    assert form(bench, "Dogs+bark.")[0] == 302
    assert form(bench, "Dogs+bark.", Origin="http://elsewhere.example")[0] == 403
    kind = "application/x-www-form-urlencoded"
    assert bench.ask("POST", "/", b"text=Dogs", Content_Type=kind)[0] == 403
    assert bench.ask("POST", "/kept/delete", b"", Content_Type=kind)[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://elsewhere.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_call_from_a_page_of_another_site_is_refused(bench: Bench, headers: dict[str, str]) -> None:
    body = json.dumps({"text": TEXT}).encode()
    status, _, content = bench.ask(
        "POST", "/api/analyze", body, Content_Type="application/json", **headers
    )
    assert status == 403
    assert json.loads(content)["error"]["code"] == "wrong-origin"


def test_call_from_our_own_page_is_answered(bench: Bench) -> None:
    status, *_ = bench.ask(
        "POST", "/api/analyze", json.dumps({"text": TEXT}).encode(),
        Content_Type="application/json", Origin=bench.url, Sec_Fetch_Site="same-origin",
    )  # fmt: skip
    assert status == 200


def test_pasted_markup_is_text(bench: Bench) -> None:
    status, headers, _ = form(bench, EVIL.replace("&", "%26"))
    assert status == 302
    _, _, page = bench.ask("GET", headers["location"])
    assert b"<script>window" not in page
    assert b"<img src=x" not in page
    assert b"script" in page
    status, headers, page = form(bench, f"{EVIL}%00")
    assert status == 400
    assert b"<script>window" not in page


@pytest.mark.parametrize(
    "path", ["/static/../settings.py", "/static/%2e%2e/settings.py", "/static/"]
)
def test_no_path_leads_out_of_the_files(bench: Bench, path: str) -> None:
    assert bench.ask("GET", path)[0] == 404


def test_others_need_the_token(public: Bench) -> None:
    for path in ("/", "/kept", "/api/openapi.json", "/t/0123456789abcdef"):
        status, headers, _ = public.ask("GET", path)
        assert status == 401
        assert headers["www-authenticate"] == "Bearer"
    assert public.ask("GET", "/", Authorization="Bearer wrong")[0] == 401
    assert public.ask("GET", "/", Cookie="workbench=wrong")[0] == 401
    assert public.ask("GET", "/enter/wrong")[0] == 401


def test_token_opens_as_header_and_as_link(public: Bench) -> None:
    token = public.link.rpartition("/")[2]
    assert len(token) >= 40
    assert public.ask("GET", "/", Authorization=f"Bearer {token}")[0] == 200
    status, headers, _ = public.ask("GET", f"/enter/{token}")
    assert status == 302
    assert "HttpOnly" in headers["set-cookie"]
    assert token not in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    assert public.ask("GET", "/", Cookie=cookie)[0] == 200


def test_public_workbench_goes_by_its_addresses_alone(public: Bench) -> None:
    token = public.link.rpartition("/")[2]
    open_ = {"Authorization": f"Bearer {token}"}
    assert public.ask("GET", "/", Host="192.0.2.7:8200", **open_)[0] == 200
    assert public.ask("GET", "/", Host="elsewhere.example", **open_)[0] == 400


def test_error_shows_nothing_of_the_inside(tmp_path_factory: pytest.TempPathFactory) -> None:
    broken = (
        "import trope.core.export\n"
        "def fail(*a, **k): raise RuntimeError('secret inside')\n"
        "trope.core.export.to_json = fail"
    )
    started = start(tmp_path_factory.mktemp("broken"), before=broken)
    try:
        status, answer = started.call("analyze", text=TEXT)
        assert (status, answer["error"]["code"]) == (500, "internal")
        assert "secret" not in answer["error"]["message"]
    finally:
        stop(started)


def refusal(*arguments: str, before: str = "") -> str:
    """The one line that `trope serve` says before it ends."""
    command = ["serve", "--no-browser", *arguments]
    code = f"{before}\nfrom trope.cli.main import run\nrun({command!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_port_that_is_taken_is_named(bench: Bench) -> None:
    told = refusal("--port", str(bench.port))
    assert told.startswith(f"trope: cannot serve on 127.0.0.1:{bench.port}")


def test_address_that_is_not_ours_is_named() -> None:
    assert "cannot serve on 192.0.2.1:" in refusal("--host", "192.0.2.1", "--port", "8299")


def test_model_that_there_is_not_is_named() -> None:
    assert "'tiny'" in refusal("--tier", "tiny", "--port", str(free_port()))


@pytest.mark.parametrize("name", ["django", "gunicorn", "whitenoise"])
def test_part_that_is_not_installed_is_named(name: str) -> None:
    missing = (
        "import importlib.util as util\n"
        "found = util.find_spec\n"
        f"util.find_spec = lambda name, *a: None if name == {name!r} else found(name, *a)"
    )
    told = refusal("--port", str(free_port()), before=missing)
    assert f"{name} is not installed" in told
    assert "pip install 'trope[web]'" in told
