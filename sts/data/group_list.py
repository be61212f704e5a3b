"""Lists of groups, which become tables with one row per member."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any, ClassVar, TypeVar

from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.progress import counted

Group = TypeVar("Group")


class GroupList(list[Group]):
    """Groups in their order."""

    columns: ClassVar[tuple[str, ...]]

    def records(self) -> list[tuple[Any, ...]]:
        """Return the rows of a table with these columns."""
        raise NotImplementedError

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return type(self)(found) if isinstance(place, slice) else found

    def to_pandas(self) -> Any:
        """Return the table as a pandas DataFrame; a StsError if pandas is not installed."""
        if find_spec("pandas") is None:
            raise MissingResourceError("a DataFrame needs pandas: pip install pandas")
        import pandas

        return pandas.DataFrame(self.records(), columns=list(self.columns))

    def __repr__(self) -> str:
        shown = "".join(f", {group!r:.80}" for group in self[:3])
        return f"<{counted(len(self), 'group')}, {counted(len(self.records()), 'row')}{shown}>"
