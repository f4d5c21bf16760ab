"""The tables of words, relations and counts in the index, and the facts that it stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from trope.core.errors import BadRecord
from trope.core.records import WordView
from trope.workbench.corpus.database import VIEWS_OF_WORDS, in_view, text_sums
from trope.workbench.corpus.source import RAW_LEMMA, CorpusSource

PERIODS = {"year": 4, "month": 7, "day": 10}
"""Characters of a date that name its year, month and day."""

FILE = "file"
"""The column that every corpus has."""

NEIGHBOURS = 3
"""Words on either side by which lines can be sorted."""

_SIDES = [f"{side}{away}" for side in ("l", "r") for away in range(1, NEIGHBOURS + 1)]
_COUNTED = ("words", "metaphors", "verbs", "verb_metaphors")
SUMMED = (
    *_COUNTED,
    *("words_squared", "words_sized", "metaphors_squared", "metaphors_sized"),
)
"""What is summed over the texts of a lemma; squares and products give the variance of texts."""

SUMS = ", ".join(
    [f"sum({name})::BIGINT AS {name}" for name in _COUNTED]
    + [
        f"sum({name}::BIGINT * {name})::BIGINT AS {name}_squared, "
        f"sum({name}::BIGINT * size)::BIGINT AS {name}_sized"
        for name in ("words", "metaphors")
    ]
)
"""The SQL of these sums, over counts of a lemma in texts with a size."""

_MOST_PERIODS = 120
"""Most groups of a plot over time, unless the query sets a period."""

_UNEQUAL = "has counts of metaphors that do not match its scores; run trope detect again"
Ask = Callable[[str], list[tuple[Any, ...]]]


def uses_of(condition: str) -> str:
    """The SQL for the uses of lemmas by part of speech in words that meet a condition."""
    return f"""
        SELECT lemma, tag, count(*) AS words, count(*) FILTER (metaphor) AS metaphors,
            count(DISTINCT doc) FILTER (metaphor) AS texts,
            avg(novelty) FILTER (metaphor) AS novelty, avg(score) FILTER (metaphor) AS score
        FROM words WHERE word AND {condition} GROUP BY lemma, tag
    """


USES_OF = {"all": "true", "metaphors": "metaphor", "others": "NOT metaphor"}
"""The SQL for the uses of a lemma that a query may ask for."""

LONGEST_NGRAM = NEIGHBOURS + 1


def ngram_words(size: int, before: int) -> list[str]:
    """The columns of the words of an n-gram with so many of them before the word of the row."""
    after = size - before - 1
    left = [f"l{away}" for away in range(before, 0, -1)]
    return [*left, "folded", *(f"r{away}" for away in range(1, after + 1))]


def with_metaphor(size: int, before: int) -> str:
    """The SQL for whether such an n-gram has a metaphor."""
    left = sum(1 << (away - 1) for away in range(1, before + 1))
    right = sum(1 << (away - 1 + NEIGHBOURS) for away in range(1, size - before))
    return f"(metaphor OR (marks & {left + right}) > 0)"


def tagged_counts(condition: str) -> str:
    """The SQL for the counts of lemmas by part of speech in words that meet a condition, with what
    the variance of texts needs."""
    sums = ", ".join(
        f"sum({name})::BIGINT AS {name}, sum({name} * {name})::BIGINT AS {name}_squared, "
        f"sum({name} * size)::BIGINT AS {name}_sized"
        for name in ("words", "metaphors")
    )
    return f"""
        SELECT lemma, tag, {sums} FROM (
            SELECT lemma, tag, doc, count(*) AS words, count(*) FILTER (metaphor) AS metaphors
            FROM words WHERE word AND {condition} GROUP BY lemma, tag, doc
        ) JOIN (SELECT doc, words AS size FROM documents) USING (doc) GROUP BY lemma, tag
    """


def postings(condition: str) -> str:
    """The SQL for the counts of lemmas in each of the texts that meet a condition."""
    verb = "tag = (SELECT tag FROM tags WHERE text = 'VERB')"
    return f"""
        SELECT lemma, doc, count(*) FILTER (word) AS words,
            count(*) FILTER (word AND metaphor) AS metaphors, count(*) FILTER ({verb}) AS verbs,
            count(*) FILTER ({verb} AND metaphor) AS verb_metaphors
        FROM words WHERE {condition} GROUP BY lemma, doc
    """


class CorpusColumn(msgspec.Struct, frozen=True):
    """A column of the texts, and its name in the index."""

    name: str
    key: str
    values: int
    periods: dict[str, int]
    """For dates, the number of years, months and days; otherwise empty."""
    counted: Literal["", "value", "month"]
    """What the lemmas of its texts are counted by in advance, if they are."""
    offered: tuple[str, ...]
    """Its values if they are few, for forms; of dates the years."""

    @property
    def date(self) -> bool:
        """Whether its values are dates."""
        return bool(self.periods)

    @property
    def counted_value(self) -> str:
        """The SQL for what they are counted by."""
        return f"left({self.key}, {PERIODS['month']})" if self.counted == "month" else self.key

    @property
    def legible_period(self) -> str:
        """The finest period that keeps a plot legible; none for other columns than dates."""
        legible = [name for name, groups in self.periods.items() if groups <= _MOST_PERIODS]
        return (legible[-1] if legible else "year") if self.date else ""


class CorpusFacts(msgspec.Struct, frozen=True):
    """Totals and columns of a corpus."""

    columns: tuple[CorpusColumn, ...]
    texts: int
    sentences: int
    words: int
    metaphors: int
    text: bool
    """Whether the texts are the original ones, not rebuilt from tokens."""
    threshold: float | None
    """The lowest score of a metaphor; None where scores do not decide or nothing is one."""
    word_view: WordView = "all"
    """The view by which metaphors are counted."""


class WordTables:
    """Builds the tables that need tokens; the table of documents exists already."""

    def __init__(self, source: CorpusSource, view: WordView, run: Ask) -> None:
        self.source, self.view, self._run = source, view, run
        self._old = source.manifest.settings.words is None
        """Whether the words do not say in which views they are shown."""

    def collect(self) -> float | None:
        """Number all words; returns the lowest score of a metaphor, where scores decide."""
        self._vocabulary()
        self._coded()
        return self._threshold() if self._old else None

    def _vocabulary(self) -> None:
        """Every form, lemma and tag once, numbered in alphabetical order."""
        self._run(
            f"""
            CREATE TABLE staging.vocabulary AS
            SELECT DISTINCT t.text AS form, {RAW_LEMMA} AS raw, t.upos AS tag
            FROM (SELECT unnest(tokens) AS t FROM {self.source.scan})
            """
        )
        self._run(
            """
            CREATE TABLE forms AS
            SELECT (row_number() OVER (ORDER BY folded, text) - 1)::INTEGER AS form, text,
                is_word(text) AS word, (dense_rank() OVER (ORDER BY folded) - 1)::INTEGER AS folded
            FROM (SELECT DISTINCT form AS text, lower(form) AS folded FROM staging.vocabulary)
            ORDER BY form
            """
        )
        self._run(
            """
            CREATE TABLE spellings AS
            SELECT folded, any_value(lower(text)) AS text, bool_or(word) AS word
            FROM forms GROUP BY folded ORDER BY folded
            """
        )
        self._run(
            """
            CREATE TABLE staging.raws AS
            SELECT (row_number() OVER (ORDER BY raw) - 1)::INTEGER AS code, raw,
                (dense_rank() OVER (ORDER BY lemma) - 1)::INTEGER AS lemma, lemma AS text
            FROM (SELECT raw, lowered(raw) AS lemma FROM
                (SELECT DISTINCT raw FROM staging.vocabulary))
            """
        )
        self._run(
            """
            CREATE TABLE tags AS
            SELECT (row_number() OVER (ORDER BY text) - 1)::INTEGER AS tag, text
            FROM (SELECT DISTINCT tag AS text FROM staging.vocabulary) ORDER BY tag
            """
        )
        for kind, values in (
            ("form", "SELECT text FROM forms ORDER BY form"),
            ("folded", "SELECT DISTINCT lower(text) AS one FROM forms ORDER BY one"),
            ("raw", "SELECT raw FROM staging.raws ORDER BY code"),
            ("tag", "SELECT text FROM tags ORDER BY tag"),
        ):
            self._run(f"CREATE TYPE a_{kind} AS ENUM ({values})")

    def _coded(self) -> None:
        """The tokens as numbers, in the order of the texts, each with its neighbours."""
        sides = []
        for side, function in (("l", "lag"), ("r", "lead")):
            for away in range(1, NEIGHBOURS + 1):
                there = f"{function}(doc, {away}) OVER () = doc"
                sides.append(
                    f"CASE WHEN {there} THEN {function}(folded, {away}) OVER () END AS {side}{away}"
                )
        marks = " + ".join(
            f"CASE WHEN {there}(doc, {away}) OVER () = doc AND {there}(shown, {away}) OVER () "
            f"THEN {1 << (away - 1 + after)} ELSE 0 END"
            for after, there in ((0, "lag"), (NEIGHBOURS, "lead"))
            for away in range(1, NEIGHBOURS + 1)
        )
        sides.append(f"({marks})::UTINYINT AS marks")
        shown = "NULL::BOOLEAN" if self._old else f"list_contains(t.shown, '{self.view}')"
        novelty = "NULL::DOUBLE" if self._old else "t.novelty"
        views = "".join(f", {in_view(one, self._old)} AS shown_{one}" for one in VIEWS_OF_WORDS)
        self._run(
            f"""
            CREATE TABLE staging.coded AS
            SELECT *, {", ".join(sides)} FROM (
                SELECT doc, pos::INTEGER AS pos, enum_code(t.text::a_form)::INTEGER AS form,
                    enum_code(lower(t.text)::a_folded)::INTEGER AS folded,
                    enum_code(({RAW_LEMMA})::a_raw)::INTEGER AS raw,
                    enum_code(t.upos::a_tag)::UTINYINT AS tag, t.metaphor AS score,
                    {novelty} AS novelty, {shown} AS shown, t.start AS start, t.end AS stop{views}
                FROM (
                    SELECT doc, unnest(tokens) AS t, unnest(range(len(tokens))) AS pos
                    FROM (SELECT (row_number() OVER ())::INTEGER AS doc, tokens
                        FROM {self.source.scan})
                )
            )
            """
        )
        for kind in ("form", "folded", "raw", "tag"):
            self._run(f"DROP TYPE a_{kind}")

    def _threshold(self) -> float | None:
        """The lowest score of a metaphor, which must fit the counts of metaphors."""
        ((metaphors,),) = self._run("SELECT sum(metaphors) FROM documents")
        if not metaphors:
            return None
        found = self._run(
            f"""
            SELECT score FROM (
                SELECT score, sum(count(*)) OVER (ORDER BY score DESC) AS above
                FROM staging.coded JOIN forms USING (form) WHERE word GROUP BY score
            ) WHERE above = {metaphors}
            """
        )
        if not found:
            raise BadRecord(self.source.folder, None, _UNEQUAL)
        return float(found[0][0])

    def words(self, threshold: float | None) -> None:
        """All tokens sorted by lemma, and the counts of each lemma."""
        metaphor = "coalesce(shown, false)"
        if self._old:
            metaphor = "false" if threshold is None else f"coalesce(score >= {threshold!r}, false)"
        self._run(
            f"""
            CREATE TABLE words AS
            SELECT lemma, doc, pos, form, tag, score, novelty, word, {metaphor} AS metaphor,
                start, stop, marks, {", ".join(_SIDES)}
            FROM staging.coded JOIN forms USING (form)
                JOIN staging.raws ON raws.code = coded.raw
            ORDER BY lemma, doc, pos
            """
        )
        self._run(
            f"""
            CREATE TABLE staging.postings AS
            SELECT found.*, documents.words AS size
            FROM ({postings("true")}) AS found JOIN documents USING (doc)
            """
        )
        known = ", ".join(f"any_value({name}) AS {name}" for name in SUMMED)
        self._run(
            f"""
            CREATE TABLE lemmas AS
            SELECT lemma, any_value(text) AS text, {known}
            FROM staging.raws JOIN
                (SELECT lemma, {SUMS} FROM staging.postings GROUP BY lemma) USING (lemma)
            GROUP BY lemma ORDER BY lemma
            """
        )

    def recount(self) -> None:
        """Count the metaphors of each text by the view, where it is not that of the corpus; else
        compare the counts."""
        if self.view == self.source.words:
            ((counted,),) = self._run("SELECT count(*) FROM words WHERE word AND metaphor")
            ((given,),) = self._run("SELECT coalesce(sum(metaphors), 0) FROM documents")
            if counted != given:
                raise BadRecord(self.source.folder, None, _UNEQUAL)
            return
        self._run(
            """
            UPDATE documents SET metaphors = (SELECT count(*) FROM words
                WHERE words.doc = documents.doc AND word AND metaphor)
            """
        )

    def relations(self) -> None:
        """Verbs and objects of kept relations, each pair once, with its subject if any."""
        self._run(
            f"""
            CREATE TABLE staging.pairs AS
            SELECT doc, r.verb AS pos, r.object AS object_pos, max(r.subject) AS subject_pos
            FROM (SELECT doc, unnest(relations) AS r
                FROM (SELECT (row_number() OVER ())::INTEGER AS doc, relations
                    FROM {self.source.scan}))
            WHERE r.kept AND r.object IS NOT NULL GROUP BY ALL
            """
        )
        self._run(
            """
            CREATE TABLE relations AS
            SELECT words.*, object_pos, objects.lemma AS object, subject_pos,
                subjects.lemma AS subject
            FROM staging.pairs JOIN words USING (doc, pos)
                JOIN words AS objects ON objects.doc = pairs.doc AND objects.pos = object_pos
                LEFT JOIN words AS subjects
                    ON subjects.doc = pairs.doc AND subjects.pos = subject_pos
            ORDER BY words.lemma, words.doc, words.pos, object_pos
            """
        )

    def ngrams(self) -> None:
        """Sequences of two to four words that occur more than once."""
        self._run(
            """
            CREATE TABLE ngrams (size UTINYINT, w0 INTEGER, w1 INTEGER, w2 INTEGER, w3 INTEGER,
                count BIGINT, metaphors BIGINT)
            """
        )
        for size in range(2, LONGEST_NGRAM + 1):
            words = ngram_words(size, 0)
            whole = [*words, *["NULL"] * (LONGEST_NGRAM - size)]
            self._run(
                f"""
                INSERT INTO ngrams
                SELECT {size}, {", ".join(whole)}, count(*) AS count,
                    count(*) FILTER ({with_metaphor(size, 0)})
                FROM (SELECT words.*, folded FROM words JOIN forms USING (form) WHERE forms.word)
                WHERE {words[-1]} IS NOT NULL
                GROUP BY {", ".join(words)} HAVING count(*) > 1
                """
            )

    def features(self) -> None:
        """The sums of each text over its words and figures."""
        words = """
            SELECT doc, coded.folded AS spelling, length(forms.text) AS size, word,
                tags.text AS class, novelty, shown, shown_noticed, shown_content, shown_all
            FROM staging.coded JOIN forms USING (form) JOIN tags USING (tag)
        """
        sums = text_sums(words) if self.source.tokens else "SELECT NULL::INTEGER AS doc"
        figures = self.source.figure_sums(self.source.scan)
        self._run(
            f"CREATE TABLE features AS SELECT * FROM ({figures}) LEFT JOIN ({sums}) USING (doc) "
            "ORDER BY doc"
        )

    def uses(self) -> None:
        """Counts of lemmas by part of speech, for lists of figures."""
        self._run(f"CREATE TABLE uses AS {uses_of('true')} ORDER BY lemma, tag")
        self._run(f"CREATE TABLE tagged AS {tagged_counts('true')} ORDER BY tag, lemma")

    def counts(self, columns: list[CorpusColumn]) -> None:
        """Counts of lemmas by the values of columns, for views of some of the texts."""
        kept = "''::VARCHAR AS key, ''::VARCHAR AS value, * EXCLUDE (text)"
        self._run(f"CREATE TABLE counts AS SELECT {kept} FROM lemmas LIMIT 0")
        for column in columns:
            value = f"SELECT doc, {column.counted_value} AS value FROM documents"
            self._run(
                f"""
                INSERT INTO counts SELECT '{column.key}', value, lemma, {SUMS}
                FROM staging.postings JOIN ({value}) USING (doc)
                GROUP BY value, lemma ORDER BY value, lemma
                """
            )
