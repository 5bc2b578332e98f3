"""Columns as a data frame of whatever is installed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


def frame(columns: Dict[str, List[Any]], kind: Optional[str]) -> Any:
    """A data frame of pandas, else of polars, else the columns themselves."""
    if kind not in (None, "pandas", "polars", "dict"):
        raise ValueError(f"kind={kind!r}: expected pandas, polars or dict")
    if kind in (None, "pandas"):
        try:
            import pandas
        except ImportError:
            if kind is not None:
                raise
        else:
            return pandas.DataFrame(columns)
    if kind in (None, "polars"):
        try:
            import polars
        except ImportError:
            if kind is not None:
                raise
        else:
            texts = [name for name in columns if name not in ("paragraph_id", "sentence_id")]
            return polars.DataFrame(columns, schema_overrides={name: polars.String for name in texts})
    return columns
