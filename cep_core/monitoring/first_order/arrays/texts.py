"""Codes for the texts of one slice, so that kernels compare integers: equal texts, and no others, have equal codes.

Texts of a log's columns are one Arrow array, and their codes are the places in it: no Python object stands for a text.
Texts that formulas write or compute, if no column has had them, are a second array with codes of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.chunks import one_array

ABSENT = -1
"""The code of null, which equals nothing: whoever scans a column leaves such rows out."""
WRITTEN = 1 << 40
"""The first code of texts that are in no column."""

Codes = npt.NDArray[np.int64]


class Texts:
    """A growing dictionary, shared by all relations of one evaluation.

    >>> texts = Texts()
    >>> texts.codes_of(pa.array(["b", "a", None, "b"])).tolist(), texts.code("a"), texts.text(0)
    ([0, 1, -1, 0], 1, 'b')
    """

    def __init__(self) -> None:
        self._of_columns = pa.array([], pa.string())
        self._written = pa.array([], pa.string())
        self._asked: dict[str, int] = {}
        """Codes of texts that were asked for one by one."""
        self._dictionaries: list[tuple[pa.Array, Codes | None]] = []
        """Dictionaries of columns with the codes of their texts; None if these are the places in the dictionary."""

    def code(self, text: str) -> int:
        """The code of a text; a new one if the text is new. A text that is asked for first costs O(distinct texts)."""
        if text not in self._asked:
            self._asked[text] = int(self.codes([text])[0])
        return self._asked[text]

    def text(self, code: int) -> str:
        array, place = (self._written, code - WRITTEN) if code >= WRITTEN else (self._of_columns, code)
        return str(array[place])

    def codes_of(self, column: pa.Array | pa.ChunkedArray) -> Codes:
        """The codes of a column of texts, ABSENT for null. The dictionary of a dictionary array has no text twice."""
        encoded = one_array(column)
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        of_dictionary = self._codes_of_dictionary(encoded.dictionary)
        places = encoded.indices
        present = None if not places.null_count else places.is_valid().to_numpy(zero_copy_only=False)
        numbers = (places if present is None else places.fill_null(0)).to_numpy(zero_copy_only=False)
        codes = numbers.astype(np.int64) if of_dictionary is None else _taken(of_dictionary, numbers)
        if present is not None:
            codes[~present] = ABSENT
        return codes

    def texts_of(self, codes: Codes) -> pa.Array:
        """The texts of codes, as a column of strings."""
        written = codes >= WRITTEN
        if not written.any():
            return self._of_columns.take(pa.array(codes))
        of_columns = self._of_columns.take(pa.array(np.where(written, 0, codes), mask=written))
        return pc.coalesce(of_columns, self._written.take(pa.array(codes - WRITTEN, mask=~written)))

    def codes(self, texts: Iterable[str]) -> Codes:
        """The codes of written or computed texts. Costs O(distinct texts), so ask for many at once."""
        asked = pa.array(list(texts), pa.string())
        codes, known = self._known(asked)
        if not known.all():
            new = pc.unique(asked.filter(pa.array(~known)))
            codes[~known] = _places_in(asked.filter(pa.array(~known)), new) + len(self._written) + WRITTEN
            self._written = pa.concat_arrays([self._written, new])
        return codes

    def _codes_of_dictionary(self, dictionary: pa.Array) -> Codes | None:
        """The codes of distinct texts, None if they are the places; the texts are kept."""
        for own, codes in self._dictionaries:
            if _is_same(own, dictionary):
                return codes
        texts = dictionary if dictionary.type == pa.string() else dictionary.cast(pa.string())
        if not len(self._of_columns) and not len(self._written):
            self._of_columns, numbers = texts, None
        else:
            numbers, known = self._known(texts)
            new = texts.filter(pa.array(~known))
            numbers[~known] = np.arange(len(new)) + len(self._of_columns)
            self._of_columns = pa.concat_arrays([self._of_columns, new])
        self._dictionaries.append((dictionary, numbers))
        return numbers

    def _known(self, texts: pa.Array) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """The codes of texts that have one, and which these are."""
        codes = np.full(len(texts), ABSENT, np.int64)
        for array, first in ((self._of_columns, 0), (self._written, WRITTEN)):
            if len(array):
                places = _places_in(texts, array)
                codes = np.where(places >= 0, places + first, codes)
        return codes, codes != ABSENT


def _places_in(texts: pa.Array, array: pa.Array) -> Codes:
    """The place of each text in an array without repetition, or ABSENT. Few texts are looked for one by one."""
    if len(texts) <= 2:
        return np.array([pc.index(array, text).as_py() for text in texts], np.int64)
    places: Codes = pc.index_in(texts, value_set=array).fill_null(ABSENT).to_numpy(zero_copy_only=False)
    return places.astype(np.int64)


def _taken(codes: Codes, places: npt.NDArray[np.generic]) -> Codes:
    return codes[places] if len(codes) else np.full(len(places), ABSENT, np.int64)


def _is_same(first: pa.Array, second: pa.Array) -> bool:
    """Whether two arrays are one in memory."""
    if len(first) != len(second) or first.offset != second.offset:
        return False
    return [_address(part) for part in first.buffers()] == [_address(part) for part in second.buffers()]


def _address(buffer: pa.Buffer | None) -> int | None:
    return None if buffer is None else buffer.address
