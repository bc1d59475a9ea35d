"""``python -m dlst``."""

from dlst.cli.app import run

if __name__ == "__main__":
    run()
