"""Codes for the texts of one slice, so that kernels compare integers: equal texts, and no others, have equal codes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.events.chunks import one_array

ABSENT = -1
"""The code of null, which equals nothing: whoever scans a column leaves such rows out."""


class Texts:
    """A growing dictionary, shared by all relations of one evaluation.

    >>> texts = Texts()
    >>> texts.codes_of(pa.array(["b", "a", None, "b"])).tolist(), texts.code("a"), texts.text(0)
    ([0, 1, -1, 0], 1, 'b')
    """

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []

    def code(self, text: str) -> int:
        """The code of a text; a new one if the text is new."""
        code = self._codes.setdefault(text, len(self._texts))
        if code == len(self._texts):
            self._texts.append(text)
        return code

    def text(self, code: int) -> str:
        return self._texts[code]

    def codes_of(self, column: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int64]:
        """The codes of a column of texts, ABSENT for null. Costs one Python step for each distinct text."""
        encoded = one_array(column)
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        of_column = np.array([self.code(text) for text in encoded.dictionary.to_pylist()] + [ABSENT], np.int64)
        places: npt.NDArray[np.int64] = encoded.indices.fill_null(len(of_column) - 1).to_numpy(zero_copy_only=False)
        return of_column[places]

    def texts_of(self, codes: npt.NDArray[np.int64]) -> pa.Array:
        """The texts of codes, as a column of strings."""
        distinct, places = np.unique(codes, return_inverse=True)
        return pa.array([self._texts[code] for code in distinct], pa.string()).take(pa.array(places))

    def codes(self, texts: Iterable[str]) -> npt.NDArray[np.int64]:
        """The codes of computed texts."""
        return np.array([self.code(text) for text in texts], np.int64)
