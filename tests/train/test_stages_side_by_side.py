"""Stages side by side: their order, their ends good and bad, their time; then a whole toy run."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny
from click.testing import CliRunner

from trope import Pipeline
from trope.cli.main import main
from trope.core.errors import BadInput, UnknownName
from trope.encoder.trees import is_tree
from trope.train.encoder import stages
from trope.train.encoder.stages import SideBySide, Stage, needed_stages, run_side_by_side

HERE = Path(__file__).parent
PROGRAM = """
import pathlib, sys
work, name = pathlib.Path(sys.argv[1]), sys.argv[-1]
with (work / "order").open("a") as order:
    order.write(f"{name}\\n")
own = work / f"{name}.py"
if own.exists():
    exec(own.read_text())
(work / name).touch()
"""
"""A stage: what a file of its name tells it to do, and then its own file."""

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")


class Toys:
    """A work folder with stages that are small programs, and what is said of them."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.stages: dict[str, Stage] = {}
        self.said: list[str] = []

    def add(self, name: str, *after: str, work: float = 1.0, does: str = "") -> None:
        exists = (self.work / name).exists
        self.stages[name] = Stage(name, lambda: None, exists, after, lambda: work)
        (self.work / f"{name}.py").write_text(does)

    def run(self, *until: str, jobs: int = 1, minutes: float | None = None) -> list[str]:
        """The stages that this run began, in their order; `whole` tells whether all is done."""
        begun = len(self.begun())
        plan = SideBySide(jobs, (str(self.work),), until, minutes)
        self.whole = run_side_by_side(self.stages, plan, self.work, self.said.append)
        return self.begun()[begun:]

    def begun(self) -> list[str]:
        order = self.work / "order"
        return order.read_text().split() if order.exists() else []


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toys:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.setattr(stages, "COMMAND", (sys.executable, "-S", str(program)))
    (tmp_path / "work").mkdir()
    return Toys(tmp_path / "work")


def test_the_longest_way_to_the_end_goes_first(toys: Toys) -> None:
    toys.add("prepare")
    toys.add("teacher-b", "prepare", work=2)
    toys.add("teacher-a", "prepare", work=3)
    toys.add("labels-a", "teacher-a", work=1)
    toys.add("labels-b", "teacher-b", work=5)
    toys.add("export", "labels-a", "labels-b")
    assert toys.run() == ["prepare", "teacher-b", "labels-b", "teacher-a", "labels-a", "export"]
    assert toys.whole
    assert toys.run() == []


def test_what_is_there_needs_nothing_before_it(toys: Toys) -> None:
    toys.add("prepare")
    toys.add("teacher-a", "prepare")
    toys.add("labels-a", "teacher-a")
    toys.add("export", "labels-a", "prepare")
    (toys.work / "labels-a").touch()
    assert list(needed_stages(toys.stages, ())) == ["prepare", "export"]
    assert list(needed_stages(toys.stages, ["teacher"])) == ["prepare", "teacher-a"]


def test_a_run_ends_where_it_is_told(toys: Toys) -> None:
    toys.add("teacher-a")
    toys.add("teacher-b")
    toys.add("labels-a", "teacher-a")
    toys.add("export", "labels-a", "teacher-b")
    assert toys.run("labels-a") == ["teacher-a", "labels-a"]
    assert toys.run("teacher-a", "labels") == []
    assert toys.run("teacher", "labels") == ["teacher-b"]
    assert toys.whole
    with pytest.raises(
        UnknownName, match=r"no stage is called 'label-a'\. Did you mean 'labels-a'"
    ):
        toys.run("label-a")


@needs_pipes
def test_as_many_run_at_a_time_as_are_allowed(toys: Toys) -> None:
    os.mkfifo(toys.work / "pipe")
    # either waits in `open` until the other one is there
    toys.add("teacher-a", does="(work / 'pipe').open('w').write('hello')")
    toys.add("teacher-b", does="assert (work / 'pipe').open().read() == 'hello'")
    toys.add("export", "teacher-a", "teacher-b")
    toys.run(jobs=2)
    assert toys.whole
    assert [line for line in toys.said if line.endswith("2 at work")]


