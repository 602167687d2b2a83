"""The ways to get a workload folder wrong: a generator of wrong folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.dags.bad_folders import bomb, merge_bomb
from tests.workload.machines_folder import FILES, YAML_FILES


@dataclass(frozen=True)
class Wrong:
    """A way to get the folder wrong. `messages`: what is printed holds them."""

    name: str
    change: Callable[[Path], None]
    messages: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name


def replaced(file: str, old: str, new: str, *messages: str) -> Wrong:
    """One text for another in a file."""
    assert FILES[file].count(old) >= 1, old

    def change(folder: Path) -> None:
        (folder / file).write_text(FILES[file].replace(old, new, 1))

    return Wrong(f"{file}: {old[:30]} -> {new[:30]}", change, messages)


def holding(file: str, name: str, content: str | bytes, *messages: str) -> Wrong:
    """Another content of a file."""

    def change(folder: Path) -> None:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())

    return Wrong(f"{file}: {name}", change, messages)


def instead(file: str, name: str, make: Callable[[Path], None], *messages: str) -> Wrong:
    """Something else in a file's place."""

    def change(folder: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        make(folder / file)

    return Wrong(f"{file}: {name}", change, messages)


def contents(file: str) -> Iterator[Wrong]:
    """What any file may hold, or be, instead of its text."""
    text = FILES[file].encode()
    yield holding(file, "not UTF-8", text + b"\n# \xff\xfe", "not UTF-8")
    yield holding(file, "UTF-16", FILES[file].encode("utf-16"))
    yield holding(file, "huge", text + b"\n" + b"-- # x\n" * 100_000, "is larger than 262,144 bytes")
    yield holding(file, "binary", bytes(range(256)))
    yield instead(
        file, "dangling link", lambda path: path.symlink_to("nowhere"), "is a link to 'nowhere', which is no file"
    )
    yield instead(file, "loop of links", lambda path: path.symlink_to(path.name), "which is no file")
    yield instead(file, "folder", lambda path: path.mkdir(), "is a folder, not a file")
    yield instead(file, "pipe", os.mkfifo, "is no file")
    yield instead(file, "endless device", lambda path: path.symlink_to("/dev/zero"), "which is no file")


def yaml_contents(file: str) -> Iterator[Wrong]:
    """What only a YAML file may hold."""
    text = FILES[file]
    yield holding(file, "two documents", text + "---\n" + text, "not YAML")
    yield holding(file, "bomb", bomb() + text, "stands for more than 20,000 values")
    yield holding(file, "bomb of merges", merge_bomb() + text, "stands for more than 20,000 values")
    yield holding(file, "deep", text + "deep: " + "[" * 20_000 + "]" * 20_000, "is nested deeper than 40 levels")
    yield holding(
        file, "deep by indents", text + "deep:\n" + "".join(" " * n + "-\n" for n in range(1, 400)), "nested deeper"
    )
    yield holding(file, "unclosed", text + "x: [", "not YAML")
    yield holding(file, "tag", text + "x: !!python/object/apply:os.system [ls]\n", "not YAML")
    yield holding(file, "undefined alias", text + "x: *nowhere\n", "not YAML")
    yield holding(file, "key of a mapping", text + "? {a: b}\n: c\n", "not YAML")
    yield holding(file, "key of a number", text + "1: c\n")
    yield holding(file, "nul", text + "x: \x00\n", "not YAML: the character #x0000")
    yield holding(file, "text", "words\n")
    yield holding(file, "list", "- words\n")


def misspelt_keys() -> Iterator[Wrong]:
    """Every key of every YAML file with another last letter; those of `options` are the reader's."""
    for file in YAML_FILES:
        for path, key, _ in _pairs(yaml.compose(FILES[file]), ""):
            if ".options." not in path and not path.startswith(("queries.Q1", "atoms.heavy")) and path != "rows":
                yield _spliced(file, key, key.value[:-1] + "qq", f"key {path}")


def values_of_another_kind() -> Iterator[Wrong]:
    """Every value of every YAML file as a list, a mapping, a word, where it is none of that kind."""
    kinds = {yaml.ScalarNode: "word", yaml.SequenceNode: "[word]", yaml.MappingNode: "{word: word}"}
    for file in YAML_FILES:
        for path, _, value in _pairs(yaml.compose(FILES[file]), ""):
            for kind, text in kinds.items():
                if not isinstance(value, kind) and ".arguments." not in path and not path.endswith("axes.window"):
                    yield _spliced(file, value, text, f"{path} = {text}")


def _pairs(node: yaml.Node, path: str) -> Iterator[tuple[str, yaml.ScalarNode, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            own = f"{path}.{key.value}".lstrip(".")
            yield own, key, value
            yield from _pairs(value, own)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _pairs(item, path)


def _spliced(file: str, node: yaml.Node, text: str, name: str) -> Wrong:
    """Another text in the place of a node."""

    def change(folder: Path) -> None:
        whole = FILES[file]
        end = node.end_mark.index
        after = whole[end:] if whole[end - 1] != "\n" or isinstance(node, yaml.ScalarNode) else "\n" + whole[end:]
        (folder / file).write_text(whole[: node.start_mark.index] + text + after)

    return Wrong(f"{file}: {name}", change)


def emptied(folder: Path) -> None:
    """Remove the folder's content."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
