// The keyboard; fencerun/serve/keys.py lists the same keys for the reader.

/** Calls what `actions` has for a key, unless the reader is writing or the browser wants it. */
export function keys(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    // A button or a link that has the focus takes its own Enter.
    if (event.key === "Enter" && event.target.closest?.("a, button, summary")) return;
    const action = actions[event.key];
    if (!action || (event.repeat && !"jknp".includes(event.key))) return;
    event.preventDefault();
    action();
  });
}
