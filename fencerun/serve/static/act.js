// Requests that do something, and the line that says what came of it.

const { word, page } = document.body.dataset;

/** Asks for `verb`; without fences it is about the page. */
export async function act(verb, fences = []) {
  let answer;
  try {
    answer = await fetch("/act", {
      method: "POST",
      headers: { "content-type": "application/json", "x-fencerun": word },
      body: JSON.stringify({ verb, page: page ?? "", fences }),
    });
  } catch {
    return toast("The server does not answer", "error");
  }
  if (!answer.ok) toast((await answer.text()) || `Refused (${answer.status})`, "error");
}

let fading = 0;

/** Shows a line for a while; screen readers say it. */
export function toast(text, kind = "") {
  const line = document.getElementById("ui:toast");
  line.textContent = text;
  line.dataset.kind = kind;
  line.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => {
    line.classList.remove("shown");
    // What has faded is not to be read, either.
    fading = setTimeout(() => (line.textContent = ""), 300);
  }, kind === "error" ? 6000 : 2200);
}

/** Copies `text` and says so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${text}`);
  } catch {
    toast(text);
  }
}
