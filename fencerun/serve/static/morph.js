// One tree of elements made into another, keeping every node that is in both: what is scrolled,
// selected, focused or unfolded stays so.

// What is of no account in telling two elements apart: their line, and what the reader did.
const BESIDE = / (?:data-line="\d+"|open=""|data-current=""|tabindex="-1")/g;
// Attributes that are the reader's, not the page's.
const OURS = new Set(["open", "data-current", "tabindex"]);
// In these, white space between elements is nothing.
const LOOSE = new Set(
  "DIV SECTION UL OL DL TABLE THEAD TBODY TR BLOCKQUOTE FIGURE #document-fragment".split(" "),
);

/** Makes the children of `old` those of `fresh`. Nodes of `fresh` are moved where they are new. */
export function morph(old, fresh) {
  const [before, after] = [children(old), children(fresh)];
  const [own, wanted] = [before.map(nameOf), after.map(nameOf)];
  let start = 0;
  while (start < own.length && start < wanted.length && own[start] === wanted[start]) start++;
  let [ownEnd, wantedEnd] = [own.length, wanted.length];
  while (ownEnd > start && wantedEnd > start && own[ownEnd - 1] === wanted[wantedEnd - 1]) {
    ownEnd--;
    wantedEnd--;
  }
  // In which old node each fresh one lives on; a node without any is new.
  const lives = new Array(after.length).fill(null);
  for (let at = 0; at < start; at++) lives[at] = before[at];
  for (let at = wantedEnd; at < wanted.length; at++) lives[at] = before[at - wantedEnd + ownEnd];
  let [from, to] = [start, start];
  for (const [mine, its] of [...common(own, wanted, start, ownEnd, wantedEnd), [ownEnd, wantedEnd]]) {
    gap(before.slice(from, mine), after, to, its, lives);
    if (its < wantedEnd) lives[its] = before[mine];
    [from, to] = [mine + 1, its + 1];
  }
  place(old, before, after, lives);
}

/** Pairs of places, ascending in both, whose nodes are the same one and the only one of its name. */
function common(own, wanted, start, ownEnd, wantedEnd) {
  const only = once(own, start, ownEnd);
  const pairs = [];
  for (const [name, its] of once(wanted, start, wantedEnd)) {
    if (only.get(name) >= 0 && its >= 0) pairs.push([only.get(name), its]);
  }
  pairs.sort((one, other) => one[1] - other[1]);
  return ascending(pairs);
}

/** By name, where it stands; -1 where there are several. */
function once(names, start, end) {
  const found = new Map();
  for (let at = start; at < end; at++) found.set(names[at], found.has(names[at]) ? -1 : at);
  return found;
}

/** The longest run of pairs whose first numbers ascend, as patience sorting finds it. */
function ascending(pairs) {
  const tops = [];
  const below = pairs.map(() => -1);
  pairs.forEach(([mine], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]][0] < mine) low = middle + 1;
      else high = middle;
    }
    below[index] = low ? tops[low - 1] : -1;
    tops[low] = index;
  });
  const found = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = below[at]) found.unshift(pairs[at]);
  return found;
}

/** Between two nodes that stay, nodes of the same kind live on in order. */
function gap(before, after, start, end, lives) {
  let from = 0;
  for (let at = start; at < end; at++) {
    if (keyOf(after[at]) !== null) continue;
    const kind = (node) => node.nodeName === after[at].nodeName && keyOf(node) === null;
    const found = before.findIndex((node, index) => index >= from && kind(node));
    if (found < 0) continue;
    lives[at] = before[found];
    from = found + 1;
  }
}

function place(parent, before, after, lives) {
  const kept = new Set(lives);
  for (const node of before) if (!kept.has(node)) node.remove();
  let next = null;
  for (let at = after.length - 1; at >= 0; at--) {
    const node = lives[at] ?? after[at];
    if (lives[at]) update(node, after[at]);
    else parent.insertBefore(node, next);
    next = node;
  }
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !OURS.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.innerHTML !== fresh.innerHTML) morph(old, fresh);
}

function children(node) {
  if (!LOOSE.has(node.nodeName)) return [...node.childNodes];
  return [...node.childNodes].filter(
    (child) => child.nodeType !== Node.TEXT_NODE || child.nodeValue.trim(),
  );
}

function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  return node.id || node.dataset?.part || null;
}

/** Equal for two nodes where one is the other, perhaps with other contents. */
function nameOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return `${node.nodeName} ${node.nodeValue}`;
  const key = keyOf(node);
  return key === null ? node.outerHTML.replace(BESIDE, "") : `${node.nodeName}#${key}`;
}
