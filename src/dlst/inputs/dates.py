"""Dates and times: parts that come again, and the trend."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dlst.data.tables.cells import holds_objects, is_missing, shown
from dlst.errors import DataError
from dlst.inputs.cells import CellError, another_kind, texts_of
from dlst.inputs.notes import Tally
from dlst.inputs.part import Part

_CLOCK = r"(?:[T ](\d\d?)(:\d\d(?::\d\d(?:\.\d+)?)?)\s?([AaPp][Mm]|Z|[+-]\d\d:?\d\d|UTC)?)?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d\d?)\2(\d\d?){_CLOCK}")
_YEAR_LAST = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2(\d{{4}}){_CLOCK}")

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?"
_MONTH_NAMED = re.compile(
    rf"{_WEEKDAY}(?:(\d\d?)[- ]{_MONTH}[- ]|{_MONTH} (\d\d?),? )(\d{{4}}),?{_CLOCK}", re.IGNORECASE
)

DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "day first", "month first", "year first"
_DAY = 86_400.0


def looks_like_date(text: str) -> bool:
    """Tell whether a text is a date, with a time or without.

    Examples
    --------
    >>> [looks_like_date(text) for text in ("2024-02-01", "1.2.2024 08:30", "12.5", "soon")]
    [True, True, False, False]
    >>> looks_like_date("Thu, 1 Feb 2024 08:30:00 +0000"), looks_like_date("February 1, 2024")
    (True, True)
    """
    return any(kind.fullmatch(text) for kind in (_YEAR_FIRST, _YEAR_LAST, _MONTH_NAMED))


class DateColumn(Part):
    """One column of dates as numbers.

    Features are the trend (days, mean 0 and deviation 1 in training), the weekday, and month and,
    where there are times of day, the hour, as points on a circle. A missing date has the mean
    trend and no parts.

    Parameters
    ----------
    format : str, optional
        As of :func:`time.strftime`, such as ``"%d/%m/%Y"``. By default years first, or day and
        month in the order that the training cells show; English names of months leave no order
        open.
    """

    def __init__(self, format: str | None = None):  # noqa: A002
        self.format = format

    def fit(self, columns: Any, tally: Tally) -> DateColumn:
        """Learn order, trend and which parts vary."""
        (name,) = columns.columns
        self.order_ = self.format or _order(columns[name], str(name))
        times = self._times(columns, f"Mend the cell, {another_kind(str(name))}")
        if times.isna().all():
            raise DataError(f"column {name!r} must hold dates; got none at all. Drop it.")
        seconds = _seconds(times)
        self.origin_ = float(np.nanmean(seconds))
        self.spread_ = max(float(np.nanstd(seconds)), _DAY)
        self.has_clock_ = bool((times.dropna() != times.dropna().dt.normalize()).any())
        self.name_ = str(name)
        return self

    def transform(self, columns: Any, tally: Tally) -> NDArray[np.float64]:
        """Give trend, weekday, month and hour, shape (n, d)."""
        or_so = "" if self.format else ", or year first"
        times = self._times(
            columns,
            f"Write it as dates of the training table are{or_so}, or fit again with another kind "
            "for the column.",
        )
        (name,) = columns.columns
        missing = times.isna().to_numpy()
        tally.add(str(name), "empty cell, read as the mean date", int(missing.sum()))
        seconds = _seconds(times)
        weekday = times.dt.day_of_week.to_numpy(dtype=np.float64, na_value=np.nan)
        parts = [(seconds - self.origin_) / self.spread_]
        parts += [(weekday == day).astype(np.float64) for day in range(7)]
        parts += _circle((times.dt.day_of_year - 1).to_numpy(np.float64, na_value=np.nan), 365.25)
        if self.has_clock_:
            hours = times.dt.hour + times.dt.minute / 60
            parts += _circle(hours.to_numpy(np.float64, na_value=np.nan), 24.0)
        return np.nan_to_num(np.column_stack(parts))

    def feature_names(self) -> list[str]:
        """Name trend and parts."""
        parts = ["trend", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        parts += ["season sin", "season cos"]
        parts += ["hour sin", "hour cos"] if self.has_clock_ else []
        return [f"{self.name_} {part}" for part in parts]

    def notation(self) -> dict[str, str]:
        """Say what comes first, or the format."""
        return {self.name_: self.order_}

    def _times(self, columns: Any, remedy: str) -> Any:
        (name,) = columns.columns
        column = columns[name]
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return _utc(column)
        missing = is_missing(column)
        if not holds_objects(column):
            # Numbers such as 20240131, with a format that reads them.
            column = pd.Series(texts_of(column), dtype=object)
        elif not all(isinstance(cell, str) for cell in column[~missing]):
            column = column.map(lambda cell: cell if isinstance(cell, str) else _written(cell))
        texts = pd.Series(np.where(missing, None, column.to_numpy(dtype=object)), dtype=object)
        if self.order_ in (YEAR_FIRST, DAY_FIRST, MONTH_FIRST):
            texts = texts.map(self._iso, na_action="ignore")
            times = pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601")
        else:
            times = pd.to_datetime(texts, errors="coerce", utc=True, format=self.order_)
        wrong = np.flatnonzero(times.isna().to_numpy() & ~missing)
        if wrong.size:
            row = int(wrong[0])
            raise CellError(
                str(name),
                row,
                f"expected a date ({self.order_}), got {shown(columns[name].iloc[row])}. {remedy}",
            )
        return times.dt.tz_localize(None)

    def _iso(self, text: str) -> str:
        """Write a date year, month, day; pandas would swap day and month where that helps."""
        text = text.strip()
        # A year that comes first or a month's name leaves nothing open, whatever the cells show.
        if found := _MONTH_NAMED.fullmatch(text):
            before, named, named_first, after, year, hour, minutes, zone = found.groups()
            day = before or after
            month = str(_MONTHS.index((named or named_first)[:3].lower()) + 1)
        else:
            order = YEAR_FIRST if _YEAR_FIRST.fullmatch(text) else self.order_
            found = (_YEAR_FIRST if order == YEAR_FIRST else _YEAR_LAST).fullmatch(text)
            if found is None:
                return "no date"
            first, _, second, third, hour, minutes, zone = found.groups()
            year, month, day = {
                YEAR_FIRST: (first, second, third),
                DAY_FIRST: (third, second, first),
                MONTH_FIRST: (third, first, second),
            }[order]
        if (half := (zone or "").lower()) in ("am", "pm"):
            if not 1 <= int(hour) <= 12:
                return "no date"
            hour, zone = str(int(hour) % 12 + 12 * (half == "pm")), None
        clock = f"T{hour:0>2}{minutes}{(zone or '').replace('UTC', 'Z')}" if hour else ""
        return f"{year}-{month:0>2}-{day:0>2}{clock}"


def _order(column: Any, name: str) -> str:
    """Find out whether years, days or months come first."""
    if not holds_objects(column):
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            return YEAR_FIRST
        raise DataError(
            f"column {name!r} must hold dates; got numbers. Give their format: "
            f"columns={{'date': {{{name!r}: '%Y%m%d'}}}}."
        )
    pairs, example = [], ""
    for cell in column:
        if isinstance(cell, str) and (found := _YEAR_LAST.fullmatch(cell.strip())):
            pairs.append((int(found[1]), int(found[3]), found[2]))
            example = example or cell
    if not pairs:
        return YEAR_FIRST
    if any(first > 12 for first, _, _ in pairs) or all(sign == "." for _, _, sign in pairs):
        return DAY_FIRST
    if any(second > 12 for _, second, _ in pairs):
        return MONTH_FIRST
    raise DataError(
        f"column {name!r} holds dates that can be read day first or month first, such as "
        f"{shown(example)}. Give their format: "
        f"columns={{'date': {{{name!r}: '%d/%m/%Y'}}}}, or %m/%d/%Y."
    )


def _written(cell: Any) -> Any:
    return cell.isoformat() if hasattr(cell, "isoformat") else cell


def _utc(column: Any) -> Any:
    times = column.reset_index(drop=True)
    return times if times.dt.tz is None else times.dt.tz_convert("UTC").dt.tz_localize(None)


def _seconds(times: Any) -> NDArray[np.float64]:
    # Whole seconds hold any year; nanoseconds end in 2262.
    whole = times.to_numpy().astype("datetime64[s]")
    return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))


def _circle(values: NDArray[np.float64], period: float) -> list[NDArray[np.float64]]:
    angle = 2 * np.pi * values / period
    return [np.sin(angle), np.cos(angle)]
