"""Reads a YAML file of a workload with the place of every key and value, so that later problems can name it.

Stricter than YAML: no key twice, no anchor inside itself, no aliases that stand for more values than a person would
write (an "alias bomb" of thirty lines stands for 10^30), no deep nesting. A text that only looks like a date or a
number, such as 2013-02-31, stays text; the reader of the value says what it expected. Cost: linear in the values that
the file stands for, which are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from jobs.workload.files.problems import Mark, Problems, brief
from jobs.workload.files.text_file import read_text

MOST_VALUES = 20_000
"""The most values that a file may stand for, with every alias written out."""
DEEPEST = 40
"""The most levels of nesting, with every alias written out."""
_LONGEST = 64
"""The most characters of a key that a place keeps."""


def read_yaml(problems: Problems, path: Path, shown: str = "", *, as_written: bool = False) -> Any:
    """The file's content, or None if it cannot be read. `problems` keeps the places.

    `shown`: the file's name in problems. `as_written`: values are texts as they stand in the file (10:00 is a number of
    YAML), for a reader that knows their types; only null stays null.
    """
    shown = shown or path.name
    text = read_text(problems, path, shown)
    if text is None:
        return None
    try:
        loader = _Loader(text, as_written)
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            problems.marks[shown] = dict(_marks(root, ""))
            for key, first in _twice(root):
                problems.point(shown, _mark(key), f"the key {brief(key.value)} is given twice, first on line {first}")
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        at = Mark(before.count("\n") + 1, len(before) - before.rfind("\n"))
        problems.point(shown, at, f"not YAML: the character #x{int(error.character):04x} is not allowed")
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        reason = brief(getattr(error, "problem", None) or error, quoted=False)
        problems.point(shown, Mark(mark.line + 1, mark.column + 1) if mark else None, f"not YAML: {reason}")
    return None


class _Loader(yaml.SafeLoader):
    """Values of YAML's own types, bounded. A text that only looks like a date or a number is kept as text."""

    def __init__(self, text: str, as_written: bool = False) -> None:
        super().__init__(text)
        self._as_written = as_written
        self._level = 0
        self._extents: dict[int, tuple[int, int]] = {}
        """For each node, the number of values that it stands for, and its levels of nesting."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        mark, alias = event.start_mark, isinstance(event, yaml.AliasEvent)
        if self._level > DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"is nested deeper than {DEEPEST} levels", mark)
        self._level += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        if node is None:
            return None
        if not alias:
            parts = [self._extents[id(part)] for part in _parts(node)]
            self._extents[id(node)] = (
                1 + sum(size for size, _ in parts),
                1 + max((deep for _, deep in parts), default=0),
            )
        elif id(node) not in self._extents:
            raise yaml.composer.ComposerError(None, None, f"the anchor '{event.anchor}' is inside of itself", mark)
        size, deep = self._extents[id(node)]
        if size > MOST_VALUES or deep > DEEPEST:
            limit = f"more than {MOST_VALUES:,} values" if size > MOST_VALUES else f"more than {DEEPEST} levels"
            raise yaml.composer.ComposerError(None, None, f"stands for {limit}, with its aliases written out", mark)
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if self._as_written and isinstance(node, yaml.ScalarNode) and node.tag != "tag:yaml.org,2002:null":
            return node.value
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, AttributeError, KeyError, TypeError):
            if not isinstance(node, yaml.ScalarNode):
                raise
            self.recursive_objects.pop(node, None)
            return node.value


def mark_inside(problems: Problems, where: str, text: str, start: int, length: int = 1) -> Mark | None:
    """Where a part of a text value stands in the file, also if the text is quoted or folded.

    If the file writes the text differently, as with escapes, it is the place of the whole value.
    """
    file, _, path = where.partition(": ")
    marks = problems.marks.get(file, {}).get(path)
    if marks is None:
        return problems.mark(where)
    lines = problems.texts[file]
    line, column = marks[1].line - 1, marks[1].column - 1
    before = "\n".join(lines[:line]) + "\n" * bool(line) + lines[line][:column]
    written = "\n".join(lines)
    at = len(before) + len(_PREFIX.match(written[len(before) :])[0])  # type: ignore[index]  # it matches nothing, too
    for character in text[: start + 1]:
        if character.isspace():
            continue
        while at < len(written) and written[at].isspace():
            at += 1
        if at == len(written) or written[at] != character:
            return problems.mark(where)
        at += 1
    head = written[: at - 1]
    return Mark(head.count("\n") + 1, len(head) - head.rfind("\n"), length)


_PREFIX = re.compile(r"""(?:[&!]\S*\s+)*(?:[|>][^\n]*\n|['"])?""")
"""What stands before the first character of a text: anchor, tag, and the sign of a block or a quote."""


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _twice(node: yaml.Node) -> Iterator[tuple[yaml.ScalarNode, int]]:
    """Keys that a mapping has twice, each with the line of the first. Aliased values are visited once."""
    seen: set[int] = set()
    rest = [node]
    while rest:
        inner = rest.pop()
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        rest += reversed(_parts(inner))
        if isinstance(inner, yaml.MappingNode):
            first: dict[tuple[str, str], yaml.ScalarNode] = {}
            for key, _ in inner.value:
                if isinstance(key, yaml.ScalarNode) and first.setdefault((key.tag, key.value), key) is not key:
                    yield key, first[key.tag, key.value].start_mark.line + 1


def _marks(node: yaml.Node, path: str) -> Iterator[tuple[str, tuple[Mark, Mark]]]:
    """The places of each key, or item, and of its value by its path: `queries.late.shedding`, `rows[2].name`."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = str(key.value)[:_LONGEST]
            inner = f"{path}.{name}" if path else name
            yield inner, (_mark(key), _mark(value))
            yield from _marks(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield f"{path}[{number}]", (_mark(item), _mark(item))
            yield from _marks(item, f"{path}[{number}]")


def _mark(node: yaml.Node) -> Mark:
    start, end = node.start_mark, node.end_mark
    length = end.column - start.column if end.line == start.line else 1
    return Mark(start.line + 1, start.column + 1, max(length, 1))
