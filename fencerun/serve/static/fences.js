// The fences of the page: their badges and panels as messages change them, and the current one.

import { act, copy } from "./act.js";
import { steadily } from "./scroll.js";

const { called } = document.body.dataset;
// Messages by fence, for a body that was made before them.
const latest = new Map();
// When each running fence began, on this machine's clock.
const running = new Map();
let ticking = 0;
// Fences whose news are not in the document yet, and when that was last brought up to date.
const unshown = new Set();
let waiting = 0;
let shown = 0;

export const all = () => [...document.querySelectorAll(".fence[data-fence]")];
export const current = () => document.querySelector(".fence[data-current]");
const numberOf = (fence) => Number(fence.dataset.fence);

/** A fence's state changed. */
export function changed(data, number) {
  latest.set(data.number, { ...data, at: number, heard: performance.now() });
  unshown.add(data.number);
  // One by one as they come, and together where they come fast: each measures the document.
  if (performance.now() - shown > 50) flush();
  else waiting ||= setTimeout(flush, 16);
}

function flush() {
  clearTimeout(waiting);
  waiting = 0;
  steadily(() => {
    for (const number of unshown) {
      const fence = document.getElementById(`fence:${number}`);
      if (fence) show(fence, latest.get(number));
    }
  });
  unshown.clear();
  shown = performance.now();
}

/** The page's body was made anew, at message `at`: what was heard since goes on top. */
export function renewed(at) {
  for (const [number, data] of latest) {
    if (data.at <= at) continue;
    const fence = document.getElementById(`fence:${number}`);
    if (fence) show(fence, data);
  }
}

function show(fence, data) {
  fence.dataset.state = data.state;
  for (const part of ["badge", "panel"]) {
    const place = fence.querySelector(`[data-part=${part}]`);
    if (place && place.innerHTML !== data[part]) place.innerHTML = data[part];
  }
  if (data.running === null) running.delete(data.number);
  else running.set(data.number, data.heard - data.running * 1000);
  if (running.size && !ticking) ticking = setInterval(tick, 100);
  tick();
}

function tick() {
  for (const [number, began] of running) {
    const place = document.querySelector(`[id="fence:${number}"] .badge-aside`);
    if (place) place.textContent = seconds((performance.now() - began) / 1000);
  }
  if (!running.size) {
    clearInterval(ticking);
    ticking = 0;
  }
}

export function seconds(value) {
  if (value < 10) return `${value.toFixed(1)} s`;
  if (value < 60) return `${Math.floor(value)} s`;
  return `${Math.floor(value / 60)}:${String(Math.floor(value % 60)).padStart(2, "0")} min`;
}

/** Makes a fence the current one; by `keyboard` it is gone to, so that Tab goes on inside it. */
export function choose(fence, keyboard = true) {
  if (!fence) return;
  for (const other of document.querySelectorAll("[data-current]")) delete other.dataset.current;
  fence.dataset.current = "";
  if (!keyboard) return;
  fence.scrollIntoView({ block: "start", behavior: "instant" });
  fence.tabIndex = -1;
  fence.focus({ preventScroll: true });
}

/** The next fence in a direction, of those that `wanted` picks. */
export function step(direction, wanted = () => true) {
  const fences = all();
  const from = fences.indexOf(current());
  if (from < 0) {
    const line = document.querySelector(".top").getBoundingClientRect().bottom;
    const below = fences.findIndex((fence) => fence.getBoundingClientRect().bottom > line);
    const first = direction > 0 ? Math.max(below, 0) : below - 1;
    return choose(pick(fences, first, direction, wanted));
  }
  choose(pick(fences, from + direction, direction, wanted));
}

function pick(fences, at, direction, wanted) {
  for (let index = at; index >= 0 && index < fences.length; index += direction) {
    if (wanted(fences[index])) return fences[index];
  }
  return null;
}

export const needsALook = (fence) => !["ok", "unknown"].includes(fence.dataset.state);

/** What the keyboard does with the current fence. */
export function onCurrent(verb) {
  const fence = current();
  if (!fence) return step(1);
  if (verb === "copy") copy(`${called}:${fence.dataset.line}`);
  else act(verb, [numberOf(fence)]);
}

// Keys act on the fence that has the focus.
document.getElementById("ui:main").addEventListener("focusin", (event) => {
  const fence = event.target.closest(".fence[data-fence]");
  if (fence && fence !== current()) choose(fence, false);
});

document.getElementById("ui:main").addEventListener("click", (event) => {
  const fence = event.target.closest(".fence[data-fence]");
  if (fence) choose(fence, false);
  // A line that a message or a diff names.
  const named = event.target.closest(".panel-line, .diff th[scope=row]");
  const number = named?.dataset.line ?? named?.textContent;
  if (number) {
    event.preventDefault();
    copy(`${called}:${number}`);
    return;
  }
  const line = event.target.closest(".line[data-line]");
  if (!line || event.target.closest("a, button, summary")) return;
  // A second click, or a drag, selects text: the clipboard is left alone.
  if (event.detail > 1) return;
  setTimeout(() => {
    if (getSelection().isCollapsed) copy(`${called}:${line.dataset.line}`);
  }, 250);
});
