"""From events to relations."""
