"""The script for zsh, with its completion system. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun.completion.offer import Option, Value, Verb

_SCRIPT = r"""#compdef fencerun
# Completion of fencerun for zsh; made by `fencerun completion zsh`.

_fencerun_pages() {
    local page=${(Q)PREFIX%%::*}
    local -a ids
    if [[ $PREFIX == *::* || -f $page ]]; then
        ids=(${(f)"$(@NUMBERS@ $page 2>/dev/null)"})
        ids=($page::${^ids})
        [[ $PREFIX == *::* ]] || ids=($page $ids)
        compadd -- $ids
    else
        _path_files -S '' -g '*.(md|markdown)(-.)'
        _path_files -/
    fi
}

_fencerun() {
    local curcontext=$curcontext state state_descr line
    local -A opt_args
    local -a verbs=(
@VERBS@
    )
    _arguments -C '(- *)'{-h,--help}'[show what there is]' '(- *)--version[show the version]' \
        '1:verb:->verb' '*::argument:->argument'
    case $state in
        verb) _describe verb verbs ;;
        argument)
            case $words[1] in
@OPTIONS@
            esac
            ;;
    esac
}

if [[ $funcstack[1] == _fencerun ]]; then
    _fencerun "$@"
else
    compdef _fencerun fencerun
fi
"""


def script(verbs: Sequence[Verb], numbers: str) -> str:
    """The script. ``numbers`` is a command that prints the numbers of the fences of a file."""
    named = (f"        {_quoted(f'{verb.name}:{_plain(verb.about)}')}" for verb in verbs)
    options = "\n".join(line for verb in verbs for line in _verb(verb))
    text = _SCRIPT.replace("@VERBS@", "\n".join(named)).replace("@OPTIONS@", options)
    return text.replace("@NUMBERS@", numbers)


def _verb(verb: Verb) -> Iterator[str]:
    yield f"                {verb.name})"
    yield "                    _arguments -s \\"
    for option in verb.options:
        yield f"                        {_option(option)} \\"
    last = "" if verb.arguments is None else f"*:argument:{_action(verb.arguments)}"
    yield f"                        {_quoted(last) if last else ''}".rstrip()
    yield "                    ;;"


def _option(option: Option) -> str:
    """``'(-v --verbose)'{-v,--verbose}'[help]:value:action'``."""
    about = f"[{_bracketed(option.about)}]"
    value = "" if option.value is None else f":value:{_action(option.value)}"
    flags = option.flags
    star = "*" if option.repeats else "" if len(flags) == 1 else f"({' '.join(flags)})"
    # Both `--diff x` and `--diff=x`; a letter and its value.
    spelled = [
        flag if option.value is None else f"{flag}=" if flag.startswith("--") else f"{flag}+"
        for flag in flags
    ]
    if len(flags) == 1:
        return _quoted(f"{star}{spelled[0]}{about}{value}")
    return f"{_quoted(star)}{{{','.join(spelled)}}}{_quoted(about + value)}"


def _action(value: Value) -> str:
    words = " ".join(value.words)
    return {
        "words": f"({words})",
        "list": f"_values -s , value {words}",
        "page": "_fencerun_pages",
        "file": "_files",
        "directory": "_files -/",
        "nothing": " ",
    }[value.kind]


def _plain(text: str) -> str:
    return text.replace(":", r"\:")


def _bracketed(text: str) -> str:
    for mark in "\\[]:":
        text = text.replace(mark, f"\\{mark}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"
