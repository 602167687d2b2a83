"""Keyed hashes of values, and of the words of a text.

A value's hash is over its column and its value. A raw text holds a value if the words of the value stand beside each
other in it: words are runs of letters and digits, or a number; case, signs, and zeros around a number do not count. So
a text can be held against hashes of values that nobody knows any more. Cost: a hash for each different value, 3 us.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Collection, Iterator
from itertools import islice

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(rf"{_NUMBER.pattern}(?![^\W_])|[^\W_]+")


def value_hash(key: bytes, column: str, value: object) -> str:
    """A value of a column as 32 hex digits that say nothing without the key."""
    return _hash(key, "value", column, _written(value))


def words_hash(key: bytes, words: Collection[str]) -> str:
    """Some words of a text, in their order."""
    return _hash(key, "words", *words)


def words_of(text: str) -> list[str]:
    """The words of a text in the form in which they are compared.

    >>> words_of('7,"Ann Lee",0017,1.50;x-3,A1')
    ['7', 'ann', 'lee', '17', '1.5', 'x', '3', 'a1']
    """
    return [_plain(word) for word in _WORD.findall(text)]


def words_of_value(value: object) -> list[str]:
    """The words of a value.

    >>> words_of_value(17), words_of_value(2.50), words_of_value("Ann Lee")
    (['17'], ['2.5'], ['ann', 'lee'])
    """
    return words_of(repr(value) if isinstance(value, float) else str(value))


def windows(words: list[str], length: int) -> Iterator[tuple[str, ...]]:
    """The runs of so many words."""
    return zip(*(islice(words, begin, None) for begin in range(length)), strict=False)


def hold(column: pa.ChunkedArray, key: bytes, name: str, hashes: Collection[str]) -> Flags:
    """[rows] Whether the value of a column has one of these hashes."""
    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    known = np.array([value_hash(key, name, value) in hashes for value in coded.dictionary.to_pylist()] + [False])
    places: Flags = known[coded.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)]
    return places


def _plain(word: str) -> str:
    if not _NUMBER.fullmatch(word):
        return word.casefold()
    if word.isdigit():
        return word.lstrip("0") or "0"
    number = float(word)
    return str(int(number)) if number.is_integer() and number < 1 << 53 else repr(number)


def _written(value: object) -> str:
    if isinstance(value, float):
        return repr(value + 0.0)  # one zero
    return f"{type(value).__name__}:{value}"


def _hash(key: bytes, *parts: str) -> str:
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:32]
