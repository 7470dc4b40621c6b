"""Decimal arithmetic for the model, which is bad at it: numbers and + - * / ( ), read by hand, never evaluated."""

import re
from collections.abc import Callable
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

TOKEN = re.compile(r"\s*(?:([0-9]{1,15}(?:\.[0-9]{1,10})?)|([-+*/()]))")
MAX_DEPTH = 20


def calculate(expression: str) -> Decimal:
    """The value of an expression, exact to 28 digits.

    Raises ValueError with a sentence: other signs than numbers and + - * / ( ), a division by zero, nesting
    deeper than 20.
    """
    with localcontext() as context:
        context.traps[InvalidOperation] = context.traps[DivisionByZero] = context.traps[Overflow] = True
        try:
            return _Reader(_tokens(expression)).whole()
        except (DivisionByZero, InvalidOperation):
            raise ValueError("division by zero") from None
        except Overflow:
            raise ValueError("the result is too large") from None


def _tokens(expression: str) -> list[str]:
    tokens, at = [], 0
    text = expression.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError("only numbers like 12.50 and + - * / ( ) can be calculated")
        tokens.append(match[1] or match[2])
        at = match.end()
    return tokens


class _Reader:
    """Recursive descent: a sum of products of signed numbers and brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def whole(self) -> Decimal:
        value = self._sum()
        if self.at != len(self.tokens):
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
        if self.at >= len(self.tokens):
            raise ValueError("the expression ends too early")
        token = self.tokens[self.at]
        self.at += 1
        if token in "+-":
            return self._deeper(self._number) * (1 if token == "+" else -1)
        if token == "(":
            value = self._deeper(self._sum)
            if self._next(")") is None:
                raise ValueError("a bracket is not closed")
            return value
        if token in "*/)":
            raise ValueError(f"'{token}' stands where a number should be")
        return Decimal(token)

    def _deeper(self, read: Callable[[], Decimal]) -> Decimal:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ValueError(f"brackets nested deeper than {MAX_DEPTH}")
        value = read()
        self.depth -= 1
        return value

    def _next(self, *signs: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return None
