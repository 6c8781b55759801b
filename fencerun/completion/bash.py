"""The script for bash (3.2 or newer; it needs nothing besides, bash-completion neither). Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from fencerun.completion.offer import Value, Verb

_SCRIPT = r"""# Completion of fencerun for bash; made by `fencerun completion bash`.

# What stands on the command line: words and kinds of words, by verb.
_fencerun_verbs=@VERBS@

_fencerun_options() {
    case $1 in
@OPTIONS@
    esac
}

# What an option takes: @kind and words; nothing where it takes none.
_fencerun_takes() {
    case $1:$2 in
@TAKES@
    esac
}

_fencerun_arguments() {
    case $1 in
@ARGUMENTS@
    esac
}

# The numbers of a page's fences.
_fencerun_numbers() {
    @NUMBERS@ "$1" 2>/dev/null
}

_fencerun_pages() {
    local page number
    if [[ $1 == *::* || -f $1 ]]; then
        page=${1%%::*}
        [[ $1 == *::* ]] || printf '%s\n' "$page"
        for number in $(_fencerun_numbers "$page"); do
            [[ $page::$number == "$1"* ]] && printf '%s\n' "$page::$number"
        done
    else
        compgen -d -S / -- "$1"
        compgen -f -X '!*.md' -- "$1"
        compgen -f -X '!*.markdown' -- "$1"
    fi
}

# Words for $1, of the kind and from the words that follow.
_fencerun_fill() {
    local current=$1 kind=$2 done=
    shift 2
    case $kind in
        @words) compgen -W "$*" -- "$current" ;;
        @list)
            [[ $current == *,* ]] && done=${current%,*},
            compgen -P "$done" -W "$*" -- "${current##*,}"
            ;;
        @page) _fencerun_pages "$current" ;;
        @file) compgen -d -S / -- "$current"; compgen -f -- "$current" ;;
        @directory) compgen -d -S / -- "$current" ;;
    esac
}

_fencerun() {
    # Bash splits words at `:` and `=`, too; an id and `--diff=…` are one word here.
    local line=${COMP_LINE:0:COMP_POINT} typed current verb= before= word words takes at
    [[ $line =~ (([^[:space:]\\]|\\.)*)$ ]] && typed=${BASH_REMATCH[1]}
    current=${typed//\\/}
    read -ra words <<< "${line%"$typed"}"
    for word in "${words[@]:1}"; do
        [[ -z $verb && $word != -* ]] && verb=$word
        before=$word
    done
    if [[ -z $verb ]]; then
        words="$_fencerun_verbs --help --version"
        words=$(compgen -W "$words" -- "$current")
    elif takes=$(_fencerun_takes "$verb" "$before") && [[ -n $takes ]]; then
        words=$(_fencerun_fill "$current" $takes)
    elif [[ $current == --*=* ]]; then
        takes=$(_fencerun_takes "$verb" "${current%%=*}")
        words=$(_fencerun_fill "${current#*=}" ${takes:-@nothing})
        current=${current#*=}
        typed=${typed#*=}
    elif [[ " ${words[*]} " == *" -- "* ]]; then
        words=$(_fencerun_fill "$current" @page)
    elif [[ $current == -* ]]; then
        words=$(compgen -W "$(_fencerun_options "$verb")" -- "$current")
    else
        takes=$(_fencerun_arguments "$verb")
        words=$(_fencerun_fill "$current" ${takes:-@nothing})
    fi
    COMPREPLY=()
    while read -r word; do
        [[ -n $word ]] && COMPREPLY+=("$word")
    done < <(LC_ALL=C sort -u <<< "$words")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != *[/=] && ! -f ${COMPREPLY[0]} ]] ||
        compopt -o nospace 2>/dev/null
    # As one types it; bash puts back what it took for words of their own.
    [[ $COMP_WORDBREAKS == *:* && $typed == *:* ]] && before=${typed%"${typed##*:}"} || before=
    for at in "${!COMPREPLY[@]}"; do
        word=${COMPREPLY[at]//\\/\\\\}
        word=${word// /\\ }
        COMPREPLY[at]=${word#"$before"}
    done
    return 0
}

complete -F _fencerun fencerun
"""


def script(verbs: Sequence[Verb], numbers: str) -> str:
    """The script. ``numbers`` is a command that prints the numbers of the fences of a file."""
    parts = {
        "VERBS": shlex.quote(" ".join(verb.name for verb in verbs)),
        "OPTIONS": "\n".join(_options(verbs)),
        "TAKES": "\n".join(_takes(verbs)),
        "ARGUMENTS": "\n".join(_arguments(verbs)),
        "NUMBERS": numbers,
    }
    text = _SCRIPT
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _options(verbs: Sequence[Verb]) -> Iterator[str]:
    for verb in verbs:
        flags = " ".join(flag for option in verb.options for flag in option.flags)
        yield f"        {verb.name}) echo {shlex.quote(flags)} ;;"


def _takes(verbs: Sequence[Verb]) -> Iterator[str]:
    for verb in verbs:
        for option in verb.options:
            if option.value is not None:
                patterns = "|".join(f"{verb.name}:{flag}" for flag in option.flags)
                yield f"        {patterns}) echo {_kind(option.value)} ;;"


def _arguments(verbs: Sequence[Verb]) -> Iterator[str]:
    for verb in verbs:
        if verb.arguments is not None:
            yield f"        {verb.name}) echo {_kind(verb.arguments)} ;;"


def _kind(value: Value) -> str:
    return shlex.quote(" ".join((f"@{value.kind}", *value.words)))
