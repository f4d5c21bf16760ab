"""The benchmarks with systems that cost nothing: what is counted, compared and kept."""

import csv
import importlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from trope.core.errors import MissingExtra
from trope.metrics.figures import NO_DATA, read_evaluation

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SENTENCES = ["Go", "Cats nap", "Storms wreck old barns", "A very long line of words that goes on"]


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in (
        "heads",
        "machine",
        "matrix_rate",
        "package",
        "record",
        "rivals",
        "scaling",
        "speed",
        "startup",
        "threads",
        "words",
    ):
        sys.modules.pop(name, None)


@pytest.fixture
def sentences_file(tmp_path):
    path = tmp_path / "test.csv"
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, ["txt_id", "sentence"])
        rows.writeheader()
        rows.writerows({"txt_id": str(at), "sentence": s} for at, s in enumerate(SENTENCES))
    return path


class CountingRival:
    def __init__(self, *_):
        self.batches = []

    def forward(self, lengths):
        self.batches.append(list(lengths))


class FakePipeline:
    model_sha256 = "feed"

    def __init__(self, **_):
        self.timings = {"encoder": 0.0, "text": 0.0}

    def analyze_many(self, texts, *, tasks=None, tags=True, words="noticed"):
        for text in texts:
            self.timings["encoder"] += 3.0
            self.timings["text"] += 1.0
            yield text


def test_a_pass_per_word_is_two_batches_a_sentence(load):
    rival = CountingRival()
    load("rivals").pass_per_word(rival, [["Cats", "nap"], ["Go"]], lambda words: 2 + len(words))
    assert rival.batches == [[4, 4], [3, 3], [3], [3]]


def test_a_single_pass_sees_every_sentence_once_in_batches_of_like_length(load):
    rival = CountingRival()
    rivals = load("rivals")
    rivals.single_pass(rival, rivals.batches_by_length([5, 2, 9, 3, 7], batch_size=2))
    assert rival.batches == [[2, 3], [5, 7], [9]]


def test_the_rival_has_the_shape_of_roberta_base(load):
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    with torch.device("meta"):  # shapes without numbers
        model = load("rivals").Rival(1, 0).model
    shape = model.config
    assert (shape.num_hidden_layers, shape.hidden_size, shape.intermediate_size) == (12, 768, 3072)
    # 124,645,632 of the published model less those of its pooling layer, 768 · 768 + 768
    assert sum(weights.numel() for weights in model.parameters()) == 124_055_040
    assert not model.training


