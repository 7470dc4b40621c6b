"""Decimal arithmetic for the model, which is bad at it: numbers and + - * / ( ), read by hand, never evaluated."""

import re
from collections.abc import Callable
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

PIECE = re.compile(r"\s*(?:([0-9]{1,15}(?:\.[0-9]{1,10})?)|([-+*/()]))")
MAX_DEPTH = 20


def calculate(expression: str) -> Decimal:
    """The value of an expression, exact to 28 digits.

    Raises ValueError with a sentence: other signs than numbers and + - * / ( ), a division by zero, nesting
    deeper than 20.
    """
    with localcontext() as context:
        context.traps[InvalidOperation] = context.traps[DivisionByZero] = context.traps[Overflow] = True
        try:
            return _Reader(_pieces(expression)).whole()
        except (DivisionByZero, InvalidOperation):
            raise ValueError("division by zero") from None
        except Overflow:
            raise ValueError("the result is too large") from None


def _pieces(expression: str) -> list[str]:
    pieces, at = [], 0
    text = expression.rstrip()
    while at < len(text):
        match = PIECE.match(text, at)
        if match is None:
            raise ValueError("only numbers like 12.50 and + - * / ( ) can be calculated")
        pieces.append(match[1] or match[2])
        at = match.end()
    return pieces


class _Reader:
    """Recursive descent: a sum of products of signed numbers and brackets."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.at = 0
        self.depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self.at != len(self.pieces):
            raise ValueError("the expression goes on where it should end")
        return value

    def _sum(self) -> Decimal:
        value = self._product()
        while (sign := self._next("+", "-")) is not None:
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Decimal:
        value = self._number()
        while (sign := self._next("*", "/")) is not None:
            value = value * self._number() if sign == "*" else value / self._number()
        return value

    def _number(self) -> Decimal:
        if self.at >= len(self.pieces):
            raise ValueError("the expression ends too early")
        piece = self.pieces[self.at]
        self.at += 1
        if piece in "+-":
            return self._deeper(self._number) * (1 if piece == "+" else -1)
        if piece == "(":
            value = self._deeper(self._sum)
            if self._next(")") is None:
                raise ValueError("a bracket is not closed")
            return value
        if piece in "*/)":
            raise ValueError(f"'{piece}' stands where a number should be")
        return Decimal(piece)

    def _deeper(self, read: Callable[[], Decimal]) -> Decimal:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f"brackets nested deeper than {MAX_DEPTH}")
        value = read()
        self.depth -= 1
        return value

    def _next(self, *signs: str) -> str | None:
        if self.at < len(self.pieces) and self.pieces[self.at] in signs:
            self.at += 1
            return self.pieces[self.at - 1]
        return None
