"""When a recorded and a printed text count as the same under a rule.

Texts are single lines, or lines of one repr joined by line feeds. ``same`` is strict: within the
tolerance. ``alike`` is loose: the text is the same and so are the whole numbers, wherever the
others went. It knows nothing of which line goes with which.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from fencerun.ellipsis import DOTS, fit
from fencerun.masks import apply
from fencerun.numeric import GAP, Number, Scan, scan, within
from fencerun.rule import Rule


class Likeness:
    """One rule, with what was found out about each text so far."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._rtol = Decimal(repr(rule.rtol or 0.0))
        self._atol = Decimal(repr(rule.atol or 0.0))
        self._ints = rule.ints
        self._across = [m for m in (*rule.masks, *rule.varies) if m.optional]
        self._keys: dict[str, str] = {}
        self._scans: dict[str, Scan] = {}

    def key(self, text: str) -> str:
        """``text`` with everything masked: equal keys are the same under any rule."""
        if not (self._rule.masks or self._rule.varies):
            return text
        key = self._keys.get(text)
        if key is None:
            # A repr may have moved what is optional to a line of its own.
            whole = apply(text, self._across) if "\n" in text else text
            key = self._keys[text] = "\n".join(map(self._masked, whole.split("\n")))
        return key

    def skeleton(self, text: str) -> str:
        """``text`` masked and without the numbers that may move: equal where texts are alike."""
        return self._scan(text).skeleton

    def numbers(self, text: str) -> tuple[Number, ...]:
        """The numbers of ``text`` that may move."""
        return self._scan(text).numbers

    def same(self, recorded: str, printed: str) -> bool:
        """Whether ``printed`` is as recorded, dots being dots."""
        if recorded == printed or self.key(recorded) == self.key(printed):
            return True
        if not self._rule.tolerant or not self.alike(recorded, printed):
            return False
        return all(map(self._near, self.numbers(recorded), self.numbers(printed)))

    def alike(self, recorded: str, printed: str) -> bool:
        """Whether they differ in nothing but numbers that may move, and padding."""
        return self.skeleton(recorded) == self.skeleton(printed)

    def fits(self, recorded: str, printed: str) -> bool:
        """As ``same``, with ``...`` in the recorded line standing for anything."""
        if DOTS not in recorded:
            return self.same(recorded, printed)
        if fit(recorded.split(DOTS), printed):
            return True
        if fit(self.key(recorded).split(DOTS), self.key(printed)):
            return True
        return self._rule.tolerant and self._gaps(recorded, printed, self._near) is not None

    def fits_loosely(self, recorded: str, printed: str) -> bool:
        """As ``alike``, with ``...`` in the recorded line standing for anything."""
        if DOTS not in recorded:
            return self.alike(recorded, printed)
        return self.fits(recorded, printed) or self._gaps(recorded, printed, _any) is not None

    def moved(self, recorded: str, printed: str, *, dots: bool) -> list[tuple[int, Number, Number]]:
        """The numbers that are not within the tolerance, of texts that are alike.

        With their position among the numbers of the text, from 0. ``dots`` as in ``fits``.
        """
        if dots and DOTS in recorded:
            pairs = self._gaps(recorded, printed, _any) or []
        else:
            pairs = list(zip(self.numbers(recorded), self.numbers(printed), strict=True))
        found = self._near if self._rule.tolerant else _as_printed
        return [
            (at, ours, theirs) for at, (ours, theirs) in enumerate(pairs) if not found(ours, theirs)
        ]

    def _masked(self, line: str) -> str:
        line = apply(line, self._rule.masks)
        for number, mask in enumerate(self._rule.varies):
            line = mask.apply(line, "" if mask.optional else _placeholder(number))
        return line

    def _scan(self, text: str) -> Scan:
        found = self._scans.get(text)
        if found is None:
            found = self._scans[text] = scan(self.key(text), ints=self._ints)
        return found

    def _near(self, recorded: Number, printed: Number) -> bool:
        return self._rule.any_number or within(recorded, printed, self._rtol, self._atol)

    def _gaps(
        self, recorded: str, printed: str, near: Callable[[Number, Number], bool]
    ) -> list[tuple[Number, Number]] | None:
        """The pairs of numbers outside the dots, or None when the line does not fit."""
        texts = self.key(recorded).split(DOTS)
        last = len(texts) - 1
        # Blanks beside dots belong to what the dots stand for.
        texts = [_stripped(text, left=n > 0, right=n < last) for n, text in enumerate(texts)]
        pieces = [scan(text, ints=self._ints) for text in texts]
        whole = self._scan(printed)

        def facing(piece: int, at: int) -> list[tuple[Number, Number]]:
            skipped = whole.skeleton.count(GAP, 0, at)
            return list(zip(pieces[piece].numbers, whole.numbers[skipped:], strict=False))

        places = fit(
            [piece.skeleton for piece in pieces],
            whole.skeleton,
            lambda piece, at: all(near(*pair) for pair in facing(piece, at)),
        )
        if places is None:
            return None
        return [pair for piece, at in enumerate(places) for pair in facing(piece, at)]


def _any(_recorded: Number, _printed: Number) -> bool:
    return True


def _as_printed(recorded: Number, printed: Number) -> bool:
    return recorded.text == printed.text


def _placeholder(number: int) -> str:
    # Canonical text holds no control characters: only what varies on both sides can be equal.
    return f"\x02{number}\x02"


def _stripped(text: str, *, left: bool, right: bool) -> str:
    text = text.lstrip() if left else text
    return text.rstrip() if right else text
