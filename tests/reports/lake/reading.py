"""Pages as a test reads them: elements with their attributes and text."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

_EMPTY = {"meta", "link", "img", "source", "br", "wbr"}


@dataclass
class Element:
    """An element, the text of all that is in it, and the names of the elements that it is in."""

    tag: str
    attributes: dict[str, str]
    inside: tuple[str, ...]
    text: str = ""


@dataclass
class Document(HTMLParser):
    """Every element of a page, in order of opening."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(opened.tag for opened in self.open))
        self.elements.append(element)
        if tag not in _EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1].tag != tag:
            self.unbalanced.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Elements of a tag; `class_` matches one of its classes."""
        wanted = attributes.pop("class_", None)
        return [
            element
            for element in self.elements
            if element.tag == tag
            and (wanted is None or wanted in element.attributes.get("class", "").split())
            and all(element.attributes.get(name) == value for name, value in attributes.items())
        ]

    def text(self, tag: str, **attributes: str) -> list[str]:
        """The texts of elements, blanks collapsed."""
        return [" ".join(element.text.split()) for element in self.all(tag, **attributes)]


def read(page: Path) -> Document:
    """Parse a page."""
    document = Document()
    document.feed(page.read_text(encoding="utf-8"))
    document.close()
    return document
