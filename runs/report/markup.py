"""Elements of HTML and SVG as strings: what is text is escaped, what is a number is short."""

from __future__ import annotations

from html import escape

Attribute = str | int | float


def element(name: str, *children: str, **attributes: Attribute) -> str:
    """One element and its children.

    Args:
        name: of the element; one that HTML closes by itself, such as ``br``, is not for here.
        children: elements or escaped text, see :func:`said`.
        attributes: escaped here. A trailing ``_`` is taken off a name (``class_``),
            any other ``_`` is a ``-`` (``aria_label``).
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(written(value))}"'
        for key, value in attributes.items()
    )
    return f"<{name}{given}>{''.join(children)}</{name}>"


def said(text: str) -> str:
    """Text as it is to be read, whatever it holds."""
    return escape(text)


def written(value: Attribute) -> str:
    """A float with at most two decimals, finer than a screen can show; all else as it is."""
    if not isinstance(value, float):
        return str(value)
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")  # + 0.0 makes -0.0 a 0
