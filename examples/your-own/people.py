"""Scripted people: they judge the items of a project in the annotation service, over HTTP.

Each opens their link in a browser of their own, agrees, reads the guidelines, does the training
and the demo task if there are any, and judges until nothing is left. The examples beside this file
use them in place of real annotators; to work with real ones, send each of them a link instead.

    from people import judge

    def answer(item, person):
        return {"metaphorical": "yes" if "heart" in item.text else "no"}

    judge(Path("run/project"), Path("answers"), answer)
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener


@dataclass
class Item:
    """What the page of an item shows.

    `marked` are the highlighted words, `shown` the texts beside the item, `offered` the values to
    choose from by question (for highlighting, the words of the text).
    """

    text: str = ""
    marked: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    offered: dict[str, list[str]] = field(default_factory=dict)


Answer = Callable[[Item, str], Mapping[str, Any]]
"""The answers of a person to an item: question → a value, or a list of values or words.

Where the answer to a question is left out, what the page has selected stays selected.
"""


def judge(
    project: Path,
    answers: Path,
    answer: Answer,
    *,
    people: int = 3,
    plan: Mapping[str, object] | None = None,
    items: str = "items.jsonl",
) -> Path:
    """Let people judge all items of a project, and export their answers; gives that folder.

    `plan` changes lines of project.toml first, such as {"judgments_per_item": 3}. Where the owner
    selects people by the demo task, all who passed are accepted.
    """
    change_plan(project, plan or {"judgments_per_item": people})
    trope("annotate", "import", project, project / items)
    demo = project / "demo.jsonl"
    has_demo = demo.exists() and demo.stat().st_size > 0
    if has_demo:
        trope("annotate", "import", project, demo, "--demo")
    names = [f"person{number}" for number in range(1, people + 1)]
    with served(project) as (address, owner_link):
        workers = [word for name in names for word in ("--worker", name)]
        links = trope("annotate", "link", project, *workers, "--origin", address).split()
        browsers = [Browser(link) for link in links]
        with ThreadPoolExecutor(people) as at_once:
            list(at_once.map(lambda one, name: one.work(answer, name), browsers, names))
            if any(one.page.path == "/waiting" for one in browsers):
                accept_best(Browser(owner_link), address)
                list(at_once.map(lambda one, name: one.work(answer, name), browsers, names))
        for browser, name in zip(browsers, names, strict=True):
            if "There are no items left" not in browser.page.source:
                raise RuntimeError(f"{name} could not finish: {browser.page.words()}")
    for what in ("judgments", "trials") if has_demo else ("judgments",):
        out = answers / f"{what}.jsonl"
        trope("annotate", "export", project, "--what", what, "--out", out)
    return answers


def trope(*words: object) -> str:
    """What a command of trope prints; the command is shown as one would type it."""
    print("$", shlex.join(["trope", *map(str, words)]), flush=True)
    command = [sys.executable, "-m", "trope", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stdout}{done.stderr}")
    print(done.stdout, end="", flush=True)
    return done.stdout


def change_plan(project: Path, changes: Mapping[str, object]) -> None:
    """Change lines of a plan, as the owner would in an editor."""
    path = project / "project.toml"
    text = path.read_text(encoding="utf-8")
    for key, value in changes.items():
        text, number = re.subn(rf"^{key} = \S+", f"{key} = {value}", text, count=1, flags=re.M)
        if not number:
            raise ValueError(f"{path}: has no line {key!r}")
    path.write_text(text, encoding="utf-8")


@contextmanager
def served(project: Path) -> Iterator[tuple[str, str]]:
    """The service on any free port; gives its address and the owner's link, and ends with it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "trope", "annotate", "serve", str(project)]
    command += ["--port", str(port), "--workers", "1"]
    log = project / "service.log"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=_environment()
        ) as service,
    ):
        try:
            assert service.stdout is not None
            link = service.stdout.readline().split()[-1:]
            address = f"http://127.0.0.1:{port}"
            while not _answers(address):
                if service.poll() is not None:
                    raise RuntimeError(log.read_text(encoding="utf-8"))
                time.sleep(0.05)
            yield address, link[0]
        finally:
            service.terminate()


def _environment() -> dict[str, str]:
    """Without what makes the service write the owner's link to a file."""
    return {key: value for key, value in os.environ.items() if key != "JOURNAL_STREAM"}


def _answers(address: str) -> bool:
    try:
        build_opener().open(address).close()
    except URLError:
        return False
    return True


def accept_best(owner: Browser, address: str) -> None:
    """Accept the best applicants, as the owner does with a button of the page."""
    owner.submit(owner.page.forms[-1], {})
    owner.open(f"{address}/project/applicants")
    for form in owner.page.forms:
        if form.action.endswith("/best"):
            owner.submit(form, {})
            return
    raise RuntimeError(f"nobody can be accepted: {owner.page.words()}")


