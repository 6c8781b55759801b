// What the reader looks at stays where it is, whatever changes above it.

/** Runs `change` and puts the first element that was in view back where it was. */
export function steadily(change) {
  const root = document.documentElement;
  const seen = inView();
  // The browser's own anchoring would correct what is corrected here once more.
  root.style.overflowAnchor = "none";
  change();
  const kept = seen.find(([element]) => element.isConnected);
  if (kept) {
    const moved = kept[0].getBoundingClientRect().top - kept[1];
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
  }
  requestAnimationFrame(() => (root.style.overflowAnchor = ""));
}

function inView() {
  if (scrollY < 4) return [];
  const top = document.querySelector(".top")?.getBoundingClientRect().bottom ?? 0;
  const body = document.getElementById("ui:body").getBoundingClientRect();
  const found = new Map();
  for (let y = top + 4; y < innerHeight; y += 48) {
    // A little to the right, where list items and quotes begin too.
    let element = document.elementFromPoint(body.left + Math.min(40, body.width / 2), y);
    for (; element && element.id !== "ui:body"; element = element.parentElement) {
      if (!found.has(element)) found.set(element, element.getBoundingClientRect().top);
    }
  }
  return [...found].filter(([element]) => element.closest("#ui\\:body"));
}
