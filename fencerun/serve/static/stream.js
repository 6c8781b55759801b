// The event stream. A window that nobody sees gives its connection back: a browser has six for
// one host, and authors have more tabs than that.

const QUIET = 20_000;

/** Calls `hear(kind, data, number)` for each message and `missed()` where some are lost. */
export function listen(page, at, boot, hear, missed, connected) {
  let source = null;
  let last = `${boot}-${at}`;
  let hidden = 0;

  function open() {
    if (source) return;
    const query = new URLSearchParams({ last });
    if (page) query.set("page", page);
    source = new EventSource(`/events?${query}`);
    source.addEventListener("open", () => connected(true));
    source.addEventListener("error", () => {
      connected(false);
      // Closed for good: the server refused us, as a new one does that has another token.
      if (source?.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 2000);
      }
    });
    source.addEventListener("hello", (event) => {
      remember(event);
      missed(JSON.parse(event.data));
    });
    for (const kind of ["fence", "page", "line", "gone", "run", "about", "trouble"]) {
      source.addEventListener(kind, (event) => {
        remember(event);
        hear(kind, JSON.parse(event.data), number(event.lastEventId));
      });
    }
  }

  function remember(event) {
    if (event.lastEventId) last = event.lastEventId;
  }

  function close() {
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.visibilityState === "visible") open();
    else hidden = setTimeout(close, QUIET);
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
}

function number(id) {
  return Number(id.slice(id.lastIndexOf("-") + 1));
}
