"""A YAML file of a workload, read with the line of every key, so that a problem found later can say where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from jobs.workload.problems import Problems


def read_yaml(problems: Problems, path: Path) -> Any:
    """What the file holds, None if it is no YAML; `problems` learns its lines."""
    try:
        loader = yaml.SafeLoader(path.read_text(encoding="utf-8"))
        try:
            root = loader.get_single_node()
            if root is None:
                return None
            problems.lines[path.name] = dict(_lines(root, ""))
            return loader.construct_document(root)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        problems.add(f"{path.name}{place}", f"not YAML: {getattr(error, 'problem', None) or error}")
    except UnicodeDecodeError as error:
        problems.add(path.name, f"not UTF-8: {error.reason} at byte {error.start}")
    return None


def _lines(node: yaml.Node, path: str) -> Iterator[tuple[str, int]]:
    """The line, from 1, of each key and item, by its path: `queries.late.shedding`, `rows[2].name`."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            own = f"{path}.{key.value}" if path else str(key.value)
            yield own, key.start_mark.line + 1
            yield from _lines(value, own)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield f"{path}[{number}]", item.start_mark.line + 1
            yield from _lines(item, f"{path}[{number}]")
