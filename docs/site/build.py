"""What MkDocs does beside copying pages: files of the root, references made from the code."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

from docs.site.commands import verbs_page
from docs.site.interface import pages
from setup import copy_package

ROOT = Path(__file__).parents[2]
OF_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Files beside docs/ that are pages of the site, and their names there."""

_ROLE = re.compile(r":(?:class|meth|func|mod|attr|data):<code>[~.]?(?:[\w.]*\.)?(\w+)</code>")


_COPY = TemporaryDirectory()


def copy_sources(config: MkDocsConfig) -> None:
    """Copy the package as installed: mkdocstrings reads files, not ``__path__``."""
    copy_package(Path(_COPY.name))
    config.plugins["mkdocstrings"].config["handlers"]["python"]["paths"] = [_COPY.name]


on_config = event_priority(100)(copy_sources)  # before mkdocstrings looks for its paths


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not files of docs/."""
    made = {
        page: _seen_from_docs((ROOT / path).read_text(encoding="utf-8"))
        for path, page in OF_THE_ROOT.items()
    }
    made |= {"commands.md": verbs_page(), **pages()}
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let links to files of the root lead to their pages."""
    for path, page in OF_THE_ROOT.items():
        markdown = markdown.replace(f"](../{path}", f"]({page}")
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """Show the roles of docstrings as the name that they refer to."""
    return _ROLE.sub(r"<code>\1</code>", html)


def _seen_from_docs(markdown: str) -> str:
    """Links of a file of the root, as they are from docs/."""
    markdown = markdown.replace("](docs/", "](")
    for path, page in OF_THE_ROOT.items():
        markdown = markdown.replace(f"]({path}", f"]({page}")
    return markdown
