"""Hands that use a page: a keyboard and nothing else, or a finger on a phone; both are counted."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from browsers import TROPE, free_port

_MOST_TABS = 200
_HAS_FOCUS = "one => one === document.activeElement"


class Keyboard:
    """Goes through a page with Tab, and types."""

    options: ClassVar[dict[str, Any]] = {"viewport": {"width": 1000, "height": 800}}

    def __init__(self, page: Any) -> None:
        self.page, self.number = page, 0
        # the browser hands lists of files over from now on, not some time after one is asked for
        page.on("filechooser", lambda chooser: None)

    def reach(self, target: Any) -> None:
        """Move the focus to something, as far as it is."""
        target = target.first
        target.wait_for()
        for _ in range(_MOST_TABS):
            if target.evaluate(_HAS_FOCUS):
                return
            self.page.keyboard.press("Tab")
            self.number += 1
        raise AssertionError(f"the keyboard cannot reach {target}")

    def use(self, target: Any) -> None:
        """Press a button or follow a link."""
        self.reach(target)
        self.page.keyboard.press("Enter")
        self.number += 1

    def go(self, target: Any) -> None:
        """The same, and wait for the page that it leads to."""
        self.reach(target)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")
        self.number += 1

    def write(self, target: Any, text: str) -> None:
        """Replace what a field holds."""
        self.reach(target)
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)
        self.number += 2

    def check(self, target: Any) -> None:
        """Choose one of several answers that stand in a group."""
        self.reach(target)
        self.page.keyboard.press("Space")
        self.number += 1

    def pick(self, target: Any, label: str) -> None:
        """Choose an entry of a list by its first letters."""
        self.reach(target)
        self.page.keyboard.type(label)
        self.number += len(label)

    def bring(self, target: Any, path: Path) -> None:
        """Choose a file: open the list of files, and take it."""
        self.reach(target)
        with self.page.expect_file_chooser() as opened:
            self.page.keyboard.press("Space")
        opened.value.set_files(str(path))
        self.number += 2


class Finger(Keyboard):
    """Taps on what it sees, on a screen as wide as a phone's."""

    options: ClassVar[dict[str, Any]] = {
        "viewport": {"width": 390, "height": 800},
        "has_touch": True,
    }

    def reach(self, target: Any) -> None:
        """Scroll to something."""
        target.first.scroll_into_view_if_needed()

    def use(self, target: Any) -> None:
        """Tap a button or a link."""
        target.first.tap()
        self.number += 1

    def go(self, target: Any) -> None:
        """The same, and wait for the page that it leads to."""
        with self.page.expect_navigation():
            target.first.tap()
        self.number += 1

    def write(self, target: Any, text: str) -> None:
        """Replace what a field holds."""
        target.first.fill(text)
        self.number += 2

    def check(self, target: Any) -> None:
        """Tap an answer."""
        target.first.check()
        self.number += 1

    def pick(self, target: Any, label: str) -> None:
        """Choose an entry of a list."""
        target.first.select_option(label=label)
        self.number += 2

    def bring(self, target: Any, path: Path) -> None:
        """Choose a file."""
        with self.page.expect_file_chooser() as opened:
            target.first.tap()
        opened.value.set_files(str(path))
        self.number += 2


@contextmanager
def started(folder: Path, *more: str) -> Iterator[str]:
    """The service on a folder that may not exist yet; gives the owner's link."""
    command = [*TROPE, "serve", str(folder), "--port", str(free_port()), *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        try:
            assert service.stdout is not None
            link = re.search(r"http://\S+", service.stdout.readline())
            assert link
            yield link[0]
        finally:
            service.terminate()
