// The list of lessons, and the search.

const list = document.getElementById("ui:list");
const rows = document.getElementById("ui:rows");
const find = document.getElementById("ui:find");
const hits = document.getElementById("ui:hits");

const address = (path) => `/page/${path.split("/").map(encodeURIComponent).join("/")}`;

function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function tally(line) {
  if (!line.fences) return "";
  if ((line.counts.unknown ?? 0) === line.fences) return String(line.fences);
  return `${line.counts.ok ?? 0}/${line.fences}`;
}

function item(line, where) {
  const made = element("li");
  const link = element("a", "", { href: address(line.path) });
  if (line.path === document.body.dataset.page) link.setAttribute("aria-current", "page");
  link.append(
    element("i", "", { class: "dot", role: "img" }),
    element("span", "", { class: "title" }),
    element("span", "", { class: "tally" }),
  );
  if (where === rows) link.append(element("code", line.path, { class: "path" }));
  made.dataset.path = line.path;
  made.append(link);
  return made;
}

// The number of the last message on each lesson.
const since = new Map();

/** A lesson's line changed, or is new; message `number` says so. */
export function changed(line, number) {
  since.set(line.path, number);
  put(line);
}

function put(line) {
  for (const where of [list, rows].filter(Boolean)) {
    const at = (path) => [...where.children].find((child) => child.dataset.path === path);
    let made = at(line.path);
    if (!made) {
      made = item(line, where);
      where.insertBefore(made, at(line.next) ?? null);
    }
    made.dataset.state = line.state;
    made.querySelector(".title").textContent = line.title;
    made.querySelector(".tally").textContent = tally(line);
    const dot = made.querySelector(".dot");
    dot.title = line.state;
    dot.setAttribute("aria-label", line.state);
  }
}

/** A lesson is gone. */
export function gone(path, number) {
  since.set(path, number);
  for (const where of [list, rows].filter(Boolean)) {
    [...where.children].find((child) => child.dataset.path === path)?.remove();
  }
}

/** The whole list in order, as it was at message `at`: what was heard since is newer. */
export function renewed(all, at) {
  const newer = (path) => (since.get(path) ?? 0) > at;
  const lines = all.filter((line) => !newer(line.path));
  const known = new Set(lines.map((line) => line.path));
  for (const where of [list, rows].filter(Boolean)) {
    const places = new Map([...where.children].map((child) => [child.dataset.path, child]));
    for (const [path, place] of places) {
      if (!known.has(path) && !newer(path)) place.remove();
    }
    let next = where.firstElementChild;
    for (const line of lines) {
      const made = places.get(line.path) ?? item(line, where);
      if (made === next) next = next.nextElementSibling;
      else where.insertBefore(made, next);
    }
  }
  lines.forEach(put);
}

/** Goes to the lesson before or after this one. */
export function step(direction) {
  const links = [...list.querySelectorAll("a")];
  const here = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = links[here < 0 ? 0 : here + direction];
  if (next) location.assign(next.href);
}

let asked = 0;

async function search() {
  const words = find.value.trim();
  const turn = ++asked;
  hits.hidden = !words;
  list.hidden = Boolean(words);
  if (!words) return hits.replaceChildren();
  let found = [];
  try {
    const answer = await fetch(`/search?${new URLSearchParams({ q: words })}`);
    if (answer.ok) found = await answer.json();
  } catch {
    // The line at the top says that the server is away.
  }
  if (turn !== asked) return;
  hits.replaceChildren(...found.map((hit) => result(hit, words)));
  if (!found.length) hits.append(element("li", "Nothing found", { class: "none" }));
}

function result(hit, words) {
  const made = element("li");
  const link = element("a", "", { href: `${address(hit.path)}#line:${hit.number}` });
  link.append(element("span", hit.title, { class: "title" }), marked(hit.text, words));
  link.append(element("span", `${hit.path}:${hit.number}`, { class: "where" }));
  made.append(link);
  return made;
}

function marked(text, words) {
  const made = element("span", "", { class: "text" });
  const parts = words.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(${parts.join("|")})`, "gi");
  text.split(pattern).forEach((part, index) => {
    made.append(index % 2 ? element("mark", part) : part);
  });
  return made;
}

let waiting = 0;
find.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 90);
});
find.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    find.value = "";
    search();
    find.blur();
  } else if (event.key === "Enter" || event.key === "ArrowDown") {
    const first = hits.querySelector("a");
    if (!first) return;
    event.preventDefault();
    if (event.key === "Enter") first.click();
    else first.focus();
  }
});
hits.addEventListener("keydown", (event) => {
  const links = [...hits.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown") (links[at + 1] ?? links[at]).focus();
  else if (event.key === "ArrowUp") (links[at - 1] ?? find).focus();
  else if (event.key === "Escape") find.focus();
  else return;
  event.preventDefault();
});

/** Puts the cursor into the search. */
export function focusSearch() {
  find.focus();
  find.select();
}
