"""The Arrow type in which the values of each attribute type are kept."""

from __future__ import annotations

import pyarrow as pa

from cep_core.events.schema import AttributeType

ARROW_TYPES = {
    AttributeType.INT: pa.int64(),
    AttributeType.FLOAT: pa.float64(),
    AttributeType.STRING: pa.string(),
    AttributeType.BOOL: pa.bool_(),
}
