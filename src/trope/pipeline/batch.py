"""From a batch of texts to analyses: words, one encoder pass, parses, one record per text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, repeat
from time import thread_time
from typing import TYPE_CHECKING, Any

from trope.core.errors import BadInput
from trope.core.options import FigureView
from trope.core.records import (
    NO_THRESHOLDS,
    Analysis,
    MetaphorThresholds,
    Parse,
    Sentiment,
    TextKind,
)
from trope.core.texts import Text
from trope.encoder.decode import ReadBatch, ReadSentences, decode, read_results, read_scores
from trope.encoder.session import (
    FIGURES,
    METAPHOR,
    METONYMY,
    NAMES,
    SENTIMENT,
    SYNTAX,
    TAGS,
    AnyEncoder,
    BatchPass,
    Encoder,
)
from trope.lexicon.inflection import lemma
from trope.tasks.figures.views import DomainSystem, add_domains, add_figures, open_domains
from trope.tasks.metonymy.detection import add_metonymies
from trope.tasks.metonymy.encoder_head import EncoderMetonymy, masking_in_texts
from trope.tasks.metonymy.task import MetonymySystem
from trope.tasks.own_systems import OwnSystems
from trope.tasks.sentiment.encoder_head import (
    WholeTexts,
    add_sentiments,
    scale_of,
    sentence_scores,
    text_sentiments,
    to_sentiments,
)
from trope.text import read_batch

if TYPE_CHECKING:
    from trope.encoder.base import BaseEncoder


from trope.core.records import (
    ROOT,
    SentenceSpan,
    Token,
)
from trope.core.texts import Sentence
from trope.relations import extract_all

BATCH_CHARACTERS = 500_000
"""A batch ends here if its texts are long, so that memory does not grow with their length."""

Passes = deque[Future[ReadBatch]]
"""What is on its way through the network; taken out as it is used."""


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Texts whose sentences are on their way through the network."""

    texts: list[Text]
    words: list[tuple[str, ...]]
    passes: Passes
    whole: WholeTexts
    kind: TextKind
    tasks: tuple[str, ...]
    view: FigureView

    def cancel(self) -> None:
        """Take back what the network has not begun: at its end, Python would wait for all of it."""
        waiting: list[Future[Any]] = [*self.passes, *self.whole.passes]
        for future in waiting:
            future.cancel()