class Browser:
    """One person's browser: its cookies, and the page that it shows."""

    def __init__(self, link: str) -> None:
        self._opener = build_opener(HTTPCookieProcessor())
        self.open(link)

    def open(self, address: str, form: Mapping[str, Any] | None = None) -> None:
        """Show the page at an address, or the one that follows a form."""
        sent = None if form is None else urlencode(form, doseq=True).encode()
        # as the script of the page: the answer to a judgment is the next item
        request = Request(address, sent, {"X-Trope": "next"})
        try:
            with self._opener.open(request) as answer:
                self.page = Page(answer.url, answer.read().decode())
        except HTTPError as error:
            page = Page(address, error.read().decode())
            raise RuntimeError(f"{address}: {error}: {page.words()}") from None

    def submit(self, form: Form, answers: Mapping[str, Any]) -> None:
        """Fill in a form and send it."""
        self.open(urljoin(self.page.address, form.action), form.filled(answers))

    def work(self, answer: Answer, person: str) -> None:
        """Go on until there is nothing to do."""
        if self.page.path == "/waiting":
            self.open(urljoin(self.page.address, "/way"))
        while self._step(answer, person):
            pass

    def _step(self, answer: Answer, person: str) -> bool:
        form = self.page.item_form
        if form is not None and self.page.path == "/profile":
            self.submit(form, {name: values[:1] for name, values in form.offered().items()})
        elif form is not None:
            self.submit(form, answer(self.page.item(form), person))
        elif self.page.path.startswith("/training/"):  # an item with its known answers
            self.open(urljoin(self.page.address, "/way"))
        elif self.page.forms and self.page.path.startswith(("/outside/", "/guidelines")):
            self.submit(self.page.forms[-1], {})  # "I agree", "I have read this"
        else:
            return False
        return True


@dataclass
class Field:
    """A field of a form; `question` is the kind of the question that it belongs to."""

    name: str
    value: str
    kind: str
    question: str
    checked: bool
    label: str = ""

    @property
    def is_choice(self) -> bool:
        """Whether it can be chosen."""
        return self.kind in ("radio", "checkbox")

    @property
    def choice(self) -> str:
        """What an answer calls it: an option by its value, a word of the text by the word."""
        return self.label if self.question == "spans" else self.value


@dataclass
class Form:
    """A form of a page."""

    action: str
    id: str
    fields: list[Field] = field(default_factory=list)

    def offered(self) -> dict[str, list[str]]:
        """The values to choose from, by question."""
        found: dict[str, list[str]] = {}
        for one in self.fields:
            if one.is_choice:
                found.setdefault(one.name, []).append(one.choice)
        return found

    def filled(self, answers: Mapping[str, Any]) -> dict[str, list[str]]:
        """What the browser sends when these answers are given."""
        sent: dict[str, list[str]] = {}
        for one in self.fields:
            given = answers.get(one.name, one.value)
            chosen = given if isinstance(given, list | tuple) else [given]
            if one.is_choice and one.name not in answers:
                chosen = [one.choice] if one.checked else []
            if not one.is_choice:
                sent.setdefault(one.name, []).append(str(given))
            elif one.choice in map(str, chosen):
                sent.setdefault(one.name, []).append(one.value)
        return sent


class Page(HTMLParser):
    """A page of the service: the forms of its main part, and the text of an item."""

    def __init__(self, address: str, source: str) -> None:
        super().__init__()
        self.address, self.source, self.path = address, source, urlsplit(address).path
        self.forms: list[Form] = []
        self._texts: list[str] = []
        self._marked: list[str] = []
        self._in: list[tuple[str, dict[str, str | None]]] = []
        self.feed(source)

    @property
    def item_form(self) -> Form | None:
        """The form with questions."""
        return next((form for form in self.forms if form.id == "item"), None)

    def item(self, form: Form) -> Item:
        """The item that the page shows."""
        text, *shown = self._texts or [""]
        return Item(text, self._marked, shown, form.offered())

    def words(self) -> str:
        """The page as plain text, for an error message."""
        main = self.source.partition("<main")[2].partition(">")[2]
        return " ".join(re.sub(r"<[^>]*>", " ", main).split())[:400]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and self._inside("main") is not None:
            self.forms.append(Form(given.get("action") or self.address, given.get("id") or ""))
        elif tag == "p" and "text" in (given.get("class") or "").split():
            self._texts.append("")
        elif tag == "mark":
            self._marked.append("")
        elif tag in ("input", "textarea") and self.forms:
            question = (self._inside("fieldset") or {}).get("data-kind") or ""
            kind = given.get("type") or tag
            name, value = given.get("name") or "", given.get("value") or ""
            self.forms[-1].fields.append(Field(name, value, kind, question, "checked" in given))
        if tag not in ("input", "meta", "link", "br"):
            self._in.append((tag, given))

    def handle_endtag(self, tag: str) -> None:
        while self._in and self._in.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        paragraph = self._inside("p")
        if paragraph and paragraph.get("class") == "text" and self._texts:
            self._texts[-1] += data
            if self._inside("mark") is not None:
                self._marked[-1] += data
        elif self._inside("label") is not None and self.forms and self.forms[-1].fields:
            self.forms[-1].fields[-1].label += data

    def _inside(self, tag: str) -> dict[str, str | None] | None:
        """The attributes of the innermost such tag that is open."""
        return next((given for name, given in reversed(self._in) if name == tag), None)
