"""Draw docs/rooms.svg, the rooms of the house and who imports whom, from the sources.

python -m docs.site.rooms
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from sts.command_line import run_tool
from sts.files import write_text
from tests.layout import ROOMS, Sources, graph_of, room_of

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "rooms.svg"

WIDTH, GAP, LINE, TOP = 132, 36, 18, 72
"""Pixels: of a room, between rooms, of a line of text, above the rooms."""

ABOUT = {
    "sts": "the task",
    "embeddings": "text to vectors",
    "features": "pair to score",
    "runs": "recipes",
    "semaniacs": "the front door",
}


def main() -> None:
    """Write the picture."""
    write_text(PICTURE, picture())


def picture() -> str:
    """The picture as it should be."""
    rooms = ROOMS[:-1]
    paths = [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]
    return draw({path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths})


def draw(sources: Sources) -> str:
    """SVG: a box a room, with its folders and files; an arrow from each room to what it imports."""
    holds = {room: entries(sources, room) for room in ABOUT}
    lines = max(map(len, holds.values()))
    width, height = len(ABOUT) * (WIDTH + GAP) + GAP, TOP + (lines + 5) * LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13">',
        "<title>The rooms, their folders, and which room imports which</title>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 0 8 4 0 8Z" fill="#00796b"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    left = {room: GAP + place * (WIDTH + GAP) for place, room in enumerate(ABOUT)}
    parts += [box(room, holds[room], left[room], height) for room in ABOUT]
    parts += [arrow(left[a], left[b]) for a, others in imports(sources).items() for b in others]
    return "\n".join([*parts, "</svg>\n"])


def entries(sources: Sources, room: str) -> list[str]:
    """The folders of a room, with a stroke, and then its files."""
    parts = [path.split("/")[1:] for path in sources if room_of(path) == room]
    folders = sorted({f"{part[0]}/" for part in parts if len(part) > 1})
    files = sorted({part[0] for part in parts if len(part) == 1 and part[0][0] != "_"})
    return folders + files


def imports(sources: Sources) -> Mapping[str, list[str]]:
    """The other rooms from which a file of each room imports."""
    found: dict[str, set[str]] = {room: set() for room in ABOUT}
    for module, others in graph_of(sources).items():
        room = module.split(".")[0]
        found[room] |= {other.split(".")[0] for other in others} - {room}
    return {room: sorted(others) for room, others in found.items()}


def box(room: str, holds: list[str], left: int, height: int) -> str:
    """A room and what it holds."""
    texts = [(room, "bold", 0), (ABOUT[room], "normal", 1)]
    texts += [(entry, "normal", place) for place, entry in enumerate(holds, 3)]
    lines = [
        f'<text x="{left + 10}" y="{TOP + 22 + place * LINE}" font-weight="{weight}" '
        f'fill="{"#00796b" if place == 1 else "#222"}">{escape(text)}</text>'
        for text, weight, place in texts
    ]
    frame = (
        f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{height - TOP - 8}" rx="6" '
        'fill="#f1f8f7" stroke="#00796b"/>'
    )
    return "\n".join([frame, *lines])


def arrow(begin: int, end: int) -> str:
    """An arc above the rooms; the further, the higher."""
    rooms_between = (begin - end) // (WIDTH + GAP)
    top = TOP - 20 * rooms_between
    # Each arrow leaves and arrives at a place of its own.
    x, to = begin + 10 * rooms_between, end + WIDTH - 10 * rooms_between
    return (
        f'<path d="M{x} {TOP}C{x} {top} {to} {top} {to} {TOP}" fill="none" stroke="#00796b" '
        'marker-end="url(#tip)"/>'
    )


if __name__ == "__main__":
    run_tool(main)
