"""Tables: CSV and TSV text, JSON, Parquet, and frames in memory."""

from dlst.data.tables.raw import RawTable, raw_frames, read_raw
from dlst.data.tables.table import from_frame, read_table, to_frame, write_table

__all__ = [
    "RawTable",
    "from_frame",
    "raw_frames",
    "read_raw",
    "read_table",
    "to_frame",
    "write_table",
]
