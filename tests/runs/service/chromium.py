"""A person at a page: Chromium without a window, driven by its DevTools protocol over two pipes."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runs.report.screenshot import browser

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--remote-debugging-pipe",
)  # fmt: skip


class Person:
    """One tab, and what a person does in it."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, os.fdopen(back, "rb")
        self._session: str | None = None
        self._number = 0
        self._read = b""
        self.said: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> Any:
        """Ask the browser; what it answers."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = json.loads(self._next())
            if found.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(json.dumps(found["params"]))
            if found.get("id") == self._number:
                assert "error" not in found, found
                return found["result"]

    def _next(self) -> bytes:
        while b"\0" not in self._read:
            chunk = self._back.read1()
            assert chunk, "the browser has ended"
            self._read += chunk
        message, _, self._read = self._read.partition(b"\0")
        return message

    def close(self) -> None:
        """Close both pipes."""
        os.close(self._to)
        self._back.close()

    def look(self, width: int, height: int = 900, *, dark: bool = False) -> None:
        """See pages on a screen of this width, light or dark."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, url: str) -> None:
        """Open a page and wait until it is complete."""
        self.send("Page.navigate", url=url)
        self.wait('document.readyState === "complete" && location.href !== "about:blank"')

    def see(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, expression: str, seconds: float = 60) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.see(expression):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)

    def press(self, key: str, code: int, modifiers: int = 0) -> None:
        """Press a key: its name, its number, and Ctrl (2) or Shift (8)."""
        text = {"text": "\r"} if key == "Enter" and not modifiers else {}
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                **(text if kind == "keyDown" else {}),
            )  # fmt: skip

    def write(self, selector: str, text: str) -> None:
        """Put text in place of what a field holds."""
        self.see(f"document.querySelector({json.dumps(selector)}).select()")
        self.see(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def choose_file(self, selector: str, path: Path) -> None:
        """Choose a file in a field for files."""
        root = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", files=[str(path)], nodeId=node)

    def screenshot(self) -> bytes:
        """The whole page as PNG."""
        found = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(found["data"])


@contextmanager
def person(folder: Path) -> Iterator[Person]:
    """A person at a new browser whose files are in this folder."""
    program = browser()
    assert program is not None
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    # The browser reads descriptor 3 and writes descriptor 4.
    shell = f'exec "$0" "$@" 3<&{to_read} 4>&{back_write}'
    command = ["bash", "-c", shell, program, *FLAGS, f"--user-data-dir={folder / 'profile'}"]
    with (folder / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "about:blank"], pass_fds=(to_read, back_write), stdout=log, stderr=log
        )
    os.close(to_read)
    os.close(back_write)
    found = Person(to_write, back_read)
    try:
        yield found
    finally:
        found.close()
        process.terminate()
        process.wait(60)
