"""Windows over long sentences: every word once, enough context, never beyond the network."""

import subprocess
import sys
import weakref
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope import Pipeline
from trope.core.records import ROOT
from trope.encoder.decode import ReadBatch, read_scores
from trope.encoder.pieces import MAX_PIECES_PER_WORD, WordPieces
from trope.encoder.session import BatchPass
from trope.encoder.trees import is_tree
from trope.encoder.windows import CONTEXT_PIECES, MAX_PIECES, batches, windows

PLACES = 512
"""How far the position table of the network reaches."""

MEMORY_LIMIT_MB = 900
"""The interpreter with spaCy's rules and the loaded network takes about 400 MB, the batches under
way and the tokens of a text of 1 MB about 200 more; the rest is room for other allocators."""

word_sizes = st.lists(st.integers(1, MAX_PIECES_PER_WORD), min_size=1, max_size=400).flatmap(
    lambda sizes: st.sampled_from([1, 2, 5]).map(lambda times: sizes * times)
)


def pieces_of(sizes: list[int]) -> WordPieces:
    """Words of so many pieces; each piece has an id of its own."""
    starts = [sum(sizes[:word]) for word in range(len(sizes) + 1)]
    return WordPieces(list(range(starts[-1])), [0] * starts[-1], starts)


@given(word_sizes)
def test_every_word_is_the_core_of_exactly_one_window(sizes: list[int]) -> None:
    found = list(windows(3, pieces_of(sizes)))
    core = [word for w in found for word in range(w.core_first, w.core_last)]
    assert core == list(range(len(sizes)))
    assert {w.sentence for w in found} == {3}


@given(word_sizes)
def test_windows_fit_the_network_and_hold_the_pieces_of_their_words(sizes: list[int]) -> None:
    pieces = pieces_of(sizes)
    for w in windows(0, pieces):
        assert len(w.pieces.ids) + 2 <= PLACES
        assert w.pieces.ids == pieces.ids[pieces.starts[w.first] : pieces.starts[w.last]]
        assert w.pieces.words == w.last - w.first
        assert w.pieces.starts[-1] == len(w.pieces.ids) == len(w.pieces.types)


@given(word_sizes)
def test_a_long_sentence_has_context_on_both_sides_of_every_cut(sizes: list[int]) -> None:
    pieces = pieces_of(sizes)
    found = list(windows(0, pieces))
    assert (len(found) == 1) == (len(pieces.ids) <= MAX_PIECES)
    least = CONTEXT_PIECES - MAX_PIECES_PER_WORD
    for left, right in pairwise(found):
        before = pieces.starts[right.core_first] - pieces.starts[right.first]
        after = pieces.starts[left.last] - pieces.starts[left.core_last]
        assert min(least, pieces.starts[right.core_first]) <= before <= CONTEXT_PIECES
        assert min(least, len(pieces.ids) - pieces.starts[left.core_last]) <= after


@given(st.lists(word_sizes, max_size=6))
def test_batches_hold_every_window_once(sentences: list[list[int]]) -> None:
    every = [w for number, s in enumerate(sentences) for w in windows(number, pieces_of(s))]
    places = [(w.sentence, w.core_first) for batch in batches(every) for w in batch]
    assert sorted(places) == [(w.sentence, w.core_first) for w in every]


@pytest.mark.parametrize("count", [MAX_PIECES - 1, MAX_PIECES, MAX_PIECES + 1, 1_300])
def test_a_sentence_around_and_over_the_limit_has_one_tree(shipped: Pipeline, count: int) -> None:
    words = [("rain", "ate", "the", "road")[n % 4] for n in range(count)]
    (parse,) = shipped.parse([words])
    assert is_tree(list(parse.heads))
    assert [d for d in parse.deprels if d == "root"] == ["root"]
    assert parse.heads[parse.deprels.index("root")] == ROOT


def test_stretches_hang_together_as_parataxis(shipped: Pipeline) -> None:
    words = ["Rain", "ate", "the", "old", "road", "near", "the", "bridge", "and"] * 80
    (parse,) = shipped.parse([words])
    top = parse.deprels.index("root")
    later = [n for n, head in enumerate(parse.heads) if head == top and n >= 300]
    assert later
    assert {parse.deprels[n] for n in later} == {"parataxis"}


# run by itself, so that the peak is that of this text and nothing else
CHECK = """
import sys, trope
from trope.encoder.trees import is_tree

text = sys.stdin.read()
found = trope.analyze(text)
assert found.text == text
assert "".join(t.text for t in found.tokens) == "".join(text.split())
place = 0
for token in found.tokens:
    assert text[token.start : token.end] == token.text and token.start >= place
    place = token.end
first = 0
for sentence in found.sentences:
    assert sentence.first == first and found.tokens[first].start == sentence.start
    assert found.tokens[sentence.last - 1].end == sentence.end
    heads = found.heads_in(sentence)
    assert all(head < len(heads) for head in heads) and is_tree(heads)
    first = sentence.last
assert first == len(found.tokens)
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(len(found.tokens), len(found.sentences), int(peak) // 1024)
"""


def check_in_a_process(text: str) -> tuple[int, int, int]:
    """Tokens, sentences and peak memory in MB of a text whose analysis was found right."""
    command = [sys.executable, "-c", CHECK]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tokens, sentences, peak = map(int, done.stdout.split())
    return tokens, sentences, peak


linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="peak memory is read from /proc"
)


@linux
def test_ten_thousand_words_without_punctuation() -> None:
    stems = [
        "rain",
        "wind",
        "road",
        "ate",
        "bent",
        "the",
        "old",
        "of",
        "wheel",
        "under",
        "never",
        "seven",
    ]
    words = [stems[n * n % 97 % len(stems)] for n in range(10_000)]
    tokens, sentences, peak = check_in_a_process(" ".join(words))
    assert (tokens, sentences) == (10_000, 1)
    assert peak < MEMORY_LIMIT_MB


@linux
def test_a_line_of_one_megabyte() -> None:
    link = f"https://example.org/{'infrastructure-recommendations/' * 200}"
    sentence = f"Considerable disagreement delayed infrastructure throughout Europe, see {link}. "
    line = sentence * (1_000_000 // len(sentence) + 1)
    tokens, sentences, peak = check_in_a_process(line)
    assert tokens == 10 * line.count("Considerable")
    assert sentences == line.count("Considerable")
    assert peak < MEMORY_LIMIT_MB


def test_batches_are_forgotten_when_they_are_read(
    shipped: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a text takes does not grow with the scores of its words, 4 KB each."""
    seen: list[weakref.ref[Any]] = []
    alive: list[int] = []

    def watched(done: BatchPass, encoder: Any) -> ReadBatch:
        alive.append(sum(known() is not None for known in seen))
        seen.append(weakref.ref(done.outputs["arcs"]))
        return read_scores(done, encoder)

    monkeypatch.setattr("trope.pipeline.batch.read_scores", watched)
    words = "Rain ate the old road near the bridge . "
    assert len(shipped.analyze(words * 300).sentences) == 300
    assert len(alive) > 8
    assert max(alive) <= shipped.encoder.threads


@linux
def test_a_word_of_one_megabyte() -> None:
    tokens, sentences, peak = check_in_a_process("x" * 1_000_000)
    assert (tokens, sentences) == (1, 1)
    assert peak < MEMORY_LIMIT_MB