class BatchAnalyzer:
    """Texts in, analyses out: through the small encoder and, in the tier `base`, the large one."""

    def __init__(
        self, encoder: Encoder, base: BaseEncoder | None, own: OwnSystems | None = None
    ) -> None:
        self.encoder, self.base = encoder, base
        self.own = own
        """Systems that are used instead of the heads, if there are any."""
        self.heads: AnyEncoder = encoder if base is None else base
        """The encoder that gives all but tags, trees and lemmas."""
        self.timings = dict.fromkeys(("text", "encoder", "decode", "relations"), 0.0)
        """Seconds of computing by stage, summed over threads."""

    @property
    def thresholds(self) -> MetaphorThresholds:
        """The lowest probability of a metaphor, and of a metaphorical sentence."""
        shipped = self.heads.labels.metaphor or NO_THRESHOLDS
        if self.own is None or self.own.metaphor is None:
            return shipped
        limit = self.own.metaphor.threshold
        words = limit if self.own.judges_words else shipped.threshold
        return MetaphorThresholds(words, limit)

    def names_reader(
        self, sentences: Sequence[tuple[str, ...]], seen: Sequence[BatchPass]
    ) -> MetonymySystem:
        """What reads the names of sentences, from what the network said of these already."""
        own = self.own and self.own.metonymy
        read = [done for done in seen if METONYMY[0] in done.outputs]
        mask = masking_in_texts(self.heads)
        return own or EncoderMetonymy(self.heads, mask=mask, sentences=sentences, read=read)

    @cached_property
    def domains(self) -> DomainSystem:
        """What names the source domains of metaphors."""
        return open_domains(self.encoder)

    def view(self, view: FigureView) -> FigureView:
        """The view of words; an own detector does not know what readers notice."""
        if view.words == "noticed" and self.own and self.own.judges_words:
            return replace(view, words="content")
        return view

    def start(
        self,
        texts: list[str],
        kind: TextKind,
        tasks: tuple[str, ...],
        view: FigureView,
        *,
        tags: bool = True,
    ) -> TextBatch:
        """Split texts into words and send them to the network."""
        outputs = self._outputs(tasks, trees=view.words != "all", tags=tags)
        began = thread_time()
        split, words = read_batch(texts, kind)
        self.timings["text"] += thread_time() - began
        passes = self._submit(words, outputs) if outputs else deque()
        whole = WholeTexts()
        if "sentiment" in tasks:
            # the pass over the sentences scores a text of one sentence already
            once = self.base is None or "metaphor" in tasks
            counts = [len(text.sentences) for text in split]
            whole = self._send_whole(words, counts, [once and count == 1 for count in counts])
        return TextBatch(split, words, passes, whole, kind, tasks, view)

    def finish(self, batch: TextBatch) -> list[Analysis]:
        """The analyses of texts that were sent to the network."""
        later: list[BatchPass] = []
        decoded = iter(self._decode(batch.words, batch.passes, batch.tasks, later))
        parses = [list(islice(decoded, len(text.sentences))) for text in batch.texts]
        began = thread_time()
        analyses = [
            assemble(text, own, batch.kind, batch.tasks, self.thresholds)
            for text, own in zip(batch.texts, parses, strict=True)
        ]
        self.timings["relations"] += thread_time() - began
        view = self.view(batch.view)
        if "metonymy" in batch.tasks:
            # names stand among the words of the text, which the network may read spelled otherwise
            written = [
                tuple(w.text for w in s.words) for text in batch.texts for s in text.sentences
            ]
            analyses = add_metonymies(analyses, parses, self.names_reader(written, later))
        if "sentiment" in batch.tasks:
            scale = scale_of(batch.kind, self.heads.labels.sentiment)
            analyses = add_sentiments(analyses, parses, batch.whole, scale)
            analyses = self.own_sentiments(analyses) if self.own else analyses
        shown = add_figures(analyses, parses, view, self.heads.labels.figures)
        return add_domains(shown, self.domains) if "domains" in batch.tasks else shown

    def own_sentiments(self, analyses: list[Analysis]) -> list[Analysis]:
        """The same analyses with the scores of a user's own system, which judges whole texts."""
        if self.own is None or self.own.sentiment is None:
            return analyses
        found = to_sentiments(self.own.sentiment.score(analyses))
        return [
            replace(analysis, sentiment=sentiment, sentence_sentiments=())
            if analysis.sentiment is not None
            else analysis
            for analysis, sentiment in zip(analyses, found, strict=True)
        ]

    def read(self, sentences: list[tuple[str, ...]], tasks: Sequence[str]) -> ReadSentences:
        """Sentences that have words, with what the tasks need."""
        later: list[BatchPass] = []
        passes = self._submit(sentences, self._outputs(tasks))
        return ReadSentences(sentences, self._decode(sentences, passes, tasks, later), later)

    def _submit(self, sentences: Sequence[tuple[str, ...]], outputs: Sequence[str]) -> Passes:
        """Send sentences to the small network; the threads that compute also read its scores."""
        read = partial(read_scores, encoder=self.encoder)
        return deque(self.encoder.submit(sentences, outputs, read))

    def sentiments(
        self, texts: Sequence[Sequence[Parse]], kind: TextKind
    ) -> list[Sentiment | None]:
        """The sentiment of texts whose sentences are parsed; None for one without words."""
        scale = scale_of(kind, self.heads.labels.sentiment)
        words = [parse.words for text in texts for parse in text]
        scores = [sentence_scores(text, scale) for text in texts]
        known = [len(text) == 1 == len(own) for text, own in zip(texts, scores, strict=True)]
        whole = self._send_whole(words, [len(text) for text in texts], known)
        return text_sentiments(scores, whole, scale)

    def _send_whole(
        self, words: Sequence[tuple[str, ...]], counts: Sequence[int], known: Sequence[bool]
    ) -> WholeTexts:
        """Send texts, with these numbers of sentences, as one sequence where no score is known."""
        sentences = iter(words)
        texts: dict[int, list[str]] = {}
        for number, (count, scored) in enumerate(zip(counts, known, strict=True)):
            own = list(islice(sentences, count))
            if own and not scored:
                texts[number] = [word for sentence in own for word in sentence]
        passes = self.heads.submit(list(texts.values()), SENTIMENT) if texts else ()
        return WholeTexts(list(texts), deque(passes))

    def _decode(
        self,
        words: list[tuple[str, ...]],
        passes: Passes,
        tasks: Sequence[str],
        later: list[BatchPass],
    ) -> list[Parse]:
        began = thread_time()
        read = read_results(passes, self.timings, later)
        parses = decode(words, read, self.encoder, lemma)
        self.timings["decode"] += thread_time() - began
        outputs = self._head_outputs(tasks)
        # sentiment alone is read from whole texts
        if self.base is not None and {*outputs} - {*SENTIMENT}:
            small = [parse.figurative or 0.0 for parse in parses]
            found = self.base.read(words, outputs, small=small, later=later)
            parses = [_with_heads(parse, own) for parse, own in zip(parses, found, strict=True)]
        return self.own.score(parses) if self.own and "metaphor" in tasks else parses

    def _outputs(
        self, tasks: Sequence[str], *, trees: bool = True, tags: bool = True
    ) -> tuple[str, ...]:
        """What the tasks need of the small network; names and figures are found in trees."""
        trees = trees or self.own is not None
        syntax: tuple[str, ...] = TAGS if tags or self.own is not None else ()
        needing = {"syntax", "relations", "metonymy", "domains", *(("metaphor",) if trees else ())}
        if needing & {*tasks}:
            syntax = SYNTAX
        if self.base is None:
            return (*syntax, *self._head_outputs(tasks))
        # the sentence scores of both networks are blended, and names are found by either
        named = self.encoder.labels.names and not self.base.labels.names and "metonymy" in tasks
        metaphor = METAPHOR if "metaphor" in tasks else ()
        return (*syntax, *metaphor, *(NAMES if named else ()))

    def _head_outputs(self, tasks: Sequence[str]) -> tuple[str, ...]:
        """What the tasks need of the network that gives all but tags, trees and lemmas."""
        labels = self.heads.labels
        wanted = (
            (METAPHOR, "metaphor" in tasks),
            (FIGURES, "metaphor" in tasks and labels.figures is not None),
            (NAMES, "metonymy" in tasks and labels.names),
            (METONYMY, "metonymy" in tasks and self._reads_all(tasks)),
            (SENTIMENT, "sentiment" in tasks),
        )
        return tuple(name for names, asked in wanted if asked for name in names)

    def _reads_all(self, tasks: Sequence[str]) -> bool:
        """Whether names are read in the pass over all sentences.

        The tier `base` makes one for metaphors; without these, it reads sentences with names only.
        """
        own = self.own is not None and self.own.metonymy is not None
        return not own and (self.base is None or "metaphor" in tasks)


