"""Numbers inside text: finding them, and saying how far apart two of them are.

A scan turns any text (a tensor repr, a dict, a table) into a *skeleton*, the text with its
numbers taken out and made blind to padding, and those numbers. It knows nothing of lines that
belong together, masks or verdicts. Values are decimal, as printed: 0.3 and 0.4 are 0.1 apart.
"""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import cache

from fencerun.frozen import dataclass
from fencerun.patterns import later

# More digits than a printed number has; nothing raises, nothing overflows.
_EXACT = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

#: What stands for a number in a skeleton, and around a word that only looks like one. Canonical
#: text holds no control characters, so these are unmistakable.
GAP, MARK = "\x00", "\x01"

# A bare point belongs to its number (`1.`, `1.e+05`, `1.j`) unless a word follows (`3.x`) or a
# sentence ends (`Epoch 3. Done`, `took 3.`); an array ends with a bracket.
_UNSIGNED = r"""(?:
    (?: (?<![0-9])(?<![0-9],) [0-9]{1,3}(?:,[0-9]{3})+ (?!,?[0-9])
      | [0-9]+(?:_[0-9]+)* )
    (?: \.[0-9]+ | \.(?= [eE][-+]?[0-9] | [jJ](?!\w) | (?! [\w.] | \Z | \ +[A-Z] ) ) )?
  | (?<![\w.\])]) \.[0-9]+
  ) (?: [eE][-+]?[0-9]{1,6} (?![^\WjJ]) )?"""
_NOT_FINITE = r"(?<!\w)(?i:inf(?:inity)?|nan)"
# After a word or a closing bracket it is an operator: 3-1.5, 2026-11.
_SIGN = r"(?:(?<![\w)\]}.])[-+])?"

_TOKEN = rf"""
  (?P<text>
      0[xXbBoO][0-9a-fA-F_]+\w*                                  # 0x7f
    | (?!(?i:inf(?:inity)?|nan)(?:[-+]|j?(?!\w))) [^\W\d]\w*(?:\.\w+)*  # conv2d, torch.float32
    | [0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[T ][0-9]{{2}}:[0-9:.]*)?   # 2026-11-29T10:30:05
    | [0-9]+:[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]+)?                  # 10:30:05
    | [0-9]+(?:\.[0-9]+){{2,}}[\w.+-]*                           # 1.2.3+cpu
    | (?![0-9]+[eE][0-9]+[jJ]?(?!\w)) [0-9]+[^\W\d_]+[0-9]\w*    # 3fa9c1
  )
  | (?P<complex> {_SIGN} (?: (?:{_UNSIGNED}|{_NOT_FINITE})\ {{0,20}}[-+](?:{_UNSIGNED}|(?i:inf|nan))
                           | {_UNSIGNED} ) [jJ] (?!\w) )
  | (?P<limit> {_SIGN}{_NOT_FINITE} (?!\w) )
  | (?P<real> {_SIGN}{_UNSIGNED} )
"""
_IMAGINARY = rf"({_SIGN}{_UNSIGNED})?\ *([-+]?{_UNSIGNED})[jJ]"

_BLANKS = later(r"\s{2,}|[^\S ]")
_RULES = later(r"([-=─━═])\1\1+")


@cache
def _verbose(pattern: str) -> re.Pattern[str]:
    # Compiled when first needed: most outputs equal their recordings as they stand.
    return re.compile(pattern, re.VERBOSE)


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number as printed; ``start`` is its offset in the text it was found in.

    ``whole`` says that it was printed without fraction or exponent.
    """

    text: str
    start: int
    whole: bool
    real: Decimal
    imaginary: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Scan:
    """A text's skeleton, and the numbers that its gaps stand for, in order."""

    skeleton: str
    numbers: tuple[Number, ...]


def scan(text: str, *, ints: bool = False) -> Scan:
    """The skeleton and numbers of ``text``.

    Whole numbers are part of the skeleton unless ``ints``; inf and nan always are. Blind to the
    width of blanks beside numbers, of runs of two or more blanks, of line breaks and of rules.
    """
    parts: list[str] = []
    numbers: list[Number] = []
    end, beside = 0, False
    for token in _verbose(_TOKEN).finditer(text):
        if token["text"]:
            continue
        number = None if token["limit"] else _number(token)
        if number and (ints or not number.whole):
            shown = GAP
            numbers.append(number)
        else:
            shown = f"{MARK}{token[0] if number else _limit(token[0])}{MARK}"
        parts += (_between(text[end : token.start()], beside, True), shown)
        end, beside = token.end(), True
    parts.append(_between(text[end:], beside, False))
    return Scan("".join(parts), tuple(numbers))


def _number(token: re.Match[str]) -> Number | None:
    text = token[0]
    if token["real"]:
        whole = not re.search(r"[.eE]", text)
        return Number(text, token.start(), whole, _decimal(text))
    parts = _verbose(_IMAGINARY).match(token.string, token.start())
    if not parts:  # a part of it is inf or nan
        return None
    return Number(text, token.start(), False, _decimal(parts[1] or "0"), _decimal(parts[2]))


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("_", ""))


def _limit(text: str) -> str:
    text = text.lower().replace(" ", "").removeprefix("+").replace("infinity", "inf")
    return "nan" if text == "-nan" else text


def _between(text: str, after: bool, before: bool) -> str:
    if len(text) < 2:
        return "" if text.isspace() and (after or before) else text
    if after:
        text = text.lstrip()
    if before:
        text = text.rstrip()
    return _RULES.sub(r"\1\1\1", _BLANKS.sub(_blank, text))


def _blank(run: re.Match[str]) -> str:
    return "  " if len(run[0]) > 1 and "\n" not in run[0] else " "


def distance(one: Number, other: Number) -> Decimal:
    """How far apart two numbers are."""
    return _length(
        _EXACT.subtract(other.real, one.real), _EXACT.subtract(other.imaginary, one.imaginary)
    )


def size(number: Number) -> Decimal:
    """The absolute value of a number."""
    return _length(number.real, number.imaginary)


def _length(real: Decimal, imaginary: Decimal) -> Decimal:
    if not imaginary:
        return _EXACT.abs(real)
    squares = _EXACT.add(_EXACT.multiply(real, real), _EXACT.multiply(imaginary, imaginary))
    return _EXACT.sqrt(squares)


def within(recorded: Number, printed: Number, rtol: Decimal, atol: Decimal) -> bool:
    """Whether ``printed`` lies within ``atol + rtol * abs(recorded)`` of ``recorded``."""
    room = _EXACT.add(atol, _EXACT.multiply(rtol, size(recorded)))
    return distance(recorded, printed) <= room


def tidy(value: Decimal) -> int:
    """The exponent of the smallest power of ten that is at least ``value`` (which is positive)."""
    exponent = value.adjusted()
    return exponent if value <= Decimal((0, (1,), exponent)) else exponent + 1


def relative(recorded: Number, printed: Number) -> Decimal:
    """The distance in parts of the recorded number; Infinity when that is 0 and the other not."""
    apart = distance(recorded, printed)
    if not apart:
        return Decimal(0)
    whole = size(recorded)
    return _EXACT.divide(apart, whole) if whole else Decimal("Infinity")
