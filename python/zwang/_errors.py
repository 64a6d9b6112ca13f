"""Exceptions and messages.

Everything the library has to say is a message with a code, a place, a sentence and a help. What could
not be done is an exception that carries all of them; what one should know is a warning.
"""

import re
from pathlib import Path

_SEVERITIES = ("remark", "warning", "error")


class Message:
    """One thing to tell a person.

    severity: 'remark', 'warning' or 'error'. code: stable, as 'E0102'. file, line, column, length: where
    in a text, line and column from 1, 0 where there is none. where: a place inside data, as 'A[2][1]'.
    sentence: what is wrong. help: what to do about it, or None.
    """

    __slots__ = ("severity", "code", "file", "line", "column", "length", "where", "sentence", "help",
                 "_text")

    def __init__(self, severity, code, file, line, column, length, where, sentence, help, text=""):
        self.severity = _SEVERITIES[severity]
        self.code = code
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.where = where
        self.sentence = sentence
        self.help = help
        self._text = text

    @property
    def place(self):
        """Where it is, as 'hoop.zw:12:5', 'A[2][1]', or an empty string."""
        parts = [str(part) for part in (self.file, self.line, self.column) if part]
        if self.where:
            parts.append(self.where)
        return ":".join(parts)

    def __str__(self):
        text = f"{self.severity}[{self.code}]: {self.sentence}" if self.code else self.sentence
        if self.place:
            text = f"{self.place}: {text}"
        return f"{text}\n  help: {self.help}" if self.help else text

    def __repr__(self):
        return f"<zwang.Message {self.code} at {self.place}: {self.sentence}>"


class ZwangWarning(UserWarning):
    """A message of severity 'warning', by Python's own module warnings."""


class Error(Exception):
    """What the library could not do.

    status: its name in zwang.h, as 'ZW_ERR_MODEL'. code, place, sentence, help: of the first error.
    messages: all of them. text: as the terminal shows them, with lines of the model and carets.
    """

    def __init__(self, status, sentence, messages=(), text=""):
        self.status = status
        self.messages = list(messages)
        self.text = text
        first = next((m for m in self.messages if m.severity == "error"), None)
        self.code = first.code if first else None
        self.place = first.place if first else ""
        self.line = first.line if first else 0
        self.column = first.column if first else 0
        self.sentence = first.sentence if first else sentence
        self.help = first.help if first else None
        super().__init__(self.text.rstrip() or sentence)


class ModelError(Error):
    """The text of a model is wrong; the messages say where."""


class SettingError(Error, ValueError):
    """A parameter, a setting or a state does not fit the model."""


class StartError(Error):
    """The start cannot be brought onto the constraints."""


class SolveError(Error, ArithmeticError):
    """The numbers do not determine an acceleration, or not by the chosen form."""


class RunError(Error):
    """A run could not go on. `result` has what was computed up to there, where there is something."""

    result = None


class Cancelled(RunError):
    """The run was ended by cancel()."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory, or the limit of the model is reached."""


_CLASSES = {
    "ZW_ERR_MEMORY": OutOfMemory,
    "ZW_ERR_BUDGET": OutOfMemory,
    "ZW_ERR_MODEL": ModelError,
    "ZW_ERR_SETTING": SettingError,
    "ZW_ERR_ARGUMENT": SettingError,
    "ZW_ERR_START": StartError,
    "ZW_ERR_CANCELLED": Cancelled,
    "ZW_ERR_STEP": RunError,
    "ZW_ERR_LIMIT": RunError,
    "ZW_ERR_CHATTER": RunError,
    "ZW_ERR_PATIENCE": RunError,
    "ZW_ERR_CONTROL": RunError,
    "ZW_ERR_DERIVATIVE": RunError,
    "ZW_ERR_METHOD": RunError,
}


def make(number, status, sentence, messages, text):
    """The exception of a status; called by the extension."""
    return _CLASSES.get(status, SolveError)(status, sentence, [Message(*m) for m in messages], text)


def explain(code):
    """What a code means: its section of the documents, as `zwang explain` shows it.

    >>> print(zwang.explain("E0102"))
    """
    for file in sorted((Path(__file__).parent / "messages").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        found = re.search(rf"^## {re.escape(code.upper())}\b.*?(?=^## |\Z)", text, re.M | re.S)
        if found:
            return found.group(0)[3:].rstrip() + "\n"
    raise KeyError(f"there is no message with the code {code!r}")
