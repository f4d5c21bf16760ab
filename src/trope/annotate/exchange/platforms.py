"""Files of Prolific and Mechanical Turk around work that is done in trope.

Before the work: the question of a HIT, which sends workers here and takes their code back. After
the work: the list of submissions that the platform gives out is compared with what trope knows, and
becomes the files that it takes in, to approve, to reject and to pay bonuses.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from pathlib import Path
from typing import Literal

from trope.annotate.exchange.files import csv_lines
from trope.annotate.exchange.records import RECORD_LIMIT
from trope.core.errors import BadInput, BadRecord
from trope.corpora.tables import read_rows

PLATFORMS = ("prolific", "mturk")
Verdict = Literal["approve", "reject", "review", "done"]

_SUBMISSION = {"prolific": "Submission id", "mturk": "AssignmentId"}
_WORKER = {"prolific": "Participant id", "mturk": "WorkerId"}
_STATUS = {"prolific": "Status", "mturk": "AssignmentStatus"}
_WAITING = {"prolific": "awaiting review", "mturk": "submitted"}
_CODES = {
    "prolific": ("Completion code", "Entered code"),
    "mturk": ("Answer.code", "Answer.surveycode"),
}
_NO_CODE = ("", "nocode")


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """What trope knows about a worker; `code` is empty until they have finished."""

    state: str
    code: str
    reason: str
    earned: Decimal


@dataclass(frozen=True, slots=True)
class Submission:
    """A row of the platform's list, and what follows from it.

    `done` was decided on the platform before; `review` is left to the owner, and `why` says why.
    """

    id: str
    worker: str
    code: str
    is_waiting: bool
    row: Mapping[str, str]
    verdict: Verdict = "review"
    why: str = ""
    bonus: Decimal = Decimal(0)


def read_submissions(path: Path) -> tuple[str, list[Submission]]:
    """The platform that wrote a list, and its submissions.

    Raises:
        BadInput: for a table that no platform wrote.
        BadRecord: for a row without an id, or with one that another row has.
    """
    platform, found, seen = "", [], set()
    for line, row in read_rows(path, format="csv", limit=RECORD_LIMIT):
        platform = platform or _platform(row, path)
        number, worker = row[_SUBMISSION[platform]].strip(), row[_WORKER[platform]].strip()
        if not number or not worker:
            raise BadRecord(path, line, "has no id; download the list again")
        if number in seen:
            raise BadRecord(path, line, f"has the id {number!r} of another row; remove one of them")
        seen.add(number)
        names = {name.lower(): name for name in row}
        code = next((row[names[c.lower()]] for c in _CODES[platform] if c.lower() in names), "")
        waits = row.get(_STATUS[platform], "").strip().lower() == _WAITING[platform]
        found.append(Submission(number, worker, code.strip(), waits, row))
    if not found:
        raise BadInput(f"{path}: has no submissions; download the list of your study or batch")
    return platform, found


def _platform(row: Mapping[str, str], path: Path) -> str:
    for platform in PLATFORMS:
        if {_SUBMISSION[platform], _WORKER[platform]} <= row.keys():
            return platform
    wanted = " or ".join(f"{_SUBMISSION[one]!r} and {_WORKER[one]!r}" for one in PLATFORMS)
    raise BadInput(f"{path}: is no list of submissions; it needs the columns {wanted}")


def settle(
    submissions: Sequence[Submission],
    workers: Mapping[str, WorkerRecord],
    reward: Decimal | None = None,
) -> list[Submission]:
    """The submissions with their verdicts.

    Approved is whoever has finished and gives their code, once; rejected whoever the owner has
    dismissed; everything else is left to the owner, since a rejection harms a worker. With a
    `reward`, which the platform pays for each submission, what was earned beyond it is a bonus.
    """
    paid: set[str] = set()
    settled = []
    for one in submissions:
        worker = workers.get(one.worker)
        verdict, why = _verdict(one, worker, is_second=one.worker in paid)
        bonus = Decimal(0)
        if verdict == "approve" or (verdict == "done" and not why):
            paid.add(one.worker)
            if worker is not None and reward is not None:
                bonus = max(worker.earned - reward, Decimal(0))
        if verdict == "done":
            why = ""
        settled.append(replace(one, verdict=verdict, why=why, bonus=bonus))
    return settled


def _verdict(
    one: Submission, worker: WorkerRecord | None, *, is_second: bool
) -> tuple[Verdict, str]:
    """What follows from a submission, and why if it is not approved."""
    why = _doubt(one, worker, is_second=is_second)
    if not one.is_waiting:
        return "done", why
    if worker is not None and worker.state == "dismissed":
        return "reject", worker.reason or "Your work did not follow the guidelines."
    return ("review", why) if why else ("approve", "")


def _doubt(one: Submission, worker: WorkerRecord | None, *, is_second: bool) -> str:
    if worker is None:
        return "nobody with this id has come to trope"
    if worker.state != "active":
        return f"is {worker.state}; has earned {worker.earned}"
    if not worker.code:
        return f"has not finished; has earned {worker.earned}"
    if one.code.lower() in _NO_CODE:
        return "gave no completion code"
    if one.code != worker.code:
        return "gave another completion code than theirs"
    return "has another submission that is approved" if is_second else ""


def settlement_files(platform: str, settled: Sequence[Submission]) -> dict[str, Iterator[str]]:
    """The lines of each file by its name: those that the platform takes in, and `review.csv`."""
    review = [one for one in settled if one.verdict == "review"]
    bonuses = [one for one in settled if one.bonus > 0]
    made = _FILES[platform](settled, bonuses)
    head = ("submission", "worker", "why")
    rows = ({"submission": one.id, "worker": one.worker, "why": one.why} for one in review)
    return made | ({"review.csv": csv_lines(head, rows)} if review else {})


def _prolific_files(
    settled: Sequence[Submission], bonuses: Sequence[Submission]
) -> dict[str, Iterator[str]]:
    """Ids of submissions, one a line; reasons beside those to reject, since each is sent to a
    person; `participant,amount` for bonuses, without a header."""
    by_verdict = {name: [one for one in settled if one.verdict == name] for name in _LISTED}
    made: dict[str, Iterator[str]] = {}
    if approved := by_verdict["approve"]:
        made["approve.csv"] = (f"{one.id}\n" for one in approved)
    if rejected := by_verdict["reject"]:
        rows = ({"submission": one.id, "reason": one.why} for one in rejected)
        made["reject.csv"] = csv_lines(("submission", "reason"), rows)
    if bonuses:
        made["bonus.csv"] = (f"{one.worker},{one.bonus:.2f}\n" for one in bonuses)
    return made


_LISTED = ("approve", "reject")


def _mturk_files(
    settled: Sequence[Submission], bonuses: Sequence[Submission]
) -> dict[str, Iterator[str]]:
    """The list as it came, with an x or a reason in its last columns; bonuses with what the
    command `aws mturk send-bonus` asks for."""
    head = [name for name in settled[0].row if name not in ("Approve", "Reject")]
    rows = (
        {name: one.row.get(name) for name in head}
        | {
            "Approve": "x" if one.verdict == "approve" else None,
            "Reject": one.why if one.verdict == "reject" else None,
        }
        for one in settled
    )
    made = {"results.csv": csv_lines([*head, "Approve", "Reject"], rows, safe=False)}
    if bonuses:
        names = ("WorkerId", "AssignmentId", "BonusAmount", "Reason", "UniqueRequestToken")
        values = (
            (one.worker, one.id, f"{one.bonus:.2f}", "For all that you judged", f"bonus-{one.id}")
            for one in bonuses
        )
        paid = (dict(zip(names, row, strict=True)) for row in values)
        made["bonus.csv"] = csv_lines(names, paid, safe=False)
    return made


_FILES: dict[
    str, Callable[[Sequence[Submission], Sequence[Submission]], dict[str, Iterator[str]]]
] = {"prolific": _prolific_files, "mturk": _mturk_files}


def read_amount(text: str) -> Decimal:
    """An amount of money that somebody typed."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise BadInput(f"{text[:20]!r} is not an amount; write it as 1.50")
    return amount


def describe_settlement(platform: str, settled: Sequence[Submission], currency: str) -> str:
    """The verdicts and bonuses in words."""
    counts = Counter(one.verdict for one in settled)
    named: tuple[tuple[Verdict, str], ...] = (
        ("approve", "to approve"),
        ("reject", "to reject"),
        ("review", "to review"),
        ("done", "decided before"),
    )
    parts = [f"{counts[verdict]} {words}" for verdict, words in named if counts[verdict]]
    if total := sum(one.bonus for one in settled):
        number = sum(one.bonus > 0 for one in settled)
        parts.append(f"{total:.2f} {currency} of bonuses for {number}")
    return f"{platform}: {', '.join(parts)}"


def hit_question(title: str, link: str) -> str:
    """The HTMLQuestion of a HIT whose workers come by the link, which names none."""
    form = (files("trope.annotate.exchange") / "hit_question.xml").read_text("utf-8")
    # what ends an attribute or the section of XML must not be in the title or the link
    return form.replace("{{link}}", html.escape(link)).replace("{{title}}", html.escape(title))
