"""The `dlst` command: its subcommands, and how mistakes are reported."""

from __future__ import annotations

import re
import signal
import sys
from typing import Annotated

import typer
from typer.exceptions import Abort, TyperException

from dlst import __version__
from dlst.cli import (
    compare,
    data_commands,
    demo,
    fit,
    info,
    model_commands,
    reproduce,
    serve_command,
)
from dlst.errors import DlstError

INTERRUPTED = 130

app = typer.Typer(
    name="dlst",
    help="Multi-label learning through label-space transformation.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
for command in (
    data_commands.datasets,
    data_commands.convert,
    model_commands.methods,
    fit.fit,
    model_commands.predict,
    model_commands.evaluate,
    model_commands.explain,
    info.info,
    compare.compare,
    reproduce.reproduce,
    reproduce.report,
    serve_command.serve,
):
    app.command(command.__name__)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dlst {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Multi-label learning through label-space transformation."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0: done; 2: the user's mistake, reported in one line on stderr; 130: interrupted; 143:
    terminated. A traceback means a defect of this program.
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        outcome = app(args=arguments, standalone_mode=False)
    except TyperException as error:
        return _mistake(error.format_message(), given)
    except (DlstError, ValueError) as error:
        return _mistake(str(error), given)
    except OSError as error:
        # Disk full, no permission: the system's word is the clearest.
        message = f"{error.filename}: {error.strerror}." if error.filename else str(error)
        return _mistake(message, given)
    except (KeyboardInterrupt, Abort):
        outcome = INTERRUPTED
    if outcome == INTERRUPTED:
        print("dlst: interrupted.", file=sys.stderr)
    return outcome if isinstance(outcome, int) else 0


def _mistake(message: str, given: list[str]) -> int:
    print("dlst: error:", _in_the_shell(" ".join(message.split()), given), file=sys.stderr)
    return 2


_SHELL = {
    r"\b(labels|delimiter|nominal|encoding)=(?=[\s:.,;])": r"--\1",
    r"\bnominal=\[('[^']*')\]": r"--nominal \1",
    r"\bcolumns=\{'date': \{'([^']*)': '([^']*)'\}\}": r"--date '\1=\2'",
    r"\bcolumns=\{'(\w+)': ('[^']*')\}, '(\w+)' or '(\w+)'": r"--\1 \2, --\3 or --\4",
    r"\bdlst\.methods\.available\(\)": "those that `dlst methods` lists",
}
_OPTIONS = {
    "format": ("from", "to"),
    "splits": ("split",),
    "seconds": ("time-limit",),
    "memory_mib": ("memory-limit",),
}


def _in_the_shell(message: str, given: list[str]) -> str:
    """Name options and commands where a message of the library names arguments and functions.

    Examples
    --------
    >>> _in_the_shell("Name them with labels=: names, a pattern; or with nominal=['a b'].", [])
    "Name them with --labels: names, a pattern; or with --nominal 'a b'."
    >>> _in_the_shell("format must be one of arff, csv; got 'x'.", ["--from", "x"])
    "--from must be one of arff, csv; got 'x'."
    """
    for pattern, words in _SHELL.items():
        message = re.sub(pattern, words, message)
    argument, rest = re.split(r"(?= must |: )|$", message, maxsplit=1)
    for name in _OPTIONS.get(argument, (argument,)):
        option = f"--{name.replace('_', '-')}"
        if any(word.partition("=")[0] == option for word in given):
            return f"{option}{rest}"
    return message


def run() -> None:
    """Run as the `dlst` script."""
    # As an exception, so that files are removed and processes ended on the way out.
    signal.signal(signal.SIGTERM, _terminated)
    # A shell that closes; under nohup it is ignored, and stays so.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, _terminated)
    sys.exit(main())


def _terminated(number: int, frame: object) -> None:
    print("dlst: terminated.", file=sys.stderr)
    sys.exit(128 + number)
