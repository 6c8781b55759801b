// Brings a lesson to life: messages in, changes of the document out; clicks and keys to requests.

import { act, copy, toast } from "./act.js";
import * as fences from "./fences.js";
import { keys } from "./keys.js";
import * as lessons from "./lessons.js";
import { morph } from "./morph.js";
import { steadily } from "./scroll.js";
import { follow } from "./outline.js";
import { listen } from "./stream.js";

const { page, boot, at } = document.body.dataset;
const root = document.documentElement;
const byId = (id) => document.getElementById(id);
let about = "";
let trouble = {};
let run = { running: false };
let away = false;
// The number of the last message of each kind.
const since = {};

// What happens.

const heard = {
  fence: fences.changed,
  page: ({ version, runs }) => {
    if (version === document.body.dataset.version) return;
    // What the fences print is what the author waits for: it goes first where it is quick.
    if (runs) later = setTimeout(refresh, 60);
    else refresh();
  },
  line: lessons.changed,
  gone: ({ path }, number) => {
    lessons.gone(path, number);
    if (path === page) toast("This page is gone", "error");
  },
  run: (data) => {
    run = data;
    now();
    if (later && !run.running) requestAnimationFrame(refresh);
  },
  about: (data) => {
    about = data.about;
    now();
  },
  trouble: (data) => {
    trouble = data;
    now();
  },
};

/** Everything anew: messages were missed, or the server is another one. */
async function missed(hello) {
  if (hello.boot !== boot) return location.reload();
  const answer = await fetch("/lessons");
  if (!answer.ok) return;
  // The answer waited for the lessons to be read.
  if (byId("ui:reading")) return location.reload();
  const data = await answer.json();
  lessons.renewed(data.lessons, data.at);
  // What was heard since the answer was made is newer than it.
  if ((since.run ?? 0) <= data.at) run = data.run;
  if ((since.about ?? 0) <= data.at) about = data.about;
  if ((since.trouble ?? 0) <= data.at) trouble = data.trouble;
  now();
  if (!hello.fresh) await refresh();
}

let fetching = null;
let again = false;
let later = 0;

/** The page changed: fetch its body and make the document say the same. */
async function refresh() {
  clearTimeout(later);
  later = 0;
  if (!page) return;
  if (fetching) {
    again = true;
    return;
  }
  fetching = fetch(`/body/${page.split("/").map(encodeURIComponent).join("/")}`);
  try {
    const answer = await fetching;
    if (answer.ok) put(await answer.json());
  } catch {
    // The stream comes back, and this with it.
  } finally {
    fetching = null;
  }
  if (again) {
    again = false;
    await refresh();
  }
}

function put(data) {
  const fresh = document.createElement("template");
  fresh.innerHTML = data.body;
  steadily(() => {
    morph(byId("ui:body"), fresh.content);
    byId("ui:problems").innerHTML = data.problems;
    fences.renewed(data.at);
  });
  if (byId("ui:outline").innerHTML !== data.contents) byId("ui:outline").innerHTML = data.contents;
  document.title = `${data.title} · fencerun`;
  document.body.dataset.version = data.version;
  follow();
}

/** The line at the top that says what goes on. */
function now() {
  const line = byId("ui:now");
  const [text, kind] = status();
  line.textContent = text;
  line.dataset.kind = kind;
  line.title = text;
  const stop = document.querySelector("[data-act=stop]");
  if (stop) stop.hidden = !run.running;
}

function status() {
  if (away) return ["Not connected", "error"];
  if (trouble.what) return [[trouble.what, trouble.remedy].filter(Boolean).join(". "), "error"];
  if (run.running) {
    const verb = run.verb === "record" ? "Recording" : "Running";
    return [run.fences > 1 ? `${verb}, ${run.done} of ${run.fences} done` : `${verb}…`, "running"];
  }
  if (run.seconds === undefined) return [about ? "Ready" : "Loading…", ""];
  const counts = Object.entries(run.counts).map(([kind, count]) => `${count} ${kind}`);
  const words = run.interrupted ? ["stopped", ...counts] : counts;
  return [`${words.join(", ") || "nothing ran"} · ${fences.seconds(run.seconds)}`, ""];
}

// What the reader does.

function theme() {
  const next = { auto: "light", light: "dark", dark: "auto" }[root.dataset.theme ?? "auto"];
  if (next === "auto") delete root.dataset.theme;
  else root.dataset.theme = next;
  try {
    localStorage.setItem("fencerun-theme", next);
  } catch {
    // It lasts as long as this document.
  }
  toast(next === "auto" ? "As the system has it" : next === "dark" ? "Dark" : "Light");
}

const narrow = matchMedia("(max-width: 60rem)");

function menu() {
  // Wide windows show the list unless it is put away, narrow ones where it is asked for.
  root.classList.toggle(narrow.matches ? "drawer" : "alone");
  listed();
}

/** Says whether the list of lessons is there to be seen. */
function listed() {
  const shown = narrow.matches
    ? root.classList.contains("drawer")
    : !root.classList.contains("alone");
  document.querySelector("[data-act=menu]").setAttribute("aria-expanded", String(shown));
}

narrow.addEventListener("change", listed);
listed();

const clicked = {
  menu,
  theme,
  "run-all": () => act("run"),
  "record-all": () => act("record"),
  stop: () => act("stop"),
  help: () => byId("ui:help").showModal(),
};

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) {
    const drawer = root.classList.contains("drawer");
    if (drawer && !event.target.closest(".lessons")) menu();
    if (event.target.id === "ui:help") byId("ui:help").close();
    return;
  }
  if (button.dataset.copy) return copy(button.dataset.copy);
  const { act: name, fenceNumber } = button.dataset;
  if (fenceNumber) act(name, [Number(fenceNumber)]);
  else clicked[name]?.();
});

function search() {
  if (narrow.matches && !root.classList.contains("drawer")) menu();
  root.classList.remove("alone");
  listed();
  lessons.focusSearch();
}

const onPage = page
  ? {
      j: () => fences.step(1),
      k: () => fences.step(-1),
      n: () => fences.step(1, fences.needsALook),
      p: () => fences.step(-1, fences.needsALook),
      Enter: () => fences.onCurrent("run"),
      r: () => fences.onCurrent("record"),
      c: () => fences.onCurrent("copy"),
      R: clicked["record-all"],
    }
  : {};

keys({
  ...onPage,
  a: clicked["run-all"],
  s: () => act("stale"),
  x: clicked.stop,
  "[": () => lessons.step(-1),
  "]": () => lessons.step(1),
  "/": search,
  l: menu,
  t: theme,
  "?": clicked.help,
  Escape: () => root.classList.contains("drawer") && menu(),
});

/** `#line:42` names the block that the line lies in. */
function toLine() {
  const line = Number(/^#line:(\d+)$/.exec(location.hash)?.[1]);
  if (!line) return;
  const blocks = [...document.querySelectorAll("#ui\\:body [data-line]")];
  const found = blocks.filter((block) => Number(block.dataset.line) <= line).pop();
  found?.scrollIntoView({ block: "center" });
  found?.classList.add("found");
  setTimeout(() => found?.classList.remove("found"), 2000);
}

follow();
addEventListener("hashchange", toLine);
toLine();

function hear(kind, data, number) {
  since[kind] = number;
  heard[kind](data, number);
}

listen(page, at, boot, hear, missed, (there) => {
  if (away === !there) return;
  away = !there;
  now();
});
// What goes on was not in the document.
missed({ boot, fresh: true });
