"""Exceptions."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """What crossarc raises; it knows the place of what is wrong, as far as there is one.

    >>> try:
    ...     list(crossarc.reads("1\\tShe\\n\\n"))
    ... except crossarc.DataError as error:
    ...     print(error.file, error.line, error.column)
    text 1 1
    """

    def __init__(
        self,
        message: str,
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
    ) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        #: Name of the file, if it is about one.
        self.file = file
        #: Line in it, from 1.
        self.line = line
        #: Column in characters, from 1.
        self.column = column

    def __str__(self) -> str:
        return self.message


class DataError(Error, ValueError):
    """A text or treebank that cannot be worked on."""


class ModelError(Error):
    """A model that cannot be read, or that cannot do what was asked for."""


class TrainError(Error):
    """Training that cannot begin or go on."""


for _class in (Error, DataError, ModelError, TrainError):
    _class.__module__ = "crossarc"