def test_a_stage_that_fails_stops_only_what_needs_it(toys: Toys) -> None:
    toys.add("teacher-a", work=9, does="print('reading a'); sys.exit('trope: no memory is left')")
    toys.add("teacher-b")
    toys.add("labels-a", "teacher-a")
    toys.add("labels-b", "teacher-b")
    toys.add("export", "labels-a", "labels-b")
    with pytest.raises(BadInput, match=r"1 stage failed: teacher-a; .* what is done stays"):
        toys.run()
    assert toys.begun() == ["teacher-a", "teacher-b", "labels-b"]
    at = next(n for n, line in enumerate(toys.said) if line.startswith("teacher-a: failed"))
    log = toys.work / "logs" / "teacher-a.log"
    assert toys.said[at].endswith(f"(status 1); {log} ends:")
    assert toys.said[at + 1 : at + 4] == [
        "  reading a",
        "  trope: no memory is left",
        "not done without teacher-a: labels-a, export",
    ]
    toys.add("teacher-a")
    assert toys.run() == ["teacher-a", "labels-a", "export"]


@pytest.mark.parametrize(
    ("does", "cause"),
    [
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("sys.exit(0)", "without its files"),
    ],
)
def test_an_end_without_files_is_a_failure(toys: Toys, does: str, cause: str) -> None:
    toys.add("export", does=does)
    with pytest.raises(BadInput, match="1 stage failed: export"):
        toys.run()
    assert any(f"({cause})" in line for line in toys.said)


def test_no_stage_begins_that_would_not_end_in_time(toys: Toys) -> None:
    toys.add("teacher-a")
    toys.add("teacher-b", work=10)
    toys.add("teacher-c", work=0.1)
    toys.add("export", "teacher-a", "teacher-b", "teacher-c")
    toys.run("teacher-a")
    (toys.work / "times.json").write_text('{"teacher-a": 600}')
    assert toys.run(minutes=60) == ["teacher-c"]  # the other one would take 100 minutes
    assert not toys.whole
    assert toys.said[-2] == "the time is up; 2 stages left: teacher-b, export"
    (toys.work / "times.json").write_text('{"teacher-a": 60}')
    assert toys.run(minutes=60) == ["teacher-b", "export"]


@needs_pipes
def test_stages_that_run_when_the_time_is_up_are_stopped(toys: Toys) -> None:
    os.mkfifo(toys.work / "pipe")
    toys.add("export", does="(work / 'pipe').open().read()")  # nobody ever writes
    toys.run(minutes=0.02)
    assert not toys.whole
    assert any(line.startswith("export: stopped after") for line in toys.said)
    with pytest.raises(OSError, match="No such device"):  # nobody reads any more
        os.open(toys.work / "pipe", os.O_WRONLY | os.O_NONBLOCK)
    toys.add("export")
    toys.run()
    assert toys.whole


@needs_pipes
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_takes_its_stages_with_it(toys: Toys, number: int) -> None:
    os.mkfifo(toys.work / "pipe")
    waits = "import signal\npipe = (work / 'pipe').open('w')\nsignal.pause()"
    (toys.work / "export.py").write_text(waits)
    code = f"""
import signal
from pathlib import Path
from trope.train.encoder import stages
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs begin without it
stages.COMMAND = {stages.COMMAND!r}
work = Path({str(toys.work)!r})
one = stages.Stage("export", print, (work / "export").exists)
plan = stages.SideBySide(2, (str(work),))
stages.run_side_by_side({{"export": one}}, plan, work, print)
"""
    series = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with (toys.work / "pipe").open("rb") as pipe:  # waits until the stage is there
        series.send_signal(number)
        assert series.wait() != 0
        assert pipe.read() == b""  # comes when nobody can write any more


def test_two_runs_in_one_folder_are_refused(toys: Toys) -> None:
    toys.add("export")
    problems: list[str] = []

    def run_again(line: str) -> None:
        if line.startswith("export: began"):
            with pytest.raises(BadInput, match="another run is at work here") as error:
                run_side_by_side(toys.stages, SideBySide(1, ()), toys.work, print)
            problems.append(str(error.value))

    run_side_by_side(toys.stages, SideBySide(1, (str(toys.work),)), toys.work, run_again)
    assert problems == [f"{toys.work}: another run is at work here; wait until it ends"]


def test_a_stage_is_done_by_one_process_at_a_time(tmp_path: Path) -> None:
    names: dict[str, Stage] = {}
    names["one"] = Stage("one", lambda: stages.do_stage(names, "one", tmp_path), lambda: False)
    with pytest.raises(BadInput, match="the stage one runs in another process"):
        stages.do_stage(names, "one", tmp_path)


