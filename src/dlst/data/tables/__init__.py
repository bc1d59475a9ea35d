"""Tables: CSV and TSV text, Parquet, and frames in memory."""

from dlst.data.tables.table import from_frame, read_table, to_frame, write_table

__all__ = ["from_frame", "read_table", "to_frame", "write_table"]