def _with_heads(parse: Parse, own: Parse) -> Parse:
    """A parse with what the heads of another network say."""
    return replace(
        own,
        upos=parse.upos,
        xpos=parse.xpos,
        lemmas=parse.lemmas,
        heads=parse.heads,
        deprels=parse.deprels,
        names=own.names or parse.names,
    )


def check_text(text: object) -> None:
    """Raises BadInput if this is not a text."""
    if not isinstance(text, str):
        problem = f"a text is a str, and this is a {type(text).__name__}"
        raise BadInput(f"{problem}; give one text, or many to analyze_many")


def checked_texts(texts: Iterable[str]) -> Iterator[str]:
    """The same texts; what is not a text raises an error, with its position, when it is reached.

    Raises:
        BadInput: for a string instead of many texts, and for something that is not a text.
    """
    if isinstance(texts, str | bytes):
        raise BadInput("a str is one text; call analyze, or give a list of texts")
    if not isinstance(texts, Iterable) or isinstance(texts, Mapping):
        raise BadInput(f"texts come in a list, not in a {type(texts).__name__}; give a list")
    return (_checked_text(text, place) for place, text in enumerate(texts))


def _checked_text(text: object, place: int) -> str:
    if isinstance(text, str):
        return text
    missing = text is None or str(text).lower() in ("nan", "nat", "<na>")
    what = "is missing" if missing else f"is a {type(text).__name__}, not a str"
    remedy = "leave it out, or give an empty string" if missing else "convert it to a str"
    raise BadInput(f"text {place} (counted from 0) {what}; {remedy}")


def batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """The texts in groups of this size, smaller where they are long."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += len(text)
        if len(batch) == size or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def assemble(
    text: Text,
    parses: Sequence[Parse],
    kind: TextKind,
    tasks: tuple[str, ...],
    thresholds: MetaphorThresholds,
) -> Analysis:
    """The analysis of a text from the parses of its sentences: without names, sentiment and
    figures."""
    figurative = tuple(parse.figurative for parse in parses if parse.figurative is not None)
    tokens: list[Token] = []
    sentences: list[SentenceSpan] = []
    placed: list[tuple[range, Parse]] = []
    for sentence, parse in zip(text.sentences, parses, strict=True):
        first = len(tokens)
        tokens += _tokens(sentence, parse, first)
        last = len(tokens)
        sentences.append(SentenceSpan(tokens[first].start, tokens[-1].end, first, last))
        placed.append((range(first, last), parse))
    return Analysis(
        text.original,
        tuple(tokens),
        tuple(sentences),
        extract_all(placed, kind) if "relations" in tasks else (),
        tasks,
        figurative,
        thresholds.threshold,
        thresholds.sentence_threshold,
    )


def _tokens(sentence: Sentence, parse: Parse, first: int) -> list[Token]:
    """The tokens of a sentence from its parse; the first of them is token `first`."""
    words, none = sentence.words, repeat(None)
    heads = [ROOT if head == ROOT else head + first for head in parse.heads]
    return list(
        map(
            Token,
            [word.text for word in words],
            [word.start for word in words],
            [word.end for word in words],
            parse.upos or repeat(""),
            parse.xpos or repeat(""),
            parse.lemmas or repeat(""),
            heads or repeat(ROOT),
            parse.deprels or repeat(""),
            parse.metaphor or none,
            parse.noticed or none,
            parse.novelty or none,
        )
    )
