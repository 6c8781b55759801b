"""What the words of an info string say together: numbers, tags and notes, and what is wrong.

Knows nothing of carriers but their names (``infowords`` splits those), nor of blocks and pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from fencerun.frozen import dataclass
from fencerun.infowords import Carrier, Fault, Word
from fencerun.tags import FLAGS, NAMES, NUMBER, VALUED, TagError, Tags, named, read, read_file

#: Names that only a recording carries.
PROVENANCE = ("key", "on")

_NO_TAGS = Tags()


@dataclass(frozen=True, slots=True)
class InfoString:
    """What an info string or a directive comment says.

    ``number`` is the fence's number, 0 for ``fence:none`` and None where there is no ``fence``;
    ``output`` is the number of the fence whose recording this block is.
    """

    language: str = ""
    carrier: Carrier = "words"
    number: int | None = None
    output: int | None = None
    tags: Tags = _NO_TAGS
    provenance: tuple[tuple[str, str], ...] = ()
    faults: tuple[Fault, ...] = ()
    #: The file, of those that the page's fences find, whose text the block is.
    file: str | None = None

    @property
    def tagged(self) -> bool:
        """Whether the block is ours: a fence, a recording, a file, or a failed attempt at one."""
        ours = self.number is not None or self.output is not None or self.file is not None
        return ours or bool(self.faults)


@dataclass(slots=True)
class _Said:
    """What words say, as far as they are read."""

    words: Sequence[Word]
    carrier: Carrier
    numbers: dict[str, int] = field(default_factory=dict)
    tags: dict[str, object] = field(default_factory=dict)
    provenance: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    file: str | None = None
    on_output: bool = False
    #: Whether it has a fence's number, or means to have one.
    on_fence: bool = False

    def take(self, word: Word, rest: Sequence[Word]) -> None:
        """Read the next word; ``rest`` are those behind it."""
        name = word.name
        if word.spelt != "right" and not (word.spelt == "bare" and name in FLAGS):
            self._odd(word)
        elif name in NAMES and _may_break(word, rest) and (broken := _broken(word, rest)):
            self.faults.append(broken)
        elif name in self.numbers or any(key in self.tags for key in (name, f"{name}_")):
            self.faults.append(Fault(f"`{name}` stands twice", "keep one"))
        elif name in PROVENANCE and (
            self.on_output or any(other.name == "fence" for other in self.words)
        ):
            self.provenance.append((name, word.value or ""))
        else:
            try:
                self._value(name, word.value)
            except TagError as error:
                self.faults.append(Fault(error.args[0], error.args[1]))

    def _odd(self, word: Word) -> None:
        from fencerun import wordfaults

        if word.spelt == "bare":
            found = wordfaults.bare(word.name, self.carrier, self.on_output, self.on_fence)
        else:
            found = wordfaults.misspelt(word, self.carrier, self.on_fence)
        self.faults.extend(found)

    def _value(self, name: str, value: str | None) -> None:
        """Read a tag. Raises TagError."""
        if name in ("fence", "output"):
            self._number(name, value or "")
        elif name == "file" and not self.on_output:
            if self.file is not None:
                self.faults.append(Fault("`file` stands twice", "keep one"))
            self.file = read_file(value or "")
        elif name in NAMES and not self.on_output:
            try:
                self.tags.update(read(name, value))
            except TagError as error:
                raise TagError(named(name, error.args[0]), error.args[1]) from None
        elif not self.on_output:
            from fencerun import wordfaults

            self.faults.extend(wordfaults.unknown(name, self.carrier))
        elif name in VALUED and not self.on_fence:
            self.faults.append(Fault(f"`{name}` on a recording", "move it to the fence"))

    def _number(self, name: str, value: str) -> None:
        if name == "fence" and value == "none":
            self.numbers[name] = 0
        elif NUMBER.fullmatch(value):
            self.numbers[name] = int(value)
        else:
            from fencerun import wordfaults

            self.faults.append(wordfaults.number(name, value))

    def together(self) -> None:
        """Find what only all words together show."""
        if self.file is not None and self.numbers:
            self.faults.append(Fault("a block cannot be a fence and a file", "keep one of the two"))
        if self.tags and not self.numbers and not self.faults:
            first = next(iter(self.tags))
            remedy = "add `fence:N` to it" if self.file is None else "delete it: a file takes none"
            self.faults.append(Fault(f"`{first}` on a block that is no fence", remedy))
        if len(self.numbers) > 1:
            what = "a block cannot be a fence and a recording"
            self.faults.append(Fault(what, "keep one of the two"))


def _may_break(word: Word, rest: Sequence[Word]) -> bool:
    """Whether a value may end before its author meant it to: seldom, and looked at closely then."""
    if not word.value:
        return bool(rest) and rest[0].raw[:1] == '"'
    return word.name == "raises" and word.value[-1] == ":"


def _broken(word: Word, rest: Sequence[Word]) -> Fault | None:
    from fencerun import wordfaults

    return wordfaults.broken_value(word, rest)


#: So many words behind one are looked at for where its value ends.
_BEHIND = 50


def interpret(words: Sequence[Word], carrier: Carrier) -> InfoString:
    """What ``words`` say together, all but the language in front of them."""
    said = _Said(
        words,
        carrier,
        on_output=any(word.name == "output" and word.spelt == "right" for word in words),
        on_fence=any(word.name == "fence" and word.value for word in words),
    )
    for index, word in enumerate(words):
        said.take(word, words[index + 1 : index + 1 + _BEHIND])
    said.together()
    return InfoString(
        "",
        carrier,
        said.numbers.get("fence"),
        said.numbers.get("output"),
        Tags(**said.tags),  # type: ignore[arg-type]
        tuple(said.provenance),
        tuple(said.faults),
        said.file,
    )
