"""The live page as an author sees it: a real server, a real Chromium."""

from __future__ import annotations

import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import Served, start

HELLO = """\
# Hello

```python fence:1
print("one")
```

```text output:1
one
```
"""


def eventually(holds: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait for something outside of the browser."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def until(window: Any, expression: str) -> None:
    """Wait for something in the browser; Playwright's own way would need `eval` there."""
    eventually(lambda: bool(window.evaluate(expression)), expression)


def lesson(served: Served, window: Any, name: str, text: str) -> None:
    """Write a page and open it."""
    served.write(name, text)
    window.wait_for_selector(f'#ui\\:list li[data-path="{name}"]', state="attached")
    window.goto(f"{served.base}/page/{name}")
    window.wait_for_selector("#ui\\:body")
    until(window, "document.getElementById('ui:now').textContent !== ''")


def badge(window: Any, number: int, text: str) -> None:
    """Wait until a fence says ``text``."""
    window.wait_for_selector(f'[id="fence:{number}"] [data-part=badge]:has-text("{text}")')


def panel(window: Any, number: int) -> Any:
    return window.locator(f'[id="fence:{number}"] [data-part=panel]')


def test_a_new_page_is_listed_and_opens(served: Served, window: Any) -> None:
    lesson(served, window, "new.md", HELLO.replace("Hello", "A *new* one"))
    assert window.title() == "A new one · fencerun"
    assert window.locator("#ui\\:list [aria-current] .title").inner_text() == "A new one"
    assert window.locator('[id="fence:1"] .fence-output').inner_text().strip() == "one"


def test_an_edit_runs_and_shows_what_was_printed(served: Served, window: Any) -> None:
    lesson(served, window, "edit.md", HELLO)
    served.write("edit.md", HELLO.replace('print("one")', 'print("two")'))
    badge(window, 1, "changed")
    window.wait_for_selector("[id='fence:1'] .fence-code:has-text('print(\"two\")')")
    assert panel(window, 1).locator("td.old").inner_text() == "one"
    assert panel(window, 1).locator("td.new").inner_text() == "two"
    assert (
        window.locator('#ui\\:list li[data-path="edit.md"]').get_attribute("data-state")
        == "outdated"
    )


def test_all_lessons_are_run_from_the_list(served: Served, window: Any) -> None:
    served.write("all.md", HELLO)
    window.wait_for_selector('.rows li[data-path="all.md"]')
    window.keyboard.press("a")
    # It may have run by itself just before: then it says so, runs once more, and says so again.
    window.wait_for_selector('.rows li[data-path="all.md"][data-state=ok] .tally:text-is("1/1")')


def test_run_and_record_by_button(served: Served, window: Any) -> None:
    lesson(served, window, "buttons.md", HELLO.replace("print", "print(2);print"))
    fence = window.locator('[id="fence:1"]')
    fence.hover()
    fence.get_by_role("button", name="Run fence 1").click()
    badge(window, 1, "changed")
    assert "print(2)" in served.read("buttons.md")
    fence.get_by_role("button", name="Record fence 1").click()
    eventually(lambda: "\n2\none\n```" in served.read("buttons.md"), "it is recorded")
    window.wait_for_selector('[id="fence:1"] .fence-output:has-text("2")')
    window.wait_for_selector('[id="fence:1"][data-state=ok], [id="fence:1"][data-state=note]')
    assert panel(window, 1).inner_text() == ""


def test_run_all_with_time_that_passes_and_stop(served: Served, window: Any) -> None:
    slow = (
        "```python fence:1\nimport time\ntime.sleep(60)\n```\n\n```python fence:2\nprint(1)\n```\n"
    )
    lesson(served, window, "slow.md", slow)
    window.get_by_role("button", name="Run all").click()
    badge(window, 1, "running")
    until(
        window,
        "parseFloat(document.querySelector('[id=\"fence:1\"] .badge-aside')?.textContent) > 0.3",
    )
    badge(window, 2, "waiting")
    window.get_by_role("button", name="Stop").click()
    window.wait_for_selector("#ui\\:now:has-text('stopped')")
    window.wait_for_selector('[id="fence:1"]:not([data-state=running])')


def test_keys_act_on_the_fence_that_has_the_focus(served: Served, window: Any) -> None:
    two = "# Focus\n\n```python fence:1\nprint(1)\n```\n\n```python fence:2\nprint(2)\n```\n"
    lesson(served, window, "focus.md", two)
    current = "document.querySelector('[data-current]')?.dataset.fence"
    inside = "document.activeElement.closest('.fence')?.dataset.fence"
    window.keyboard.press("j")
    assert window.evaluate(f"[{current}, {inside}]") == ["1", "1"]
    window.keyboard.press("Tab")
    assert window.evaluate("document.activeElement.className") == "fence-number"
    window.locator('[id="fence:2"] .fence-code pre').focus()
    assert window.evaluate(current) == "2"
    with window.expect_request("**/act") as sent:
        window.keyboard.press("Enter")
    assert sent.value.post_data_json["fences"] == [2]
    badge(window, 2, "unrecorded")
    served.write("focus.md", two.replace("# Focus", "# Focus\n\nmore"))
    window.wait_for_selector("p:has-text('more')")
    assert window.evaluate(f"[{current}, {inside}]") == ["2", "2"]


def test_a_failure_shows_its_traceback_on_page_lines(served: Served, window: Any) -> None:
    lesson(served, window, "fails.md", "# Fails\n\n```python fence:1\nx = 1\nx / 0\n```\n")
    window.keyboard.press("a")
    badge(window, 1, "failed")
    text = panel(window, 1).inner_text()
    assert "ZeroDivisionError" in text
    assert "line 5" in text


def test_output_is_text_whatever_it_is(served: Served, window: Any) -> None:
    hostile = (
        "# H <img src=x onerror=alert(1)>\n\n<script>alert(2)</script>\n\n"
        '<a href="javascript:alert(3)" onclick="alert(4)">a</a>\n\n'
        "```python fence:1\nprint(\"<script>document.title='owned'</script>"
        '<img src=x onerror=alert(5)>")\nprint("\\x1b]8;;http://x\\x07")\n'
        "raise ValueError('<svg onload=alert(6)>')\n```\n"
    )
    alerts: list[str] = []

    def dismiss(dialog: Any) -> None:
        alerts.append(dialog.message)
        dialog.dismiss()

    window.on("dialog", dismiss)
    lesson(served, window, "hostile.md", hostile)
    window.keyboard.press("a")
    badge(window, 1, "failed")
    served.write("hostile.md", hostile + "\nMore.\n")
    window.wait_for_selector("#ui\\:body p:has-text('More.')")
    assert "<script>document.title" in panel(window, 1).inner_text()
    assert (
        window.locator(
            "#ui\\:body script, #ui\\:body svg, #ui\\:body [onerror], #ui\\:body [onclick]"
        ).count()
        == 0
    )
    assert window.locator("#ui\\:body a[href^=javascript]").count() == 0
    assert "owned" not in window.title()
    assert alerts == []
    # An image that is not there may be asked for, and nothing else is on the console.
    window.errors[:] = [error for error in window.errors if "404" not in error]


def test_the_policy_refuses_what_the_sanitiser_would_miss(served: Served, window: Any) -> None:
    lesson(served, window, "policy.md", HELLO)
    window.evaluate(
        """() => {
          const image = document.createElement("div");
          image.innerHTML = '<img src="data:," onerror="document.title = `owned`">';
          document.body.append(image);
          const script = document.createElement("script");
          script.textContent = "document.title = 'owned'";
          document.body.append(script);
        }"""
    )
    window.wait_for_timeout(100)
    assert "owned" not in window.title()
    assert all("Content Security Policy" in error for error in window.errors)
    window.errors.clear()


def test_what_is_read_stays_in_place(served: Served, window: Any) -> None:
    text = "# Long\n\n```python fence:1\nprint('one')\n```\n\n" + "".join(
        f"## Part {number}\n\nParagraph {number}.\n\n" for number in range(60)
    )
    lesson(served, window, "long.md", text)
    window.evaluate("document.getElementById('part-30').scrollIntoView()")
    until(window, "scrollY > 1000")
    place = "document.getElementById('part-30').getBoundingClientRect().top"
    before = window.evaluate(place)
    more = "".join(f"Line {number}, which is new.\n\n" for number in range(20))
    served.write("long.md", text.replace("# Long\n", f"# Long\n\n{more}").replace("'one'", "'1'*9"))
    window.wait_for_selector("#ui\\:body p:has-text('Line 19')", state="attached")
    badge_now = '[id="fence:1"] [data-part=badge]:has-text("unrecorded")'
    window.wait_for_selector(badge_now, state="attached")
    window.wait_for_timeout(150)
    assert abs(window.evaluate(place) - before) <= 1.5


def test_focus_selection_and_what_is_unfolded_stay(served: Served, window: Any) -> None:
    text = (
        "# Keep\n\n[a link](first.md)\n\n<details><summary>More</summary>\n\nInside.\n\n</details>"
        "\n\nSome words to select.\n\nLast.\n"
    )
    lesson(served, window, "keep.md", text)
    window.locator("summary").click()
    window.locator("#ui\\:body a", has_text="a link").focus()
    window.evaluate(
        "getSelection().selectAllChildren([...document.querySelectorAll('.page p')]"
        ".find(p => p.textContent.startsWith('Some')))"
    )
    served.write("keep.md", text.replace("# Keep", "# Keep\n\nAbove.").replace("Last", "The end"))
    window.wait_for_selector("#ui\\:body p:has-text('The end')")
    assert window.locator("details[open]").count() == 1
    assert window.evaluate("document.activeElement.textContent") == "a link"
    assert window.evaluate("getSelection().toString()") == "Some words to select."


def test_headings_that_are_called_as_our_parts_are(served: Served, window: Any) -> None:
    names = ("Main", "Body", "List", "Help", "Now", "Find", "Toast", "Outline", "Problems", "Hits")
    lesson(served, window, "names.md", HELLO + "".join(f"\n## {name}\n" for name in names))
    window.keyboard.press("a")
    badge(window, 1, "passed")
    window.keyboard.press("?")
    assert window.get_by_role("dialog").is_visible()
    window.keyboard.press("Escape")
    window.goto(f"{window.url}#toast")
    assert window.evaluate("document.querySelector(':target').tagName") == "H2"


def test_a_problem_is_shown_and_goes(served: Served, window: Any) -> None:
    lesson(served, window, "problem.md", HELLO)
    served.write("problem.md", HELLO.replace("fence:1", "fence:1 continues:9"))
    window.wait_for_selector("#ui\\:problems .problem.error")
    assert "problem.md:3" in window.locator("#ui\\:problems").inner_text()
    assert (
        window.locator('#ui\\:list li[data-path="problem.md"]').get_attribute("data-state")
        == "problem"
    )
    window.keyboard.press("a")
    window.wait_for_selector("#ui\\:toast.shown:has-text('problem')")
    served.write("problem.md", HELLO)
    window.wait_for_selector("#ui\\:problems:empty", state="attached")
    window.errors[:] = [error for error in window.errors if "409" not in error]


def test_keys(served: Served, window: Any) -> None:
    lesson(served, window, "keys.md", HELLO + "\n```python fence:2\nprint(2)\n```\n")
    current = "document.querySelector('[data-current]')?.dataset.fence"
    window.keyboard.press("j")
    assert window.evaluate(current) == "1"
    window.keyboard.press("j")
    assert window.evaluate(current) == "2"
    window.keyboard.press("Enter")
    badge(window, 2, "unrecorded")
    window.keyboard.press("k")
    window.keyboard.press("n")
    assert window.evaluate(current) == "2"
    window.keyboard.press("r")
    eventually(lambda: "output:2" in served.read("keys.md"), "it is recorded")
    window.keyboard.press("?")
    assert window.locator("#ui\\:help").is_visible()
    window.keyboard.press("a")
    window.keyboard.press("Escape")
    assert window.locator("#ui\\:help").is_hidden()
    window.keyboard.press("?")
    window.get_by_role("button", name="Close").click()
    assert window.locator("#ui\\:help").is_hidden()
    window.keyboard.press("[")
    window.wait_for_url(lambda url: "keys.md" not in url)


def test_a_click_on_a_line_copies_where_it_is(served: Served, window: Any) -> None:
    lesson(served, window, "copy.md", HELLO)
    window.locator('.line[data-line="4"]').click()
    window.wait_for_selector("#ui\\:toast.shown")
    assert window.evaluate("navigator.clipboard.readText()") == "copy.md:4"
    window.locator('.line[data-line="4"]').dblclick()
    window.wait_for_timeout(400)
    assert window.evaluate("getSelection().toString()") != ""


def test_a_click_on_a_line_of_a_diff_copies_where_it_is(served: Served, window: Any) -> None:
    lesson(served, window, "copied.md", HELLO.replace("text output:1\none", "text output:1\ntwo"))
    window.keyboard.press("a")
    badge(window, 1, "changed")
    panel(window, 1).locator("th", has_text="8").click()
    window.wait_for_selector("#ui\\:toast.shown")
    assert window.evaluate("navigator.clipboard.readText()") == "copied.md:8"
    panel(window, 1).locator(".panel-line").click()
    window.wait_for_selector("#ui\\:toast.shown")


def test_search(served: Served, window: Any) -> None:
    lesson(
        served, window, "found.md", "# Find me\n\n" + "Filler.\n\n" * 80 + "A rare zebra here.\n"
    )
    window.keyboard.press("/")
    window.keyboard.type("ZEBRA rare")
    hit = window.locator("#ui\\:hits a")
    hit.wait_for()
    assert hit.count() == 1
    assert "found.md:163" in hit.inner_text()
    assert hit.locator("mark").count() == 2
    window.keyboard.press("Enter")
    window.wait_for_url("**/page/found.md#line:163")
    window.wait_for_selector("#ui\\:body p.found:has-text('zebra')")
    window.keyboard.press("/")
    window.keyboard.type("nothing like that (")
    window.wait_for_selector("#ui\\:hits .none")
    window.keyboard.press("Escape")
    assert window.locator("#ui\\:list").is_visible()


def test_light_and_dark(served: Served, window: Any) -> None:
    lesson(served, window, "dark.md", HELLO)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = window.evaluate(ground)
    window.emulate_media(color_scheme="dark")
    dark = window.evaluate(ground)
    assert (
        sum(map(int, re.findall(r"\d+", light)))
        > 600
        > 200
        > sum(map(int, re.findall(r"\d+", dark)))
    )
    window.keyboard.press("t")
    assert window.evaluate(ground) == light
    window.reload()
    assert window.evaluate(ground) == light
    window.keyboard.press("t")
    window.emulate_media(color_scheme="light")
    assert window.evaluate(ground) == dark


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_no_width_scrolls_sideways(served: Served, window: Any, width: int) -> None:
    wide = "x" * 300
    text = f"# {wide}\n\n`{wide}`\n\n```python fence:1\nprint('{wide}')\n```\n\n" + (
        "| " + " | ".join(wide[:30] for _ in range(8)) + " |\n|" + "--|" * 8 + "\n"
    )
    lesson(served, window, f"wide{width}.md", text)
    window.set_viewport_size({"width": width, "height": 800})
    window.keyboard.press("a")
    badge(window, 1, "unrecorded")
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    window.keyboard.press("l")
    assert window.locator("#ui\\:list").is_visible() == (width < 960)


def test_print_has_the_lesson_alone(served: Served, window: Any) -> None:
    lesson(served, window, "print.md", HELLO)
    window.emulate_media(media="print")
    assert window.locator(".top, .lessons").evaluate_all("all => all.every(e => !e.offsetParent)")
    assert window.locator("#ui\\:body h1").is_visible()


def test_a_page_that_goes_is_said_to_be_gone(served: Served, window: Any) -> None:
    lesson(served, window, "going.md", HELLO)
    (served.root / "going.md").unlink()
    window.wait_for_selector("#ui\\:toast.shown:has-text('gone')")
    assert window.locator('#ui\\:list li[data-path="going.md"]').count() == 0


def test_figures_are_shown_and_other_files_are_not(served: Served, window: Any) -> None:
    (served.root / "figures").mkdir()
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">'
        "<script>document.title='owned'</script><rect width='30' height='20'/></svg>"
    )
    (served.root / "figures" / "a.svg").write_text(svg)
    lesson(served, window, "figure.md", "# Figure\n\n![a](figures/a.svg)\n")
    until(window, "document.querySelector('.page img').naturalWidth === 30")
    window.goto(f"{served.base}/page/figures/a.svg")
    assert window.title() != "owned"
    assert window.goto(f"{served.base}/page/pyproject.toml").status == 404
    window.errors.clear()


