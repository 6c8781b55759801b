"""Numbers in any text, compared as a slow reference in fractions compares them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from fencerun.compare import compare
from fencerun.judge import rule_of
from fencerun.reader import parse


@dataclass(frozen=True, slots=True)
class Printed:
    """A number with a fraction or exponent, as text and exactly."""

    text: str
    real: Fraction
    imaginary: Fraction = Fraction(0)


def _shown(digits: int, exponent: int, form: str) -> Printed:
    """``digits`` times a power of ten, in one of the ways in which numbers are printed."""
    value = Fraction(digits) * Fraction(10) ** exponent
    if form == "point" and -30 <= exponent < 0:
        sign, whole = "-" if digits < 0 else "", str(abs(digits)).rjust(1 - exponent, "0")
        return Printed(f"{sign}{whole[:exponent]}.{whole[exponent:]}", value)
    if form == "bare point" and 0 <= exponent < 9:
        return Printed(f"{digits}{'0' * exponent}.", value)
    return Printed(f"{digits}{'E' if form == 'capital' else 'e'}{exponent:+03}", value)


FORMS = st.sampled_from(["point", "bare point", "exponent", "capital"])
DIGITS = st.integers(-999, 999) | st.integers(-(10**20), 10**20)
EXPONENTS = st.integers(-6, 3) | st.integers(-400, 400)
REALS = st.builds(_shown, DIGITS, EXPONENTS, FORMS)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Printed, Printed]:
    """A recorded number and one that is mostly near it."""
    digits, exponent = draw(st.integers(1, 99_999)), draw(st.integers(-8, 8))
    moved = draw(st.sampled_from([0, 0, 1, -1, 2, 5, 10, 50, 100, 1000]))
    one, other = (
        _shown(digits, exponent, draw(FORMS)),
        _shown(digits + moved, exponent, draw(FORMS)),
    )
    if draw(st.integers(0, 4)) == 0:
        one, other = draw(REALS), draw(REALS)
    if draw(st.integers(0, 5)) == 0:
        three, four = draw(REALS), draw(REALS)
        three, four = (three, three) if draw(st.booleans()) else (three, four)
        return _complex(one, three), _complex(other, four)
    return one, other


def _complex(real: Printed, imaginary: Printed) -> Printed:
    sign = "" if imaginary.text.startswith("-") else "+"
    return Printed(f"{real.text}{sign}{imaginary.text}j", real.real, imaginary.real)


def _square(real: Fraction, imaginary: Fraction) -> Fraction:
    return real * real + imaginary * imaginary


def within(one: Printed, other: Printed, rtol: Fraction, atol: Fraction) -> bool:
    """``abs(other - one) <= atol + rtol * abs(one)``, without a root where there is none."""
    apart = _square(other.real - one.real, other.imaginary - one.imaginary)
    size = _square(one.real, one.imaginary)
    # sqrt(apart) <= atol + rtol sqrt(size), squared: what is left has one root.
    rest = apart - atol * atol - rtol * rtol * size
    return rest <= 0 or rest * rest <= 4 * atol * atol * rtol * rtol * size


TOLERANCES = st.sampled_from(
    ["0", "1e-3", "0.1", "1e-6", "0.005", "5%", "0.7%", "3.3%", "12.5%", "1e-12", "2", "1e-300"]
)
TEMPLATES = st.sampled_from(
    [
        ("[{}]", "[{} ]"),
        ("tensor([{}, 1.])", "tensor([  {},\n         1.])"),
        ("loss {} of 7", "loss {} of 7"),
        ("{{'a': {}}}", "{{'a':   {} }}"),
        ("| {} | x |", "|     {} | x |"),
    ]
)


def exactly(tolerance: str) -> Fraction:
    share = tolerance.endswith("%")
    return Fraction(tolerance.removesuffix("%")) / (100 if share else 1)


#: On the very edge: in binary, 0.7 / 100 is less than 0.007.
EDGE = (Printed("100.0", Fraction(100)), Printed("100.7", Fraction(1007, 10)))


@settings(max_examples=400)
@example(EDGE, "0.7%", "0", ("[{}]", "[{}]"))
@example(EDGE, "0", "0.7", ("[{}]", "[{}]"))
@given(pairs(), TOLERANCES, TOLERANCES, TEMPLATES)
def test_within_the_tolerance_is_what_fractions_say(
    pair: tuple[Printed, Printed], rtol: str, atol: str, template: tuple[str, str]
) -> None:
    one, other = pair
    page = parse(f"```python fence:1 rtol:{rtol} atol:{atol.removesuffix('%')}\n```\n".encode())
    assert not page.problems
    rule = rule_of(page.fences[0].tags, ())
    ours, theirs = template[0].format(one.text), template[1].format(other.text)
    found = compare(ours.split("\n"), theirs.split("\n"), rule)
    expected = within(one, other, exactly(rtol), exactly(atol.removesuffix("%")))
    assert found.equal is expected, (ours, theirs, rtol, atol)
    assert (found.kind == "equal") is expected
    if expected:
        assert found.merged == tuple(ours.split("\n"))
