"""A real browser, and axe, for tests that look at pages.

A test module takes the fixture by importing it: `from chromium import chromium`.
"""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_PATIENCE_MS = 120_000
"""How long a page may take for what it is waited for: a busy machine is no fault of the page."""

# What Playwright turns off (an option that is given twice counts once, as it was given last), and
# the suggestions of the address bar: nobody sees them, and each window spends more on them than on
# the page in it.
_FEATURES_OFF = (
    "AimEnabled",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxPopup",
)

_RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""The rules that axe has on by itself and that look at colours."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with playwright.sync_playwright() as started:
        features = f"--disable-features={','.join(_FEATURES_OFF)}"
        launched = started.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", features]
        )
        yield launched
        launched.close()


def new_page(browser: Any, **options: Any) -> Any:
    """A page with a memory of its own, which waits with patience."""
    context = browser.new_context(**options)
    context.set_default_timeout(_PATIENCE_MS)
    return context.new_page()


def follow(target: Any, key: str | None = None) -> None:
    """Click a link or a button, or press a key on it, and wait for the page that it leads to."""
    with target.page.expect_navigation():
        target.click() if key is None else target.press(key)


def axe_source() -> str:
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe is not installed (pip install axe-playwright-python)")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def grave(page: Any, axe: str) -> list[str]:
    """What axe calls serious or critical on the page: everything in light, the colours in dark.

    Evaluated from outside, past the policy.
    """
    page.evaluate(axe)
    page.emulate_media(color_scheme="light")
    found = _run_axe(page, "{resultTypes: ['violations']}")
    page.emulate_media(color_scheme="dark")
    dark = _run_axe(page, f"{{resultTypes: ['violations'], runOnly: {_RULES_OF_COLOUR}}}")
    page.emulate_media(color_scheme="light")
    return [*found, *(f"{fault} (dark)" for fault in dark)]


def _run_axe(page: Any, options: str) -> list[str]:
    found = page.evaluate(f"axe.run(document, {options})")
    assert found["passes"], "axe looked at nothing"
    return [
        f"{page.url}: {fault['id']}: {node['html'][:120]}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
