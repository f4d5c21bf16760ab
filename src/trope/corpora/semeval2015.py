"""SemEval-2015 Task 11: figurative tweets with a score from −5 to 5.

Scores are the organisers', texts were gathered by participants, so that some are missing. The
best text of a tweet is the first of: a tagged file, a plain one, one without its hashtags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from trope.core.errors import BadRecord
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.corpora.tweet_ids import JoinedTweets, ScoredId, ScoredTweet, read_scored_ids, rejoin

SplitName = Literal["train", "trial", "test"]
SPLITS: tuple[SplitName, ...] = ("train", "trial", "test")
FILES: dict[SplitName, str] = {
    "train": "newid_weightedtweetdata.tsv",
    "trial": "testTweetId",
    "test": "tagged-GoldTest.tsv.gz",
}
"""The file that decides which tweets a split has."""

# digits or, of another service, any id before a score: the rest of a text may have a tab, too
_BEGINNING = re.compile(r"(\d+|[\w.:/#-]*\d[\w.:/#-]*(?=\t[+-]?\d+(\.\d+)?\t))\t")
_TRAIN_TEXTS = (("trainingText.gz", 2, 3), ("oldTrainign.gz", 2, 3), ("tagged-train.tsv.gz", 2, 4))
_CUT_TEXTS = ("figurative_clean.tsv.gz", 1, 2)


def read_split(folder: str | Path, split: SplitName) -> JoinedTweets:
    """The tweets of a split with texts and scores, and the ids of those without a text."""
    folder = Path(folder)
    if split == "test":
        texts = dict(read_id_texts(folder / FILES["test"], 2, 4))
        gold = list(read_scored_ids(folder / FILES["test"]))
        return rejoin(gold, texts, integers={row.id: int(row.score) for row in gold})
    texts = _whole_texts(folder)
    cut = dict(read_id_texts(folder / _CUT_TEXTS[0], *_CUT_TEXTS[1:]))
    if split == "trial":
        return rejoin(read_scored_ids(folder / FILES["trial"]), texts, cut=cut)
    return rejoin(
        read_scored_ids(folder / FILES["train"], score_at=2),
        texts,
        integers=read_integers(folder / "weightedtweetdata_int.tsv"),
        cut=cut,
    )


def read_learning_tweets(folder: str | Path) -> tuple[ScoredTweet, ...]:
    """Train and trial together, each tweet once.

    554 trial ids are also train ids, scored by others. The train score is kept for them: it comes
    from the crowd that scored the test set too.
    """
    train = read_split(folder, "train")
    known = {tweet.id for tweet in train.tweets} | set(train.perished)
    trial = read_split(folder, "trial")
    return (*train.tweets, *(tweet for tweet in trial.tweets if tweet.id not in known))


def read_integers(source: Source) -> dict[str, int]:
    """Integer scores by id.

    Raises:
        BadRecord: also for a score that is no integer.
    """
    return {row.id: whole_number(row, source_name(source)) for row in read_scored_ids(source)}


def whole_number(row: ScoredId, name: str) -> int:
    """The score of a row that must be an integer."""
    if row.score != int(row.score):
        raise BadRecord(name, row.line, f"score {row.score} is not an integer; round it first")
    return int(row.score)


def read_id_texts(source: Source, text_at: int, columns: int) -> Iterator[tuple[str, str]]:
    """Ids and texts of a table whose texts may run over several lines.

    A line that does not begin with an id belongs to the text before it; the two characters that
    some files write for a line break are one again.
    """
    name = source_name(source)
    begun = ""
    first = 1
    for number, line in numbered_lines(source):
        if _BEGINNING.match(line):
            if begun:
                yield _id_text(begun, text_at, columns, name, first)
            begun, first = line, number
        elif begun and line:
            begun += "\n" + line
    if begun:
        yield _id_text(begun, text_at, columns, name, first)


def _id_text(row: str, text_at: int, columns: int, name: str, line: int) -> tuple[str, str]:
    cells = row.split("\t", columns - 1)
    if len(cells) != columns:
        raise BadRecord(name, line, f"has {len(cells)} columns, not {columns}; get the file again")
    text = cells[text_at].replace("\\n", "\n").strip()
    if not text:
        raise BadRecord(name, line, f"tweet {cells[0]} has no text; leave such rows out")
    return cells[0], text


def _whole_texts(folder: Path) -> dict[str, str]:
    """Texts with their hashtags; a later file overrides an earlier one."""
    texts = dict(read_id_texts(folder / "testData", 2, 3))
    for name, text_at, columns in _TRAIN_TEXTS:
        texts |= dict(read_id_texts(folder / name, text_at, columns))
    return texts
