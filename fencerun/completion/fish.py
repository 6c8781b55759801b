"""The script for fish. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencerun.completion.offer import Option, Value, Verb

_SCRIPT = r"""# Completion of fencerun for fish; made by `fencerun completion fish`.

function __fencerun_pages
    set -l current (string unescape -- (commandline -ct))
    set -l page (string replace -r '::.*' '' -- $current)
    if string match -q '*::*' -- $current; or test -f "$page"
        string match -q '*::*' -- $current; or echo $page
        for number in (@NUMBERS@ $page 2>/dev/null)
            echo $page::$number
        end
    else
        __fish_complete_path $current | string match -r '^.*(?:/|\.md|\.markdown)(?:\t.*)?$'
    end
end

# Words behind the last comma, each with what stands before it.
function __fencerun_list
    set -l current (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l before (string replace -r '[^,]*$' '' -- $current)
    printf '%s\n' $before$argv
end

complete -c fencerun -f
complete -c fencerun -n __fish_use_subcommand -s h -l help -d 'show what there is'
complete -c fencerun -n __fish_use_subcommand -l version -d 'show the version'
@LINES@
"""


def script(verbs: Sequence[Verb], numbers: str) -> str:
    """The script. ``numbers`` is a command that prints the numbers of the fences of a file."""
    lines = "\n".join(line for verb in verbs for line in _verb(verb))
    return _SCRIPT.replace("@LINES@", lines).replace("@NUMBERS@", numbers)


def _verb(verb: Verb) -> Iterator[str]:
    start = "complete -c fencerun -n"
    yield f"{start} __fish_use_subcommand -a {verb.name} -d {_quoted(verb.about)}"
    seen = _quoted(f"__fish_seen_subcommand_from {verb.name}")
    for option in verb.options:
        yield f"{start} {seen} {_option(option)} -d {_quoted(option.about)}"
    if verb.arguments is not None:
        yield f"{start} {seen} {_filled(verb.arguments)}"


def _option(option: Option) -> str:
    flags = (
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags
    )
    taken = "" if option.value is None else f" {_filled(option.value, needed=True)}"
    return " ".join(flags) + taken


def _filled(value: Value, needed: bool = False) -> str:
    """What stands there; ``needed`` for an option, behind which nothing else may."""
    words = " ".join(value.words)
    found = {
        "words": f"-a {_quoted(words)}",
        "list": f"-a {_quoted(f'(__fencerun_list {words})')}",
        "page": "-a '(__fencerun_pages)'",
        "file": "-F",
        "directory": "-a '(__fish_complete_directories)'",
        "nothing": "",
    }[value.kind]
    exclusive = "-r" if value.kind == "file" else "-x"
    return f"{exclusive} {found}".rstrip() if needed else found


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