def test_a_rival_runs_padded_batches_up_to_its_longest(load):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    small = {"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2}
    rival = load("rivals").Rival(1, 0, intermediate_size=8, **small)
    seen = []
    rival.model.register_forward_pre_hook(
        lambda _, __, inputs: seen.append(inputs["attention_mask"].sum(1).tolist()),
        with_kwargs=True,
    )
    rival.forward([3, 7])
    rival.forward([600])
    assert seen == [[3, 7], [512]]


def test_missing_torch_is_named_with_its_cure(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'trope\[hub\]'"):
        load("rivals").Rival(1, 0)


def test_a_sample_has_the_lengths_of_the_whole(load):
    sample = load("speed").sample
    drawn = sample(range(100), 10, seed=3)
    assert Counter(number // 10 for number in drawn) == dict.fromkeys(range(10), 1)
    assert drawn == sample(range(100), 10, seed=3) != sample(range(100), 10, seed=4)
    assert sample(range(5), None, seed=3) == sample(range(5), 9, seed=3) == [0, 1, 2, 3, 4]


def test_sampled_sentences_are_of_all_lengths_in_no_order(load):
    speed = load("speed")
    sentences = [" ".join("w" * n) for n in range(1, 101)]
    drawn = speed.sample_sentences(sentences, 20, seed=1)
    assert drawn != speed.by_length(drawn)
    assert Counter((len(s.split()) - 1) // 5 for s in drawn) == dict.fromkeys(range(20), 1)
    assert speed.sample_sentences(sentences, None, seed=1) == sentences


def test_pieces_come_from_the_vocabulary_or_are_marked_as_estimated(load):
    count, note = load("speed").piece_counter(FakePipeline())
    assert count(["Storms", "nap"]) == 2 + 2 + 1
    assert "estimated" in note


def test_ratios_are_taken_within_a_round(load):
    names = ("trope", "syntax", "with_metaphor", "metaphor", "roberta", "melbert")
    fast = dict(zip(names, (100.0, 105.0, 100.0, 120.0, 10.0, 1.0), strict=True))
    slow = dict(zip(names, (60.0, 66.0, 60.0, 70.0, 5.0, 0.5), strict=True))
    sizes = dict(zip(names, (40, 40, 40, 40, 8, 2), strict=True))
    figures = load("speed").speed_figures([fast, slow], sizes, NO_DATA, "a machine")
    found = {figure.name: figure for figure in figures}
    ratio = found["speed.full.vs_roberta"]
    assert (ratio.low, ratio.value, ratio.high, ratio.n) == (10, 11, 12, 8)
    assert "40 sentences against 8" in ratio.note
    assert "a machine" in ratio.note
    assert found["speed.full.sentences_per_s"].value == 80
    assert found["speed.metaphor.vs_roberta"].value == 13
    assert found["speed.metaphor.added"].value == pytest.approx(0.075)


def test_systems_take_turns(load):
    turns = []
    systems = {name: (lambda name=name: turns.append(name), 1) for name in ("a", "b")}
    assert len(load("speed").rates(systems, 2)) == 2
    assert turns == ["a", "b", "a", "b"]


def test_the_benchmark_keeps_figures_of_the_published_names(
    load, monkeypatch, sentences_file, tmp_path, capsys
):
    speed = load("speed")
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    monkeypatch.setattr(speed.rivals, "Rival", CountingRival)
    monkeypatch.setattr(speed, "_memory_in_child", lambda _: 123.0)
    results = tmp_path / "results.json"
    arguments = [str(sentences_file), "--results", str(results)]
    assert speed.main([*arguments, "--melbert-limit", "2"]) == 0
    evaluation = read_evaluation(results)
    found = {figure.name: figure for figure in evaluation.figures}
    assert (evaluation.task, evaluation.model_sha256) == ("benchmarks", "feed")
    assert {"speed.full.vs_roberta", "speed.full.vs_melbert", "memory.peak_mb"} <= set(found)
    assert found["speed.full.share.encoder"].value == 0.75
    assert (found["speed.full.sentences_per_s"].n, found["speed.full.vs_melbert"].n) == (4, 2)
    assert "memory.peak_mb: 123 (123 to 123), n = 4\n" in capsys.readouterr().out


def test_the_child_prints_its_memory_and_nothing_else(load, monkeypatch, sentences_file, capsys):
    monkeypatch.setattr("trope.pipeline.Pipeline", FakePipeline)
    assert load("speed").main([str(sentences_file), "--memory-only"]) == 0
    assert float(capsys.readouterr().out) > 1


def test_a_missing_file_is_one_line(load, tmp_path, capsys):
    assert load("speed").main([str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.startswith("speed: ")


def test_memory_is_that_of_the_process_not_of_its_parent(load):
    ballast = bytearray(150_000_000)
    code = "import machine; print(machine.peak_memory_mb())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True, check=True
    )
    assert len(ballast) / 1e6 > float(done.stdout) > 1


def test_startup_is_measured_and_joins_the_other_results(load, tmp_path, capsys, monkeypatch):
    results = tmp_path / "results.json"
    record = load("record")
    other = record.measured("memory.peak_mb", [5.0], n=1, note="x")
    record.keep([other], tier="small", model_sha256="feed", path=results)
    startup = load("startup")
    grown = "ballast = b'x' * 60_000_000; print(len(ballast))"
    monkeypatch.setattr(startup, "WAYS", {"bare": ("-c", "pass"), "grown": ("-c", grown)})
    monkeypatch.setattr(startup, "shares", lambda: {"import numpy": 0.07})
    given = ["--runs", "2", "--results", str(results), "--before", str(tmp_path)]
    assert startup.main(given) == 0
    kept = read_evaluation(results)
    found = {figure.name.removeprefix("startup."): figure for figure in kept.figures}
    assert set(found) == {"memory.peak_mb", "help_s"} | {
        f"{when}{way}_{what}"
        for when in ("", "before.")
        for way in ("bare", "grown")
        for what in ("cpu_s", "peak_mb")
    }
    assert (kept.model_sha256, found["help_s"].n) == ("feed", 2)
    assert found["grown_peak_mb"].low > found["bare_peak_mb"].high + 50
    said = capsys.readouterr().out
    assert "trope --help" in said
    assert "70 ms  import numpy" in said


def test_threads_are_compared_by_their_best_rounds(load, sentences_file, tmp_path, monkeypatch):
    threads = load("threads")
    rates = iter([0, 0, 10, 12, 8, 18, 9, 15])  # two to warm up, then one caller and three in turns
    asked = []

    def rate(analyze, texts, callers):
        asked.append((list(texts), callers))
        return next(rates)

    monkeypatch.setattr(threads, "rate", rate)
    monkeypatch.setattr(
        threads, "Pipeline", lambda threads: SimpleNamespace(analyze=str, model_sha256="feed")
    )
    monkeypatch.setattr(threads, "keep_to_cores", lambda count: None)
    results = tmp_path / "results.json"
    given = [str(sentences_file), "--callers", "3", "--rounds", "3", "--results", str(results)]
    assert threads.main(given) == 0
    assert asked[2:] == [(SENTENCES, 1), (SENTENCES, 3)] * 3
    values = {figure.name: figure.value for figure in read_evaluation(results).figures}
    assert values == {
        "threads.one.texts_per_s": 10,
        "threads.3.texts_per_s": 18,
        "threads.3.vs_one": 1.8,
    }


def test_heads_cost_what_a_pass_takes_longer_with_them(
    load, sentences_file, tmp_path, monkeypatch, shipped
):
    pytest.importorskip("onnx")
    heads = load("heads")
    monkeypatch.setattr(heads, "Pipeline", lambda threads: shipped)
    monkeypatch.setattr(
        heads, "fastest", lambda jobs, rounds: {name: 1.5 if not name else 1.0 for name in jobs}
    )
    results = tmp_path / "results.json"
    assert heads.main([str(sentences_file), "--results", str(results)]) == 0
    values = {figure.name: figure.value for figure in read_evaluation(results).figures}
    assert values["heads.pass.metaphor"] == values["heads.analysis.sentiment"] == 1.5
    shares = {name: value for name, value in values.items() if name.startswith("heads.bytes.")}
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["heads.bytes.trunk"] > 0.8
    assert 0 < shares["heads.bytes.sentiment"] < shares["heads.bytes.syntax"] < 0.1


def test_the_least_time_of_a_job_counts_and_the_first_turn_does_not(load, monkeypatch):
    heads = load("heads")
    clock = iter([0, 1, 2, 5, 5, 9, 9, 11, 11, 14])  # two jobs, three turns
    monkeypatch.setattr(heads, "process_time", lambda: next(clock))
    done = []
    jobs = {"a": lambda: done.append("a"), "b": lambda: done.append("b")}
    assert heads.fastest(jobs, 2) == {"a": 2, "b": 3}
    assert done == ["a", "b"] * 3


def test_each_caller_asks_for_one_text_at_a_time(load):
    seen = []
    assert load("threads").rate(seen.append, SENTENCES, 2) > 0
    assert sorted(seen) == sorted(SENTENCES)


def test_another_checkout_is_measured_by_its_own_modules(load, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "only_there.py").write_text("")
    cost = load("startup").measure(("-c", "import only_there"), tmp_path)
    assert cost.cpu_s > 0
    with pytest.raises(subprocess.CalledProcessError):
        load("startup").measure(("-c", "import only_there"))


def test_words_that_differ_from_spacys_are_counted(load, tmp_path, capsys, monkeypatch):
    pytest.importorskip("spacy", reason="spaCy is not installed (pip install 'trope[spacy]')")
    path = tmp_path / "texts.txt"
    path.write_text("Rain can't stop...\n\nMr. Hall's 5kg e-mail?!\n", encoding="utf-8")
    given = [str(path), "--results", str(tmp_path / "results.json")]
    words = load("words")
    assert words.main(given) == 0
    assert "0 pieces of 2 texts differ" in capsys.readouterr().out
    plain = SimpleNamespace(cut=lambda piece: [piece])
    monkeypatch.setattr(words, "read_rules", lambda changes: plain)
    assert words.main(given) == 1
    differing, _ = (figure.value for figure in read_evaluation(tmp_path / "results.json").figures)
    assert differing > 1


def test_the_machine_is_named_by_processor_and_threads_alone(load):
    machine = load("machine")
    assert machine.describe(2) == f"{machine.cpu_model()} with {machine.products()}, 2 threads"
    assert machine.describe(1).endswith(", 1 thread")
    assert machine.products() in (*machine.PRODUCTS, "unknown products")


def test_company_is_seen_where_it_changes_scores_and_only_there(load, shipped, monkeypatch):
    package = load("package")
    words = [sentence.split() for sentence in SENTENCES]
    assert package.largest_difference(shipped.encoder, words) < 1e-3
    alone = package._scores

    def with_company(encoder, sentences):
        scores = alone(encoder, sentences)
        return {n: [array + 0.5 * (len(scores) > 1) for array in own] for n, own in scores.items()}

    monkeypatch.setattr(package, "_scores", with_company)
    assert package.largest_difference(shipped.encoder, words) == pytest.approx(0.5, abs=1e-3)


class TwoWays:
    """Scores of words, which the fast path has a little higher."""

    def __init__(self, added):
        self.added = added

    def analyze(self, text, added=0.0):
        scores = [len(word) / 10 + added for word in text.split()]
        tokens = [SimpleNamespace(metaphor=score) for score in scores]
        return SimpleNamespace(tokens=tokens, threshold=0.5)

    def analyze_many(self, texts, *, tasks, tags, words):
        assert (tasks, tags) == (("metaphor",), False)
        return (self.analyze(text, self.added) for text in texts)


@pytest.mark.parametrize(("added", "flipped"), [(0.0, 0), (0.01, 0), (0.15, 9)])
def test_words_that_change_sides_are_counted(load, added, flipped):
    speed = load("speed")
    texts = [*SENTENCES, "rain here", "cats"]
    figures = speed.compare_with_plain_path(TwoWays(added), texts, NO_DATA, "")
    largest, share = figures
    assert largest.value == pytest.approx(added)
    assert largest.n == share.n == sum(len(text.split()) for text in texts)
    assert share.value == pytest.approx(flipped / share.n)


def test_growth_is_the_slope_of_logarithms(load):
    scaling = load("scaling")
    sizes = [1_000, 10_000, 100_000]
    assert scaling.exponent(sizes, [2.0, 20.0, 200.0]) == pytest.approx(1)
    assert scaling.exponent(sizes, [1.0, 100.0, 10_000.0]) == pytest.approx(2)


def test_sentences_are_repeated_in_new_orders_and_all_as_often(load):
    scaling = load("scaling")
    drawn = list(scaling.shuffled(SENTENCES, 10, seed=2))
    assert len(drawn) == 10
    assert set(Counter(drawn[:8]).values()) == {2}
    assert drawn[:4] != drawn[4:8]
    assert drawn == list(scaling.shuffled(SENTENCES, 10, seed=2))


def test_a_run_that_is_done_is_not_made_again(load, sentences_file, tmp_path, monkeypatch, capsys):
    scaling = load("scaling")
    shape = {"words": 10, "model_sha256": "feed"}
    done = [
        {"texts": n, "seconds": n / 10, "cpu_seconds": n / 5, "peak_mb": peak, **shape}
        for n, peak in ((100, 300.0), (10_000, 500.0), (20_000, 510.0))
    ]
    runs = tmp_path / "runs.jsonl"
    runs.write_text("".join(json.dumps(run) + "\n" for run in done))
    monkeypatch.setattr(scaling, "_start", lambda *_: pytest.fail("a run was made again"))
    command = [str(sentences_file), "--runs", str(runs), "--rounds", "0", "--sizes"]
    command += ["100", "10000", "20000", "--results", str(tmp_path / "results.json")]
    assert scaling.main(command) == 0
    found = {f.name: f for f in read_evaluation(tmp_path / "results.json").figures}
    assert found["scaling.exponent"].value == pytest.approx(1)
    assert found["memory.growth"].value == pytest.approx(0.02)
    assert "scaling.two_threads" not in found
