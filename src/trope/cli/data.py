"""`trope data`: list, describe, check and download corpora; deliver tweets by their ids."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from trope import __version__
from trope.cli import data_tables as show
from trope.cli.completion import complete_corpora
from trope.cli.tweet_ids import deliver, rejoin
from trope.core.errors import BadInput, MissingData
from trope.core.progress import track
from trope.corpora.checks import FileReport, check_file, present
from trope.corpora.download import fetch, plan_download
from trope.corpora.metadata import CorpusFile, CorpusMetadata, load_corpora

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_FOLDER = click.Path(path_type=Path)


@click.group()
def data() -> None:
    """List, describe, check and download corpora; deliver and rejoin tweets by their ids.

    Each corpus has a folder of its own name: `--from DIR` and `--to DIR` are the folder above.
    """


@data.command("list")
@_JSON
def list_corpora(as_json: bool) -> None:
    """List all corpora, one per line."""
    corpora = tuple(load_corpora())
    if as_json:
        _print_json({"corpora": [_summary(corpus) for corpus in corpora]})
    else:
        show.corpora(corpora)


@data.command()
@click.argument("name", shell_complete=complete_corpora)
@_JSON
def info(name: str, as_json: bool) -> None:
    """Show source, licence, citation and files of corpus NAME."""
    corpus = load_corpora()[name]
    if as_json:
        _print_json(_details(corpus))
    else:
        show.corpus(corpus)


@data.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_corpora)
@click.option(
    "--from",
    "folder",
    type=_FOLDER,
    metavar="DIR",
    required=True,
    help="Folder with the corpora (DIR/NAME/FILE).",
)
@_JSON
@click.pass_context
def check(ctx: click.Context, names: Sequence[str], folder: Path, as_json: bool) -> None:
    """Check corpora for missing and altered files and wrong counts.

    Checksums and counts are those of the catalogue. Without a NAME, all corpora are checked. The
    exit status is 1 if anything is wrong.
    """
    corpora = load_corpora().select(names)
    if not folder.is_dir():
        raise MissingData(folder, "give the folder that holds the corpora")
    work = [(corpus, file) for corpus in corpora for file in corpus.files]
    steps = track(work, "checking", total=len(work), quiet=_quiet(ctx))
    reports = [check_file(corpus, file, folder) for corpus, file in steps]
    if as_json:
        _print_json(_findings(corpora, reports, folder))
    else:
        show.findings(corpora, reports)
    if any(report.status != "equal" for report in reports):
        ctx.exit(1)


@data.command()
@click.argument("name", shell_complete=complete_corpora)
@click.option(
    "--to",
    "folder",
    type=_FOLDER,
    metavar="DIR",
    required=True,
    help="Folder to put it in (DIR/NAME/FILE).",
)
@click.option("--mirror", default="", metavar="URL", help="Fetch URL/NAME/FILE instead.")
@_JSON
@click.pass_context
def get(ctx: click.Context, name: str, folder: Path, mirror: str, as_json: bool) -> None:
    """Download corpus NAME, or resume a broken download.

    The exit status is 1 if some of its files have no known address: get these yourself.
    """
    corpus = load_corpora()[name]
    if not mirror and not corpus.downloadable:
        raise BadInput(f"{name} cannot be downloaded; {corpus.obtain}")
    if not _quiet(ctx):
        click.echo(f"{corpus.title}: {corpus.licence}. {corpus.terms}", err=True)
    results = [_get_file(corpus, file, folder, mirror, _quiet(ctx)) for file in corpus.files]
    if as_json:
        _print_json({"corpus": name, "to": str(folder), "files": results})
    else:
        show.downloads(corpus, results)
    if any(result["status"] == "by hand" for result in results):
        ctx.exit(1)


data.add_command(deliver)
data.add_command(rejoin)


def _get_file(
    corpus: CorpusMetadata, file: CorpusFile, folder: Path, mirror: str, quiet: bool
) -> dict[str, Any]:
    if path := present(corpus, file, folder):
        return {"file": file.name, "status": "already there", "path": str(path)}
    order = plan_download(corpus, file, folder, mirror)
    if order is None:
        return {"file": file.name, "status": "by hand", "path": None}
    with show.download_bar(order.to.name, quiet) as report:
        fetch(order, report=report)
    return {"file": file.name, "status": "downloaded", "path": str(order.to)}


def _quiet(ctx: click.Context) -> bool:
    return bool((ctx.find_root().obj or {}).get("quiet", False))


def _print_json(document: dict[str, Any]) -> None:
    click.echo(json.dumps({"trope": __version__, **document}, ensure_ascii=False, indent=2))


def _summary(corpus: CorpusMetadata) -> dict[str, Any]:
    return {
        "name": corpus.name,
        "title": corpus.title,
        "extent": corpus.extent,
        "licence": corpus.licence,
        "terms": corpus.terms,
        "bytes": corpus.bytes,
        "files": len(corpus.files),
        "downloadable": len(corpus.downloadable),
    }


def _details(corpus: CorpusMetadata) -> dict[str, Any]:
    details = dataclasses.asdict(corpus)
    for file, row in zip(corpus.files, details["files"], strict=True):
        row["url"] = corpus.address(file) or None
        row["licence"] = file.licence or corpus.licence
        del row["remote"]
    del details["download"]
    return details


def _findings(
    corpora: Sequence[CorpusMetadata], reports: Sequence[FileReport], folder: Path
) -> dict[str, Any]:
    return {
        "from": str(folder),
        "equal": all(report.status == "equal" for report in reports),
        "corpora": [
            {
                "name": corpus.name,
                "files": [
                    {
                        "name": report.file,
                        "status": report.status,
                        "problems": list(report.problems),
                        "counts": dict(report.counts),
                    }
                    for report in reports
                    if report.corpus == corpus.name
                ],
            }
            for corpus in corpora
        ],
    }