def test_a_server_that_comes_back_is_noticed(chromium: Any, tmp_path: Any) -> None:
    (tmp_path / "a.md").write_text(HELLO)
    one = start(tmp_path)
    context = chromium.new_context()
    try:
        window = context.new_page()
        window.goto(one.address)
        window.wait_for_selector("#ui\\:body")
        window.wait_for_selector("#ui\\:now:has-text('Ready')")
        one.process.terminate()
        assert one.process.wait(20) == 0
        window.wait_for_selector("#ui\\:now:has-text('Not connected')", timeout=15_000)
    finally:
        context.close()
        one.process.kill()
        one.process.wait()


def test_without_the_token_there_is_nothing(served: Served, chromium: Any) -> None:
    context = chromium.new_context()
    window = context.new_page()
    for address in (served.base, f"{served.base}/?token=wrong", f"{served.base}/page/first.md"):
        answer = window.goto(address)
        assert answer.status == 401
        assert "needs its token" in window.inner_text("body")
    # With the cookie alone, as another site would have it: reading is not acting.
    window.goto(served.address)
    window.wait_for_selector("#ui\\:list")
    status = window.evaluate(
        """async () => (await fetch("/act", {
          method: "POST", headers: {"content-type": "application/json"},
          body: '{"verb": "stop"}'})).status"""
    )
    assert status == 403
    assert "token" not in window.url
    context.close()


