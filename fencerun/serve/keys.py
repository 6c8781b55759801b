"""What the keyboard does, as the `?` overlay lists it; `static/keys.js` has the same keys."""

from __future__ import annotations

#: Keys, and what each row of them does.
KEYS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("j", "k"), "next fence, previous fence"),
    (("n", "p"), "next and previous fence that is not as recorded"),
    (("Enter",), "run the fence, and what it continues"),
    (("r",), "record the fence"),
    (("a",), "run all of the page; on the list, all lessons"),
    (("s",), "run what is stale"),
    (("R",), "record the page"),
    (("x",), "stop"),
    (("c",), "copy path:line of the fence"),
    (("[", "]"), "previous lesson, next lesson"),
    (("/",), "search"),
    (("l",), "show or hide the lessons"),
    (("t",), "light, dark, as the system has it"),
    (("?",), "these keys"),
    (("Esc",), "close, leave the search"),
)
