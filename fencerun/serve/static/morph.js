// One tree of elements made into another, keeping every node that is in both: what is scrolled,
// selected, focused or unfolded stays so.

const LINES = / data-line="\d+"/g;
// Attributes that are the reader's, not the page's.
const OURS = new Set(["open", "data-current", "data-line"]);

/** Makes the children of `old` those of `fresh`. Nodes of `fresh` are moved where they are new. */
export function morph(old, fresh) {
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  let start = 0;
  while (start < before.length && start < after.length && pair(before[start], after[start])) start++;
  let [oldEnd, freshEnd] = [before.length, after.length];
  while (oldEnd > start && freshEnd > start && pair(before[oldEnd - 1], after[freshEnd - 1])) {
    oldEnd--;
    freshEnd--;
  }
  between(old, before.slice(start, oldEnd), after.slice(start, freshEnd), before[oldEnd] ?? null);
}

/** Whether two nodes are the same one, which then is brought up to date. */
function pair(old, fresh) {
  const key = keyOf(old);
  if (key !== keyOf(fresh) || old.nodeName !== fresh.nodeName) return false;
  if (key === null && signature(old) !== signature(fresh)) return false;
  update(old, fresh);
  return true;
}

/** What is left in the middle: keyed nodes move, others are taken over in order of their kind. */
function between(parent, before, after, next) {
  const keyed = new Map(before.filter((n) => keyOf(n) !== null).map((n) => [keyOf(n), n]));
  const free = before.filter((node) => keyOf(node) === null);
  const exact = new Map();
  for (const node of free) {
    const sign = signature(node);
    if (!exact.has(sign)) exact.set(sign, []);
    exact.get(sign).push(node);
  }
  const taken = new Set();
  const chosen = after.map((node) => {
    const key = keyOf(node);
    const found = key === null ? exact.get(signature(node))?.shift() : keyed.get(key);
    if (!found || taken.has(found) || found.nodeName !== node.nodeName) return null;
    taken.add(found);
    return found;
  });
  let rest = free.filter((node) => !taken.has(node));
  after.forEach((node, index) => {
    if (chosen[index] || keyOf(node) !== null) return;
    const at = rest.findIndex((old) => old.nodeName === node.nodeName);
    if (at < 0) return;
    chosen[index] = rest[at];
    taken.add(rest[at]);
    rest = rest.slice(at + 1);
  });
  for (const node of before) if (!taken.has(node)) node.remove();
  for (let index = after.length - 1; index >= 0; index--) {
    const node = chosen[index] ?? after[index];
    if (chosen[index]) update(node, after[index]);
    if (node.nextSibling !== next || node.parentNode !== parent) parent.insertBefore(node, next);
    next = node;
  }
}

function update(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  attributes(old, fresh);
  if (old.isEqualNode(fresh)) return;
  morph(old, fresh);
}

function attributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !OURS.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  return node.id || node.dataset?.part || null;
}

// What nodes are without their lines. Asked more than once of each, and of whole pages.
const signatures = new WeakMap();

function signature(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return `${node.nodeType}${node.nodeValue}`;
  let known = signatures.get(node);
  if (known?.[0] !== node.outerHTML.length) {
    known = [node.outerHTML.length, node.outerHTML.replace(LINES, "")];
    signatures.set(node, known);
  }
  return known[1];
}
