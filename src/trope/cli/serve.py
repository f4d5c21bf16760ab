"""`trope serve`: the workbench, pages on your machine."""

from __future__ import annotations

import secrets
import webbrowser
from pathlib import Path

import click

from trope.cli.engines import device_option
from trope.cli.output import systems_option

FOLDER = click.Path(path_type=Path, file_okay=False)
BRING_MB = 500
"""What a browser on this machine may bring unless the command says otherwise."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("corpus", required=False, type=click.Path(path_type=Path), metavar="[CORPUS]")
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Address to listen on; other machines need a token.")  # fmt: skip
@click.option("--port", default=8200, show_default=True, type=click.IntRange(1, 65535),
              help="Port to listen on.")  # fmt: skip
@click.option("--index", type=FOLDER,
              help="Folder of the corpus's index.  [default: your cache folder]")  # fmt: skip
@click.option("--projects", type=FOLDER, default=Path("projects"), show_default=True,
              help="Folder for annotation projects made from a selection.")  # fmt: skip
@click.option("--keep", type=FOLDER,
              help="Folder for pasted texts.  [default: your data folder]")  # fmt: skip
@click.option("--bring", "bring_mb", type=click.IntRange(min=0), metavar="MB",
              help="Most megabytes of files that a browser may bring as a corpus; 0 for none.  "
              "[default: 500, or 0 if other machines can connect]")  # fmt: skip
@click.option("--tier", default="small", show_default=True, help="Model to use.")
@click.option("--base-weights", help="Folder of the public weights that the tier base needs.",
              type=click.Path(path_type=Path, exists=True))  # fmt: skip
@systems_option
@click.option("--threads", type=click.IntRange(min=1), help="Threads to use.  [default: all cores]")
@device_option
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--quiet", is_flag=True, help="No notes on standard error.")
@click.option("--verbose", is_flag=True, help="Show tracebacks of errors.")
@click.pass_context
def serve(
    context: click.Context,
    corpus: Path | None,
    host: str,
    port: int,
    index: Path | None,
    projects: Path,
    keep: Path | None,
    bring_mb: int | None,
    tier: str,
    base_weights: Path | None,
    systems: tuple[str, ...],
    threads: int | None,
    device: str,
    no_browser: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Open the workbench: analyse a text, or explore files or a CORPUS that `trope detect` wrote.

    Texts stay on your machine. The command prints the address; stop it with Ctrl-C.
    """
    quiet = quiet or bool((context.obj or {}).get("quiet"))
    from trope.workbench.web import server
    from trope.workbench.web.state import WorkbenchOptions, brought_folder, saved_texts_folder

    public = server.needs_token(host)
    if bring_mb is None:
        bring_mb = 0 if public else BRING_MB
    options = WorkbenchOptions(
        host=host,
        port=port,
        corpus=corpus,
        index=index,
        projects=projects.absolute(),
        keep=(keep or saved_texts_folder()).absolute(),
        tier=tier,
        base_weights=base_weights,
        systems=systems,
        threads=threads,
        device=device,
        token=secrets.token_urlsafe(32) if public else "",
        bring_mb=bring_mb,
        brought=brought_folder().absolute(),
    )
    address = server.address(options)

    def ready() -> None:
        click.echo(address)
        if options.token and not quiet:
            click.echo(
                "Other machines can use this link; the connection is not encrypted.",
                err=True,
            )
        if not no_browser:
            webbrowser.open(address)

    def tell(step: str) -> None:
        if not quiet:
            click.echo(f"{corpus}: {step} …", err=True)

    server.serve(options, when_ready=ready, tell=tell)
