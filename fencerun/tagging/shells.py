"""Commands that do more than a lesson may do to a machine unasked: install, fetch, serve. Pure.

Looks at the words that commands begin with. Knows nothing of pages, and runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencerun.patterns import later
from fencerun.tagging.sketches import Objection

_NONE = "tag it `fence:none`, say"

#: By first word: the second words that count, or none where all do.
_INSTALLS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("apt", "apt-get", "dnf", "yum", "pacman", "apk", "brew", "snap"), frozenset()),
    **dict.fromkeys(("choco", "winget", "pipx", "nvm", "rustup", "poetry"), frozenset()),
    **dict.fromkeys(("pip", "pip2", "pip3"), frozenset({"install", "uninstall", "download"})),
    **dict.fromkeys(("conda", "mamba", "micromamba"), frozenset({"install", "create", "env",
                                                                 "update", "remove"})),
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), frozenset(
        "install i add ci update upgrade uninstall remove link dlx create init exec x".split()  # noqa: SIM905
    )),
    **dict.fromkeys(("npx", "bunx", "uvx"), frozenset()),
    "uv": frozenset({"pip", "add", "sync", "tool", "venv", "python"}),
    "gem": frozenset({"install"}),
    "cargo": frozenset({"install", "add"}),
    "go": frozenset({"install", "get"}),
    **dict.fromkeys(("docker", "podman", "docker-compose", "systemctl", "service"), frozenset()),
}  # fmt: skip
_FETCHES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("curl", "wget", "ssh", "scp", "rsync", "sftp", "aria2c"), frozenset()),
    **dict.fromkeys(("kaggle", "gsutil", "gcloud", "aws", "az", "kubectl", "gh"), frozenset()),
    **dict.fromkeys(("huggingface-cli", "hf", "modal", "wandb"), frozenset()),
    "git": frozenset({"clone", "pull", "push", "fetch", "submodule"}),
    **dict.fromkeys(("npm", "yarn", "pnpm", "cargo", "poetry", "uv"), frozenset({"publish"})),
    "twine": frozenset(),
}
#: What the page's own repository would not be the same after.
_COMMITS: dict[str, frozenset[str]] = {
    "git": frozenset(
        "add commit merge rebase reset revert restore checkout switch clean stash rm mv tag am "  # noqa: SIM905
        "cherry-pick filter-branch gc".split()
    ),
}
_SERVES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("uvicorn", "gunicorn", "streamlit", "gradio", "tensorboard"), frozenset()),
    "jupyter": frozenset({"lab", "notebook", "server"}),
    "mkdocs": frozenset({"serve"}),
    "hugo": frozenset({"server", "serve"}),
    "quarto": frozenset({"preview"}),
    "flask": frozenset({"run"}),
    "fastapi": frozenset({"dev", "run"}),
}
_EDITORS = frozenset(
    "vi vim nvim nano emacs less top htop code man watch".split()  # noqa: SIM905
)
_DELETES = frozenset(
    "rm rmdir shred mkfs dd shutdown reboot kill pkill killall".split()  # noqa: SIM905
)

#: What a command may stand behind: words of the shell's grammar, and commands that run another.
_BEFORE = frozenset(
    "if then elif else while until do { ! time exec command builtin eval env nohup nice ionice "  # noqa: SIM905
    "setsid stdbuf timeout xargs coproc".split()
)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})

_ASSIGNMENT = later(r"[A-Za-z_]\w*=\S*\Z")
_PLACEHOLDER = later(
    r"<[A-Za-z][\w.-]*(?: [\w.-]+)*>|\bpath/to/|\byour[-_][a-z]+", 2
)  # 2: re.IGNORECASE
# Not behind a quote, in which it may be text.
_COMMENT = later(r"^((?:[^\"'\n#]*[ \t])?)#.*", 8)  # 8: re.MULTILINE
#: A quoted value without a command in it.
_VALUE = later(r"(?<==)(?:\"(?:[^\"$`\n]|\$(?!\())*\"|'[^'\n]*')")
#: Between commands, and where one begins inside another: `$(…)`, `<(…)`, `(…)`, backticks.
_SPLIT = later(r"&&?|\|[|&]?|;|\n|[$<>]?\(|\)|`|[ \t]-(?:exec|ok)(?:dir)?[ \t]")
_QUOTES = "\"'\\"


def objection(code: str) -> Objection | None:
    """Why these commands are not to run unasked, or None."""
    commands = list(_commands(code))
    if not commands:
        return Objection("it holds no command", _NONE)
    for at, words in commands:
        found = _command(words)
        if found is not None:
            return Objection(*found, at)
    for at, line in enumerate(_without_comments(code).split("\n")):
        if place := _PLACEHOLDER.search(line):
            what = f"`{place[0]}` stands in it for something else"
            return Objection(what, f"write a real one, or {_NONE}", at)
        if line.strip() == "...":
            what = "`...` stands in it for something that is left out"
            return Objection(what, _NONE, at)
    return None


def _commands(code: str) -> Iterator[tuple[int, list[str]]]:
    """The words of each command, with its line, from 0. Quotes are not understood: words are."""
    joined = _without_comments(code).replace("\\\n", "  ")  # offsets stay
    joined = _VALUE.sub(lambda value: "_" * len(value[0]), joined)
    ends = [(match.start(), match.end()) for match in _SPLIT.finditer(joined)]
    at = 0
    for stop, following in (*ends, (len(joined), len(joined))):
        words = _command_of(joined[at:stop].split())
        if words:
            yield code.count("\n", 0, joined.index(words[0], at)), words
        at = following


def _without_comments(code: str) -> str:
    return _COMMENT.sub(lambda found: found[1] + " " * (len(found[0]) - len(found[1])), code)


def _command_of(words: list[str]) -> list[str]:
    """``words`` from the command on that is run in the end."""
    behind = False
    while words:
        word = words[0].strip(_QUOTES)
        if word in _SHELLS and words[1:2] == ["-c"]:
            words = words[2:]
        elif word == "command" and words[1:2] in (["-v"], ["-V"]):
            break  # asks where it is
        elif word in _BEFORE or _ASSIGNMENT.match(words[0]) or (behind and _option(word)):
            words = words[1:]
            behind = True
        else:
            break
    return words


def _option(word: str) -> bool:
    """Whether a word is an option, or the number that one takes, of a command before another."""
    return word.startswith("-") or word[:1].isdigit()


def _command(words: list[str]) -> tuple[str, str] | None:
    first, second = words[0].strip(_QUOTES).rpartition("/")[2], words[1] if words[1:] else ""
    shown = " ".join(words[:2])
    if first.startswith("python") and words[1:3] in (["-m", "pip"], ["-m", "venv"]):
        return f"`{' '.join(words[:3])}` installs software", _NONE
    if first.startswith("python") and words[1:3] == ["-m", "http.server"]:
        return f"`{' '.join(words[:3])}` is a server, which does not end", _NONE
    if first in ("sudo", "su"):
        return f"`{first}` asks for more rights than a page may have", _NONE
    if _listed(first, second, _INSTALLS):
        return f"`{shown}` installs or manages software", _NONE
    if _listed(first, second, _FETCHES):
        return f"`{shown}`: needs network?", "tag it by hand, with `requires:network`"
    if _listed(first, second, _SERVES):
        return f"`{shown}` is a server, which does not end", _NONE
    if _listed(first, second, _COMMITS):
        return f"`{shown}` changes a repository", f"tag it by hand if it is to run, or {_NONE}"
    if first in _EDITORS:
        return f"`{first}` waits for somebody at a terminal", _NONE
    if first in _DELETES:
        return f"`{first}` deletes or ends things", f"tag it by hand if it is to run, or {_NONE}"
    return None


def _listed(first: str, second: str, table: dict[str, frozenset[str]]) -> bool:
    seconds = table.get(first)
    return seconds is not None and (not seconds or second in seconds)
