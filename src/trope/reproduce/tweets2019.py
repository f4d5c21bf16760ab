"""The tweet study of 2019: what can be counted of it, without its tweets and judgments.

Its agreement, its statistics and its examples are of a data set that its authors give on request;
what stands here as ours is counted in public sets, or is a list of the package. No figure of a
simulated crowd comes in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from trope.core.errors import BadInput
from trope.core.files import read_lines
from trope.corpora.verb_corpora import read_adjective_nouns, read_moh, read_svo
from trope.corpora.vua import read_vua_key, read_vuamc
from trope.lexicon.verbs import CLASSES, shipped_verbs
from trope.published import Published, is_cut_off, read_published, rounds_to
from trope.relations.extraction import MAX_WORDS
from trope.render.tables import ReportTable
from trope.reproduce.report import Reproduction
from trope.reproduce.rows import OurValue, Place, all_rows, counted, read_notes, tweet_settings

PAPER = "tweets2019"
_SUBSETS = {"demo": 120, "emotional": 1070, "political": 1391}
_SHARES = (
    "metaphor, percent",
    "not metaphor, percent",
    "majority of 60 %, percent",
    "not understood, percent",
)


def reproduce(data: str | Path | None = None, ours: Iterable[str | Path] = ()) -> Reproduction:
    """Every table and figure, most of which are not available.

    Args:
        data: folder of the research data; without it no set is counted.
        ours: nothing, since `trope evaluate` has no figures for this paper.

    Raises:
        BadInput: where figures are given.
    """
    if tuple(ours):
        raise BadInput("tweets2019 has no figures of `trope evaluate`; leave --ours out")
    printed, notes = read_published(PAPER), read_notes(PAPER)
    found = list_cells() | tweet_settings()
    if data is not None:
        found |= set_cells(Path(data))
    rows = all_rows(printed, notes, found, data=data is not None)
    return Reproduction(notes, tuple(rows), (share_table(printed),))


def list_cells() -> dict[Place, OurValue]:
    """The verb classes that the package ships, and its limit of words."""
    sizes = Counter(shipped_verbs().classes.values())
    cells: dict[Place, OurValue] = {
        ("4.1", f"{name} verbs", "count"): counted(sizes[name]) for name in CLASSES
    }
    cells["3.4", "words of an expression, at most", "count"] = counted(MAX_WORDS)
    return cells


def set_cells(data: Path) -> dict[Place, OurValue]:
    """Sizes of the related sets that lie in the research data."""
    senses = list(read_moh(data / "moh" / "Data-metaphoric-or-literal.txt"))
    metaphors = sum(sense.metaphor for sense in senses)
    sentences = [
        sentence
        for part in ("train", "test")
        for sentence in read_vuamc(data / "naacl2018" / f"vuamc_corpus_{part}.csv")
    ]
    words = sum(len(sentence.words) for sentence in sentences)
    tsv = data / "tsv"
    pairs = {
        name: sum(1 for _ in read_adjective_nouns(tsv / name, metaphor=True))
        for name in ("training_adj_noun_met_en.txt", "training_adj_noun_nonmet_en.txt",
                     "an_mets.txt", "an_nonmets.txt")
    }  # fmt: skip
    triples = sum(
        1
        for name in ("svo_mets.txt", "svo_nonmets.txt")
        for _ in read_svo(tsv / name, metaphor=True)
    )
    training = sum(count for name, count in pairs.items() if name.startswith("training"))
    verbs = sum(1 for _ in read_vua_key(data / "naacl2018" / "verb_tokens.csv"))
    novelty = sum(1 for _ in read_lines(data / "novelty" / "vuamc_novelty.csv")) - 1
    return {
        ("1", "MOH 2016", "size"): counted(len(senses)),
        ("1", "VUA 2010, words", "size"): counted(words, "with punctuation"),
        ("1", "VUA 2010, sentences", "size"): counted(len(sentences)),
        ("1", "TSV 2014", "size"): counted(sum(pairs.values())),
        ("2.text", "MOH, metaphorical", "count"): counted(metaphors),
        ("2.text", "MOH, literal", "count"): counted(len(senses) - metaphors),
        ("2.text", "MOH, verbs", "count"): counted(len({sense.verb for sense in senses})),
        ("2.text", "VUA, verbs", "count"): counted(verbs),
        ("2.text", "TSV, train", "count"): counted(training),
        ("2.text", "TSV, test", "count"): counted(triples, "subject, verb and object"),
        ("2.text", "novelty scores", "count"): counted(novelty),
    }


def possible_counts(percent: str, whole: int) -> list[int]:
    """Counts of so many items that have the printed percentage, rounded or cut off."""
    return [
        count
        for count in range(whole + 1)
        if rounds_to(100 * count / whole, percent) or is_cut_off(100 * count / whole, percent)
    ]


def share_table(printed: Published) -> ReportTable:
    """Table 6: for each percentage, the numbers of items that it can be a share of."""
    rows = []
    for subset, tweets in _SUBSETS.items():
        for share in _SHARES:
            cell = printed.find(share, subset)
            if cell is None:
                continue
            fits = {
                whole: counts
                for whole in range(tweets - 20, tweets + 1)
                if (counts := possible_counts(cell.printed, whole))
            }
            shown = "; ".join(f"{'/'.join(map(str, c))} of {w}" for w, c in fits.items())
            rows.append((f"{subset}: {share}", cell.printed, shown or "none"))
    note = "Of the tweets of a subset and up to 20 fewer; a share that fits none has another base."
    columns = ("share", "printed", "whole numbers that give it")
    return ReportTable("Table 6: what the percentages can be", columns, tuple(rows), note)
