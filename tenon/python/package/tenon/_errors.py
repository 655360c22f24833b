"""Errors of Tenon: a code and a message."""

import enum


class StatusCode(enum.IntEnum):
    """The canonical codes that PJRT and gRPC share."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Error(Exception):
    """What every call of Tenon raises that fails."""

    code: StatusCode
    message: str

    def __init__(self, code: int, message: str):
        super().__init__(code, message)
        self.code = StatusCode(code)
        self.message = message

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}"
