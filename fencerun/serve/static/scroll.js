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
  const main = document.getElementById("main").getBoundingClientRect();
  const found = new Map();
  for (let y = top + 4; y < innerHeight; y += 48) {
    let element = document.elementFromPoint(main.left + Math.min(48, main.width / 2), y);
    element = element?.closest("[data-line], [id]");
    while (element && element.closest("#body") && element.id !== "body") {
      if (!found.has(element)) found.set(element, element.getBoundingClientRect().top);
      element = element.parentElement?.closest("[data-line]");
    }
  }
  return [...found];
}
