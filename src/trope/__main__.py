"""`python -m trope` is the command `trope`."""

from trope.cli.main import run

if __name__ == "__main__":
    run()
