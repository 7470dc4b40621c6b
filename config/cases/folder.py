"""Reads the cases of a folder: tasks.jsonl and replays.jsonl, beside the files of the shop that they are about."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

TASKS, REPLAYS = "tasks.jsonl", "replays.jsonl"

M = TypeVar("M", bound=BaseModel)


class CaseFileError(Exception):
    """The folder cannot be played; the text says which file and line, and why."""


class Gold(BaseModel):
    """A recorded call, under the name that it had where it was recorded."""

    name: str
    arguments: dict[str, Any]
    error: str | None = None  # it was refused then, and must be now


class Strict(BaseModel):
    """What is compared: a key that is not known here would be a difference that nobody sees."""

    model_config = ConfigDict(extra="forbid")


class AddressAfter(Strict):
    line1: str
    line2: str
    city: str
    state: str
    country: str
    zip: str


class CustomerAfter(Strict):
    address: AddressAfter | None = None
    balances_cents: dict[str, int] = {}


class ItemAfter(Strict):
    line: int  # 0 is the first
    sku: str
    price_cents: int
    options_of: str | None = None  # a fault of the recording tools; never compared


class PaymentAfter(Strict):
    kind: str
    amount_cents: int
    method: str


class ReturnAfter(Strict):
    skus: list[str]
    method: str


class ExchangeAfter(Strict):
    old: list[str]
    new: list[str]
    method: str
    difference_cents: int


class OrderAfter(Strict):
    status: str | None = None
    ship_to: AddressAfter | None = None
    cancel_reason: str | None = None
    items: list[ItemAfter] = []
    payments_added: list[PaymentAfter] = []
    return_: Annotated[ReturnAfter | None, Field(alias="return")] = None
    exchange: ExchangeAfter | None = None


class Expected(Strict):
    """What differs in the shop afterwards. What is not named is unchanged."""

    customers: dict[str, CustomerAfter] = {}
    orders: dict[str, OrderAfter] = {}


class Instruction(BaseModel):
    reason: str


class Case(BaseModel):
    """What a customer wanted, the calls that served it, and what differs in the shop after them."""

    id: str
    customer: str
    instruction: Instruction
    gold: list[Gold]
    expected: Expected
    expected_corrected: Expected | None = None
    corrected_refuses: dict[int, str] = {}  # by the place in `gold`
    communicate: list[str] = []

    @property
    def right(self) -> Expected:
        """The state that the shop must be in."""
        return self.expected if self.expected_corrected is None else self.expected_corrected

    def must_refuse(self, place: int) -> bool:
        """Whether the call at this place of `gold` is one that the shop has to refuse."""
        return self.gold[place].error is not None or place in self.corrected_refuses


def read_cases(folder: Path) -> list[Case]:
    """The cases of both files, in their order; one of the files may be missing. Raises CaseFileError."""
    if not folder.is_dir():
        raise CaseFileError(f"{folder} is no folder")
    files = [path for path in (folder / TASKS, folder / REPLAYS) if path.is_file()]
    if not files:
        raise CaseFileError(f"{folder} holds no cases: there is neither {TASKS} nor {REPLAYS}")
    cases = [case for path in files for case in _lines(path, Case)]
    if not cases:
        raise CaseFileError(f"{folder} holds no cases: its files are empty")
    return cases


def _lines(path: Path, model: type[M]) -> list[M]:
    try:
        lines = path.read_bytes().decode().split("\n")
    except OSError as error:
        raise CaseFileError(f"{path.name} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise CaseFileError(f"{path.name} is not UTF-8 text") from None
    return [_line(path.name, number, text, model) for number, text in enumerate(lines, 1) if text.strip()]


def _line(file: str, number: int, text: str, model: type[M]) -> M:
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CaseFileError(f"{file}, line {number}: {place + ': ' if place else ''}{first['msg']}") from None
