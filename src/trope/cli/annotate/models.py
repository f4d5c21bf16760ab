"""`trope annotate model`: a model answers the questions of a project, beside the people."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.cli.annotate.database import DIRECTORY, FILE, connected
from trope.cli.output import systems_option
from trope.core.errors import BadInput
from trope.core.progress import counted, track

if TYPE_CHECKING:
    from trope.annotate.project import Project

_CHAT_OPTIONS = (
    "prompt_file", "prompt_only", "temperature", "seed", "max_tokens", "timeout", "answers_as",
    "parameters", "price_in", "price_out", "budget", "parallel",
)  # fmt: skip


@click.command(short_help="Let a model answer the questions, beside the people.")
@DIRECTORY
@click.argument("name", metavar="NAME")
@systems_option
@click.option("--head", "heads", multiple=True, metavar="QUESTION=HEAD[:YES/NO]",
              help="The head that answers a question.  [default: the template's]")  # fmt: skip
@click.option("--chat", is_flag=True,
              help="A model behind an endpoint: TROPE_CHAT_URL, TROPE_CHAT_MODEL, "
              "TROPE_CHAT_KEY.")  # fmt: skip
@click.option("--prompt", "prompt_file", type=FILE,
              help="With --chat: its prompt.  [default: DIR/prompts/NAME.md]")  # fmt: skip
@click.option("--prompt-only", is_flag=True, help="Write the prompt, to be edited, and end.")
@click.option("--temperature", type=float, default=0.0, show_default=True, help="Of the model.")
@click.option("--seed", type=int, help="Of the model.")
@click.option("--max-tokens", type=click.IntRange(min=1), default=1000, show_default=True,
              help="Most tokens of an answer.")  # fmt: skip
@click.option("--parameter", "parameters", multiple=True, metavar="NAME=JSON",
              help="A further field of a request; null leaves one out.")  # fmt: skip
@click.option("--answers-as", default="", metavar="MODEL",
              help="What the endpoint calls the model, if not as asked.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=60.0, show_default=True,
              help="Most seconds of a request.")  # fmt: skip
@click.option("--parallel", type=click.IntRange(1, 64), default=4, show_default=True,
              help="Requests at a time.")  # fmt: skip
@click.option("--price-in", type=click.FloatRange(min=0), default=0.0,
              help="Price of a million tokens that are sent.")  # fmt: skip
@click.option("--price-out", type=click.FloatRange(min=0), default=0.0,
              help="Price of a million tokens that are answered.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(min=0), help="Stop before it costs more.")
@click.option("--items", "most", type=click.IntRange(min=1),
              help="Answer only so many items this time.")  # fmt: skip
@click.option("--by", hidden=True, default="command line", help="Who ordered it, on a page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def model(
    context: click.Context, /, directory: Path, name: str, chat: bool, as_json: bool, **given: Any
) -> None:
    """Let a model answer the questions of a project; NAME again goes on where it stopped.

    It is trope's own heads, a system of yours (--system: a folder of `trope train`, or a Hugging
    Face model), or a model behind an endpoint (--chat). Its answers are no judgments, and [models]
    in project.toml says what people see of them. The status is 1 if items have no answer.
    """
    _check_model_options(context, chat)
    project = connected(directory)
    from trope.annotate.prompts import BEGUN
    from trope.annotate.store import model_answers
    from trope.annotate.store.queue import draw_audit

    if given["prompt_only"]:
        click.echo(_prompt(project, name, given["prompt_file"])[0])
        return
    start = _start_chat if chat else _start_heads
    run, answers = start(project, name, given)
    if context.get_parameter_source("by") == click.core.ParameterSource.COMMANDLINE:
        click.echo(BEGUN)  # the page waits for this line, or for an error
    left = model_answers.run_progress(run).left
    for _ in track(answers, name, min(left, given["most"] or left), quiet=as_json):
        pass
    sampled = draw_audit(project.plan)
    found = model_answers.run_progress(run)
    if as_json:
        click.echo(json.dumps(found.as_object(), ensure_ascii=False, indent=1))
    else:
        errors = sum(found.errors.values())
        cost = f", cost {run.cost:.4f}" if run.price_in or run.price_out else ""
        click.echo(f"{name}: {found.answered} of {counted(found.items, 'item')} answered, "
                   f"{counted(errors, 'error')}{cost}; {run.error or run.state}")  # fmt: skip
        if sampled:
            click.echo(f"people judge a random {sampled} of them")
    if found.errors or run.state != "done":
        context.exit(1)


def _check_model_options(context: click.Context, chat: bool) -> None:
    """Refuse options of endpoints without one, and of heads with one."""
    wrong = ("systems", "heads") if chat else _CHAT_OPTIONS
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in wrong and source == click.core.ParameterSource.COMMANDLINE:
            remedy = "leave it out with --chat" if chat else "add --chat"
            raise click.UsageError(f"{option.opts[0]} is for another kind of model; {remedy}")


def _start_heads(project: Project, name: str, given: dict[str, Any]) -> tuple[Any, Iterator[Any]]:
    from trope.annotate.model_runs import run_heads

    named = {"heads": given["heads"], "systems": given["systems"]}
    return run_heads(project, name, **named, most=given["most"] or 0, by=given["by"])


def _start_chat(project: Project, name: str, given: dict[str, Any]) -> tuple[Any, Iterator[Any]]:
    from trope.annotate.chat import named_model
    from trope.annotate.model_runs import run_chat

    path, prompt = _prompt(project, name, given["prompt_file"])
    wanted = {key: given[key] for key in ("temperature", "seed", "max_tokens", "answers_as")}
    wanted |= {"more": dict(map(_parameter, given["parameters"])), "timeout": given["timeout"]}
    asked, kept = named_model(os.environ, project.plan, prompt, path.name, wanted)
    prices = given["price_in"], given["price_out"]
    limits = {"budget": given["budget"], "parallel": given["parallel"], "most": given["most"] or 0}
    return run_chat(project, name, asked, kept, prices=prices, by=given["by"], **limits)


def _parameter(given: str) -> tuple[str, Any]:
    name, is_given, value = given.partition("=")
    try:
        if name and is_given:
            return name, json.loads(value)
    except ValueError:
        pass
    raise BadInput(f"--parameter {given}: write NAME=JSON, such as top_p=0.9")


def _prompt(project: Project, name: str, path: Path | None) -> tuple[Path, str]:
    """The prompt of a run and its file, which is written if there is none."""
    from trope.annotate.prompts import default_prompt, prompt_path, read_prompt, write_prompt
    from trope.annotate.store.model_answers import check_run_name

    check_run_name(name)
    place = path or prompt_path(project.folder, name)
    if path is None and not place.exists():
        write_prompt(place, default_prompt(project.plan))
        click.echo(f"{place}: the prompt was written; edit it for a run of another name", err=True)
    return place, read_prompt(place)
