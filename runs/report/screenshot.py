"""A screenshot of a page, taken by a browser without a window."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from sts.errors import MissingResourceError, StsError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TIMEOUT = 120.0
"""Seconds after which a browser that does not answer is stopped."""


def browser() -> str | None:
    """The path of the first Chromium on this machine, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def need_browser() -> str:
    """The path of the first Chromium on this machine.

    Raises:
        MissingResourceError: there is none.
    """
    program = browser()
    if program is None:
        raise MissingResourceError(
            f"no browser found ({', '.join(BROWSERS)}); to have one: apt-get install chromium"
        )
    return program


def take_screenshot(page: Path, *, width: int, height: int) -> bytes:
    """The top of a page as PNG bytes.

    Args:
        page: an HTML file.
        width, height: in pixels; Chromium makes no window narrower than 500.

    Raises:
        MissingResourceError: there is no Chromium.
        StsError: it wrote no file.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "screenshot.png"
        arguments = (f"--screenshot={target}", f"--window-size={width},{height}")
        run_browser(page, Path(folder), *arguments)
        if not target.is_file():
            raise StsError(f"{page}: the browser took no screenshot of it")
        return target.read_bytes()


def run_browser(page: Path, folder: Path, *arguments: str) -> str:
    """What Chromium prints when it opens a page without a window.

    Args:
        page: an HTML file.
        folder: for the browser's own files.
        arguments: options of the browser.

    Raises:
        MissingResourceError: there is no Chromium.
        StsError: it does not answer.
    """
    program = need_browser()
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    command = [program, *quiet, f"--user-data-dir={folder / 'profile'}", *arguments]
    try:
        ended = subprocess.run(
            [*command, page.resolve().as_uri()],
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise StsError(f"{program}: cannot open {page} ({error})") from None
    return ended.stdout
