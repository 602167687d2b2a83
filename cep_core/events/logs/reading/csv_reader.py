"""Reads logs of one event a line, in the forms of `csv_tokens`."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.events.logs.reading import event_tokens as scanning
from cep_core.events.logs.reading.block_reader import BlockReader
from cep_core.events.logs.reading.csv_tokens import KEYED, TIMED, fields_for, find_keys, scan_lines
from cep_core.events.logs.reading.event_tokens import Tokens
from cep_core.events.logs.reading.text_blocks import Source
from cep_core.events.logs.reading.value_columns import Bytes
from cep_core.events.schema import Attribute, AttributeType, LogSchema

_MESSAGES = {
    scanning.ENDS: "the log ends within a quoted field",
    scanning.POINT: "'tp=' with a whole number, not below the one before it, and 'ts=' are needed after the name",
    scanning.TWO_STAMPS: "a time-point with two stamps: 'ts' differs from that of the line before, 'tp' does not",
}


class CsvReader(BlockReader):
    """`form` is one of UNTIMED, TIMED, KEYED."""

    def __init__(self, source: Source, schema: LogSchema, form: int) -> None:
        super().__init__(source, schema)
        self.form = form
        self.number = int(np.iinfo(np.int64).min)
        """`tp` of the last point of the pieces before."""
        self.fields = fields_for(0, 0)
        self.tokens = scanning.tokens_for(0, 0, 0)

    def scan(self, text: Bytes, *, is_last: bool) -> tuple[int, int, int, Tokens]:
        lines = int(np.count_nonzero(text == ord("\n"))) + 1
        values = lines + int(np.count_nonzero(text == ord(",")))
        if points := int(self.tokens.complete[1]):
            self.number = int(self.fields.numbers[points - 1])
        self.tokens = self.room(lines, lines, values)
        if values > len(self.fields.doubled) or lines > len(self.fields.numbers):
            self.fields = fields_for(lines, values)
        before = (self.stamp, self.number)
        end, at, arguments = scan_lines(text, is_last, before, self.form, self.names, self.tokens, self.fields)
        return end, at, arguments, self.tokens

    def message(self, end: int) -> str:
        if end == scanning.STAMP:
            return (
                f"a stamp is needed {'as last field' if self.form == TIMED else 'after ts='}: a whole number of 64 bits"
            )
        return _MESSAGES[end]

    def values_of(self, text: Bytes, tokens: Tokens, rows: Ints, attributes: list[Attribute], position: int) -> Ints:
        name = attributes[position].name
        if self.form == KEYED and not all(attribute.name.isdigit() for attribute in attributes):
            key = np.frombuffer(name.encode(), np.uint8)
            return find_keys(text, tokens.firsts[rows], len(attributes), self.fields, key)
        return super().values_of(text, tokens, rows, attributes, position)

    def column(self, text: Bytes, tokens: Tokens, values: Ints, attribute: Attribute) -> pa.Array:
        column = super().column(text, tokens, values, attribute)
        doubled = self.fields.doubled[values] != 0
        if attribute.type is AttributeType.STRING and doubled.any():
            return pc.if_else(doubled, pc.replace_substring(column, '""', '"'), column)
        return column