def test_another_site_in_the_same_browser_gets_nothing(served: Served, window: Any) -> None:
    # The same machine by a name that was made to point to it, as by DNS rebinding.
    port = served.base.rpartition(":")[2]
    request = urllib.request.Request(served.address, headers={"Host": f"evil.example:{port}"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    with caught.value as refused:
        assert refused.code == 403
    # The cookie of 127.0.0.1 is not sent by a page of localhost, which is another site.
    window.goto(served.base.replace("127.0.0.1", "localhost"))
    assert "needs its token" in window.inner_text("body")
    got = window.evaluate(
        f"fetch('{served.base}/lessons', {{credentials: 'include'}}).then(() => 'read', () => 'no')"
    )
    assert got == "no"
    window.errors.clear()


def test_it_listens_on_the_loopback_address_only(served: Served) -> None:
    port = int(served.base.rpartition(":")[2])
    socket.create_connection(("127.0.0.1", port), 5).close()
    # Another address of this machine, where a server bound to all of them would answer too.
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.2", port), 5).close()


_MORPHS = """async () => {
  const { morph } = await import("/static/morph.js");
  let seed = 7;
  const dice = n => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const words = ["one", "two", "three", "a <b>bold</b> word", "<code>x</code>"];
  const block = depth => {
    const kind = dice(depth ? 6 : 4);
    const text = words[dice(words.length)];
    if (kind === 0) return `<p data-line="${dice(50)}">${text}</p>`;
    if (kind === 1) return `<h2 id="h${dice(6)}">${text}</h2>`;
    if (kind === 2) return `<pre><code> ${text}\\n  ${words[dice(3)]}</code></pre>`;
    if (kind === 3) return `${text} `;
    const inner = Array.from({ length: dice(4) }, () => block(depth - 1)).join("\\n");
    if (kind === 4) return `<div class="fence" id="fence:${dice(5)}">${inner}</div>`;
    return `<ul>${inner.replace(/^/, "<li>")}</li></ul>`;
  };
  const page = () => Array.from({ length: dice(9) }, () => block(3)).join("\\n");
  // Repeated ids are no page of ours, and white space between blocks is nothing.
  const unique = html => new Set(html.match(/id="[^"]*"/g)).size ===
    (html.match(/id="[^"]*"/g) ?? []).length;
  const plain = html => html.replace(/>\\s+</g, "><").replace(/\\s+/g, " ").trim();
  const wrong = [];
  let tried = 0;
  while (tried < 1500) {
    const [before, after] = [page(), page()];
    if (!unique(before) || !unique(after)) continue;
    tried++;
    const old = document.createElement("div");
    old.innerHTML = before;
    const fresh = document.createElement("template");
    fresh.innerHTML = after;
    morph(old, fresh.content);
    const wanted = document.createElement("div");
    wanted.innerHTML = after;
    const got = old.innerHTML;
    if (plain(got) !== plain(wanted.innerHTML)) wrong.push([before, after, got]);
  }
  return wrong.slice(0, 3);
}"""


def test_any_body_becomes_any_other(served: Served, window: Any) -> None:
    assert window.evaluate(_MORPHS) == []


def test_elements_that_stay_are_the_same_ones(served: Served, window: Any) -> None:
    kept = window.evaluate(
        """async () => {
          const { morph } = await import("/static/morph.js");
          const old = document.createElement("div");
          old.innerHTML = "<h2 id=a>A</h2><p>one</p><p>two</p><div id=f><p>in</p></div><p>end</p>";
          const nodes = [...old.children];
          const fresh = document.createElement("template");
          fresh.innerHTML =
            "<p>new</p><h2 id=a>A!</h2><p>two</p><p>new</p><div id=f><p>in</p><p>more</p></div>";
          morph(old, fresh.content);
          return nodes.map(node => old.contains(node) ? node.textContent : null);
        }"""
    )
    assert kept == ["A!", None, "two", "inmore", None]


def test_a_narrow_window_shows_all_that_is_said_of_a_fence(served: Served, window: Any) -> None:
    wide = "x" * 400
    tags = "requires:cuda,sm>=90,network,slow"
    cells = "|".join(f" column {n} " for n in range(30))
    text = (
        f"# {wide}\n\n{wide}\n\n|{cells}|\n|{'---|' * 30}\n\n"
        f"1. a\n   - b\n\n     ```python fence:1 {tags}\n     print('{wide}')\n     ```\n"
    )
    lesson(served, window, "narrow.md", text)
    menu = window.locator("[data-act=menu]")
    assert menu.get_attribute("aria-expanded") == "true"
    window.set_viewport_size({"width": 320, "height": 700})
    window.keyboard.press("a")
    badge(window, 1, "missing")
    assert window.evaluate("document.documentElement.scrollWidth") == 320
    box = window.locator('[id="fence:1"] .badge').bounding_box()
    assert box is not None and box["width"] > 20 and box["x"] + box["width"] <= 320
    until(window, "document.querySelector('[data-act=menu]').ariaExpanded === 'false'")
    menu.click()
    assert menu.get_attribute("aria-expanded") == "true"