SETTINGS = """
seed = 5
base_rank = 2
meaning = 0
""" + "".join(
    f"""
[{table}]
base = "{base}"
encoder_rate = 1e-3
head_rate = 1e-2
words_per_batch = 64
"""
    for table, base in (("student", "e5-small"), ("base", "all-mpnet-base-v2"))
)


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_thread: None
) -> Callable[..., tuple[int, list[str]]]:
    """`trope train` on toy data, whose stages are toys too: its status and what it says."""
    pytest.importorskip("transformers")
    pytest.importorskip("onnx")
    from trope.train.encoder import run
    from trope.train.encoder.bases import BASES

    tiny.shrink(monkeypatch, run)
    program = (sys.executable, str(HERE / "toy_trope.py"), "train")
    monkeypatch.setattr(stages, "COMMAND", program)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    settings = SETTINGS
    for task in ("syntax", "metaphor"):
        settings += f"[[teachers.{task}.fits]]\nnumber = 1\n[teachers.{task}.fits.fit]\n"
        settings += SETTINGS[SETTINGS.rindex("base =") :]
    for name, use in (("ewt", "syntax"), ("vua", "metaphor"), ("newsmet", "metaphor")):
        settings += f'[[sets]]\nname = "{name}"\nuse = "{use}"\nlicence = "own"\n'
        settings += "teacher_passes = 2\nstudent_passes = 3\nbase_passes = 1\n"
    (tmp_path / "toy.toml").write_text(settings)
    data = tiny.write_data(tmp_path / "data", ("ewt",))

    def trope(out: str, *options: str, what: str = "encoder") -> tuple[int, list[str]]:
        for name in ("e5-small", "all-mpnet-base-v2", "bert-vocabulary"):
            there = tmp_path / out / "work" / name / BASES[name].file
            there.parent.mkdir(parents=True, exist_ok=True)
            there.touch()
        folders = ["--from", str(data), "--out", str(tmp_path / out)]
        given = [*folders, "--config", str(tmp_path / "toy.toml"), "--device", "cpu", *options]
        result = CliRunner().invoke(main, ["train", what, *given])
        if isinstance(result.exception, BadInput):  # as `trope` itself says it
            return 2, [*result.stderr.splitlines(), str(result.exception)]
        if not isinstance(result.exception, SystemExit | None):
            raise result.exception
        return result.exit_code, result.stderr.splitlines()

    return trope


def test_a_toy_run_side_by_side_ends_with_a_model_after_one_of_its_stages_was_killed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., tuple[int, list[str]]],
) -> None:
    monkeypatch.setenv("TOY_KILLED", "student-5")
    without = ("--without", "vua", "--without", "newsmet")  # fewer processes
    status, said = command("model", "--jobs", "2", *without)
    assert status == 2
    assert any(line.startswith("student-5: failed") and "SIGKILL" in line for line in said)
    assert "not done without student-5: export-student-5" in said
    work = tmp_path / "model" / "work"
    assert (work / "teacher-syntax-0.safetensors").exists()
    assert not (work / "student-5.safetensors").exists()
    assert not (tmp_path / "model" / "encoder.onnx").exists()

    monkeypatch.delenv("TOY_KILLED")
    status, said = command("model", "--jobs", "2", *without)
    assert status == 0
    assert said[0].startswith("2 stages to do, 2 at a time")
    (done,) = (line for line in said if line.startswith("student-5: done in"))
    assert ": ewt upos " in done
    assert said[-1] == f"the model is in {tmp_path / 'model'}"
    assert {"prepare", "teacher-syntax-0", "labels-syntax", "export-student-5"} <= set(
        json.loads((work / "times.json").read_bytes())
    )

    (parse,) = Pipeline(folder=tmp_path / "model", threads=1).parse([tiny.WORDS[0]])
    assert is_tree(list(parse.heads))


def test_the_tier_base_has_its_own_stages(command: Callable[..., tuple[int, list[str]]]) -> None:
    left_out = ("--without", "vua", "--without", "newsmet")
    for what, options, own in (("encoder", left_out, "student"), ("base", (), "base")):
        with pytest.raises(UnknownName) as error:
            command("model", "--until", "nothing", "--seeds", "2", *options, what=what)
        tasks = ["syntax"] if what == "encoder" else ["metaphor"]
        known = [name for name in error.value.known if not name.startswith(("weights", "half"))]
        assert known == [
            "prepare",
            *(f"{kind}{task}{end}" for task in tasks for kind, end in TEACHING),
            *(f"{kind}{own}-{seed}" for seed in (5, 6) for kind in ("", "export-")),
        ]


TEACHING = (("teacher-", "-0"), ("labels-", ""))


def test_ways_of_a_run_exclude_each_other(command: Callable[..., tuple[int, list[str]]]) -> None:
    for options in (("--stage", "prepare"), ("--folds", "relocar")):
        status, said = command("model", "--jobs", "2", *options)
        assert status == 2
        assert "are different ways of a run; give one of them" in said[-1]
