"""The faults of tools that do what fencerun does, and the tests that hold us to having none.

``python -m tests.faults.table`` writes the table of docs/faults.md anew; a test compares it. What
is in "seen in" is a released tool, or its issue. Data only: nothing here runs a tool.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "faults.md"
BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"

SECTIONS = {
    "A": "Reading a page",
    "B": "Recording",
    "C": "Capturing",
    "D": "Running",
    "E": "One shared process",
    "F": "Comparing",
    "G": "Skipping and staleness",
    "H": "Use",
}

#: The pages of ``inputs``, of which each belongs to the fault that its name begins with.
PAGES = "tests/faults/test_inputs.py::test_a_fault_as_a_page"
TORCH = "tests/faults/test_inputs.py::test_a_fault_as_a_page_with_torch"


@dataclass(frozen=True, slots=True)
class Fault:
    """``tests`` are functions as pytest names them, with one case in brackets where it matters."""

    id: str
    what: str
    seen: str
    tests: tuple[str, ...]


def _at(module: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/{module}.py::{name}" for name in names)


FAULTS = (
    Fault(
        "A1",
        "a fence in tildes, with five ticks, a longer or an indented closer, a blank before the "
        "language or a language in capitals is not seen; `pythonic` is taken for Python",
        "8 of 16 tools on `~~~`",
        (PAGES, *_at("unit/test_reader", "test_fence_1_is_x")),
    ),
    Fault(
        "A2",
        "a further word in the info string makes the block vanish without a word",
        "Sybil, mktestdocs, pytest-codeblocks",
        (PAGES, *_at("unit/test_infostring", "test_foreign_words_pass_on_a_fence")),
    ),
    Fault(
        "A3",
        "ticks in a string, or an opener inside an open block, end the block",
        "sybil#162",
        (PAGES, *_at("unit/test_reader", "test_code")),
    ),
    Fault(
        "A4",
        "a fence that is shown as text, or indented by four, is run",
        "9 of 16 tools",
        (PAGES, *_at("unit/test_reader", "test_nothing_runs_and_nothing_is_wrong")),
    ),
    Fault(
        "A5",
        "fences in list items, on the marker's line, in quotes, alerts, admonitions, directives "
        "or `<details>` are missed or cut wrongly",
        "sybil#160, sybil#161; 11 of 16 tools on quotes",
        (
            PAGES,
            *_at("unit/test_reader", "test_fence_1_is_x"),
            *_at("properties/test_splicing", "test_cmark_sees_the_same_code_and_the_recordings"),
            *_at("faults/test_real_pages",
                 "test_pages_of_installed_packages_and_of_this_repository"),
        ),
    ),
    Fault(
        "A6",
        "commented-out code runs; an innocent word in a comment is a syntax error",
        "sybil#145",
        (PAGES, *_at("unit/test_hidden", "test_comments_of_others_stay_theirs")),
    ),
    Fault(
        "A7",
        "an unclosed block swallows the page, the next fence, or the parser's time",
        "modal-client#565, agent-almanac#476, mdx#444",
        (
            PAGES,
            *_at("unit/test_lint", "test_faults"),
            *_at("fuzz/test_corpus", "test_fresh_inputs"),
        ),
    ),
    Fault(
        "A8",
        "byte order marks, CR, mixed endings, U+2028, form feeds, NUL, tabs, front matter with "
        "ticks, empty fences, no final newline, UTF-16: other lines than Markdown has",
        "mdx#35, and most tools on one of them",
        (
            PAGES,
            *_at("unit/test_reader", "test_fence_1_is_x", "test_code"),
            *_at("unit/test_text", "test_lines"),
            *_at("properties/test_splicing", "test_reading_never_fails_and_keeps_every_byte"),
        ),
    ),
    Fault(
        "A9",
        "line numbers are off behind front matter, in a list or after a `finally`",
        "doccmd#714, pytest-examples#17",
        (PAGES, *_at("worker/test_tracebacks", "test_syntax_errors_are_on_page_lines")),
    ),
    Fault(
        "A10",
        "a page with conflict markers is run and recorded; `=======` in output is refused",
        "dune#12512, insta#832",
        (PAGES, *_at("unit/test_lint", "test_faults")),
    ),
    Fault(
        "A11",
        "a number twice, a leading zero, a mistyped tag or capability skips the fence silently",
        "transformers#43729",
        (PAGES, *_at("unit/test_infostring", "test_near_misses_say_the_right_spelling")),
    ),
    Fault(
        "B12",
        "output that holds delimiters or the tool's own markers breaks the page, which grows",
        "showboat#5, markdown-code-runner 2.7.0",
        (
            PAGES,
            *_at("unit/test_splice", "test_the_delimiter_is_longer_than_any_run_inside"),
            *_at("properties/test_splicing", "test_recordings_read_back_and_nothing_else_changes"),
        ),
    ),
    Fault(
        "B13",
        "no final newline, leading or only blank lines, empty output, trailing blanks, one "
        "endless line or 10 MB of output cannot be written or read back",
        "showboat#32, Documenter#772, pytest-examples#61",
        (PAGES, *_at("unit/test_canonical", "test_a_recording_of_it_reads_back", "test_megabytes")),
    ),
    Fault(
        "B14",
        "a CRLF page is turned into LF",
        "cog, markdown-code-runner, showboat, pytest-accept, doctestplus, mdoctest",
        (
            PAGES,
            *_at("properties/test_splicing", "test_bytes_outside_recordings_are_kept"),
            *_at("faults/test_edits", "test_an_edit_survives_and_the_rest_goes_in"),
        ),
    ),
    Fault(
        "B15",
        "output of a fence in a list or quote lands outside of it; a block that the author wrote "
        "is taken for a recording",
        "markdown-code-runner#11, Livebook#892",
        (PAGES, *_at("unit/test_splice", "test_a_first_recording_and_back")),
    ),
    Fault(
        "B16",
        "the edit hits another block that looks alike, or stale lines",
        "Documenter#656, Documenter#2303, karva#494",
        (PAGES, *_at("unit/test_splice", "test_many_at_once")),
    ),
    Fault(
        "B17",
        "recording twice changes the page; recording replaces a pattern that still matched",
        "doctestplus, pytest-accept, snapbox#396",
        (
            PAGES,
            "tests/test_cases.py::test_record",
            *_at("unit/test_compare", "test_each_line_is_kept_or_rewritten_on_its_own"),
        ),
    ),
    Fault(
        "B18",
        "edits made during the run are lost, two recorders overwrite each other, a kill tears "
        "the page, links, modes and read-only files are not respected",
        "pytest-accept#242, vscode-jupytext-sync#12, showboat, jupytext#908",
        (
            *_at("faults/test_edits", "test_an_edit_survives_and_the_rest_goes_in",
                 "test_a_page_saved_while_it_is_written_is_read_again",
                 "test_a_page_that_is_no_page_any_more_is_refused_and_left"),
            *_at("faults/test_recorders", "test_each_records_a_fence_of_its_own_on_one_page",
                 "test_all_record_all_of_many_pages"),
            *_at("faults/test_kills",
                 "test_a_killed_recording_leaves_every_page_wholly_old_or_wholly_new"),
            *_at("faults/test_disks", "test_no_room_from_any_byte_on", "test_a_disk_that_is_full",
                 "test_what_may_not_be_written_is_refused_and_as_it_was"),
        ),
    ),
    Fault(
        "B19",
        "one fence fails, and what the others had recorded is erased",
        "papermill",
        (PAGES, *_at("unit/test_session", "test_only_what_passed_is_recorded")),
    ),
    Fault(
        "C20",
        "output of `os.write`, a child process, C, a kernel or an import is lost, or breaks the "
        "tool",
        "jupyterhub#2035, md-babel-py; five recorders",
        (
            PAGES,
            *_at("engines/test_contract", "test_output_is_captured_whoever_writes_it"),
            *_at("engines/test_cuda", "test_printf_of_a_kernel_is_output"),
        ),
    ),
    Fault(
        "C21",
        "stderr is mixed in, or splits stdout; a logger of an earlier fence writes to nowhere",
        "MDAnalysis/UserGuide#357, nbval#56, sphinx-gallery#672",
        (PAGES, *_at("engines/test_contract", "test_stderr_is_apart_unless_it_is_asked_for")),
    ),
    Fault(
        "C22",
        "a progress bar is recorded update by update; backspaces and colours stay",
        "nbconvert#228, nbval",
        (PAGES, *_at("unit/test_terminal", "test_render")),
    ),
    Fault(
        "C23",
        "a closed or replaced stdout, a late print or `input()` harms later fences or hangs",
        "most in-process tools",
        (
            PAGES,
            *_at("engines/test_contract",
                 "test_closed_and_redirected_streams_harm_no_later_chain", "test_input_is_empty"),
            *_at("engines/test_leftovers", "test_what_a_daemon_thread_writes_later_is_no_output"),
        ),
    ),
    Fault(
        "C24",
        "the width of the terminal is part of the output",
        "markdown-exec#34",
        _at("faults/test_linear", "test_the_width_of_the_terminal_is_no_part_of_a_result"),
    ),
    Fault(
        "D25",
        "`os._exit(0)` or `sys.exit(0)` is green; a crash takes the run down, or blames nobody",
        "11 of 11 in-process tools; pytorch#82797, byexample#74",
        (
            PAGES,
            *_at("engines/test_crashes", "test_a_death_is_blamed_on_its_fence"),
            *_at("engines/test_blame", "test_summary"),
            *_at("faults/test_soak",
                 "test_nothing_is_lost_and_every_death_is_blamed_on_its_own_fence"),
        ),
    ),
    Fault(
        "D26",
        "endless loops, deadlocks, C code that holds the interpreter, swallowed interrupts, fork "
        "bombs and children left behind are not bounded",
        "all tools on one of them",
        (
            PAGES,
            *_at("engines/test_crashes", "test_a_death_is_blamed_on_its_fence",
                 "test_children_of_a_dead_fence_are_ended"),
            *_at("engines/test_contract", "test_children_left_behind_are_named_and_ended"),
        ),
    ),
    Fault(
        "D27",
        "`inspect.getsource`, dataclasses, `pickle`, `torch.compile`, Triton, DataLoader workers "
        "or `multiprocessing` do not work as in a script",
        "7 of 16 tools on getsource, 11 of 16 on the dataclass",
        (
            PAGES,
            *_at("worker/test_fidelity", "test_prints_what_a_script_prints",
                 "test_children_import_the_fences", "test_torch_works_as_in_a_script"),
        ),
    ),
    Fault(
        "D28",
        "a syntax error loses the page; skipped code for a newer Python is compiled",
        "sybil#8",
        (PAGES, *_at("worker/test_tracebacks", "test_syntax_errors_are_on_page_lines")),
    ),
    Fault(
        "D29",
        "a traceback is full of the tool's own frames; a failed assert shows no values",
        "most tools",
        (
            PAGES,
            *_at("worker/test_tracebacks", "test_a_failed_assert_shows_its_values",
                 "test_frames_of_the_page_stay_and_those_of_libraries_are_cut"),
            *_at("worker/test_execute", "test_a_clean_exit_ends_the_fence_only"),
        ),
    ),
    Fault(
        "D30",
        "an expected error of the wrong type, or none at all, passes",
        "pytest-markdown-docs#60",
        (PAGES, *_at("unit/test_session", "test_raises")),
    ),
    Fault(
        "D31",
        "`await` at top level is a syntax error",
        "pytest-markdown-docs#62",
        (PAGES, *_at("worker/test_execute", "test_await_at_top_level_shares_one_loop")),
    ),
    Fault(
        "D32",
        "a page that runs the tool on itself starts runs without end",
        "showboat#35",
        _at("test_cli", "test_a_fence_that_runs_its_own_page_is_refused",
            "test_pages_that_run_one_another_are_refused"),
    ),
    Fault(
        "E33",
        "after eight compilations of one function the ninth fence runs uncompiled",
        "pytorch#107444, TileOPs#1743, executorch#9561",
        (TORCH, *_at("engines/test_torch", "test_dynamo_is_reset_between_chains")),
    ),
    Fault(
        "E34",
        "an operator defined twice collides without naming both places; calling one that is "
        "gone is a SIGSEGV",
        "pytorch#148148, pytorch#139444, pytorch#98537",
        (TORCH, *_at("guards/test_operators", "test_registers_again_after_undo")),
    ),
    Fault(
        "E35",
        "default device and dtype, modes, overrides, environment, directory, filters, flags and "
        "random state leak from one fence into the next",
        "discopy#479, numpy#5083",
        (
            PAGES,
            TORCH,
            *_at("test_one_broken_thing_each",
                 "test_what_was_broken_is_named_and_the_next_fence_sees_nothing"),
            *_at("guards/test_leaks", "test_python_state", "test_torch_state"),
        ),
    ),
    Fault(
        "E36",
        "a fence that failed runs again in the same process and is called green",
        "pytorch#191418",
        (PAGES,),
    ),
    Fault(
        "E37",
        "memory of one fence is still held when the next one runs",
        "sphinx-gallery#853, sphinx-gallery#917",
        _at("engines/test_torch", "test_memory_of_a_chain_is_free_when_the_next_one_runs"),
    ),
    Fault(
        "F38",
        "tolerance and ellipsis exclude each other; padding, braces, several lines or a rounding "
        "boundary break the comparison; no word about which number moved",
        "doctestplus#54, #92, #135, #186; kornia#4040, TransformerLens#1290",
        (
            PAGES,
            TORCH,
            *_at("unit/test_compare", "test_tolerance", "test_ellipsis", "test_numbers_are_named"),
        ),
    ),
    Fault(
        "F39",
        "addresses, temporary paths, times and versions differ from run to run",
        "every recorder",
        (PAGES, *_at("unit/test_masks", "test_named", "test_every_named_mask_has_a_case")),
    ),
    Fault(
        "F40",
        "a wildcard takes exponential time; a filter that matches one side hides the difference",
        "byexample#29, Documenter",
        (
            PAGES,
            *_at("unit/test_ellipsis", "test_hostile_patterns_try_each_line_a_few_times"),
            *_at("unit/test_masks", "test_a_hostile_line_does_not_hang"),
        ),
    ),
    Fault(
        "F41",
        "a diff of 2,000 lines is 2,000 lines long",
        "snapbox#116",
        (PAGES, *_at("unit/test_diff", "test_many_equal_lines")),
    ),
    Fault(
        "G42",
        "a skipped fence loses its recording, or counts as passed; nobody notices that its code "
        "or its text was changed",
        "papermill, knitr, Quarto, xdoctest#88",
        (
            PAGES,
            "tests/test_cases.py::test_check[kept]",
            *_at("unit/test_unrun", "test_age", "test_what_cannot_be_kept_says_where_to_record_it"),
            *_at("unit/test_freshness", "test_what_is_known_without_running"),
        ),
    ),
    Fault(
        "G43",
        "what continues a skipped fence is a NameError",
        "transformers#22987",
        (PAGES,),
    ),
    Fault(
        "G44",
        "freshness ignores earlier fences, files and local modules, counts presentation, and "
        "does not say why",
        "Quarto#6793, MyST-NB#299, MyST-NB#350, knitr#1765",
        (
            *_at("unit/test_freshness", "test_the_key_changes_with",
                 "test_the_key_changes_with_a_local_module", "test_the_key_does_not_change_with"),
            *_at("unit/test_explain", "test_what_changed_since"),
        ),
    ),
    Fault(
        "G45",
        "a page that ran in no time and printed nothing is green without a word",
        "pytorch/tutorials#2033",
        (PAGES,),
    ),
    Fault(
        "H46",
        "messages have no `path:line`; hostile text breaks annotations and XML; slow fences "
        "are not named",
        "nbdev#1638",
        (
            PAGES,
            *_at("reporters/test_wording", "test_message"),
            *_at("reporters/test_github", "test_hostile_text_makes_no_command_of_its_own"),
            *_at("reporters/test_junit", "test_any_text_makes_valid_xml"),
        ),
    ),
    Fault(
        "H47",
        "a formatter between record and check turns the page red",
        "pytest-examples#75",
        (PAGES, *_at("unit/test_splice", "test_a_recording_is_replaced_where_it_stands")),
    ),
    Fault(
        "H48",
        "pytest-xdist tears a page's fences apart",
        "coordinax#788",
        _at("test_pytest_plugin", "test_xdist_gives_the_same_verdicts",
            "test_whole_pages_run_once_on_a_worker"),
    ),
    Fault(
        "H49",
        "cost grows with the square of the page, or long pages are refused",
        "md-babel-py, pytest-codeblocks",
        _at("faults/test_linear", "test_ten_times_as_much_takes_ten_times_as_many_calls",
            "test_a_thousand_recordings_are_read_back_once"),
    ),
)  # fmt: skip


def as_markdown() -> str:
    """The table of docs/faults.md, a heading and a table for each section."""
    pieces = []
    for letter, title in SECTIONS.items():
        rows = [fault for fault in FAULTS if fault.id[0] == letter]
        pieces.append(f"### {letter}. {title}\n")
        pieces.append("| | fault | seen in | held by |\n|---|---|---|---|")
        pieces += map(_row, rows)
        pieces.append("")
    return "\n".join(pieces)


def _row(fault: Fault) -> str:
    held = ", ".join(f"`{_short(test, fault.id)}`" for test in fault.tests)
    return f"| {fault.id} | {fault.what} | {fault.seen} | {held} |"


def _short(test: str, name: str) -> str:
    if test in (PAGES, TORCH):
        return f"faults/inputs.py {name}-…"
    module, _, function = test.removeprefix("tests/").partition("::")
    return f"{module} {function.removeprefix('test_')}"


def written(text: str) -> str:
    """``text`` of docs/faults.md with the table as it is now."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{as_markdown()}\n{END}{tail}"


if __name__ == "__main__":
    DOCS.write_text(written(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
