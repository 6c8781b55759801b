// The contents beside the lesson show where the reader is.

const outline = document.getElementById("ui:outline");
let headings = [];
let asked = false;

/** The lesson's headings are these from now on. */
export function follow() {
  headings = [...outline.querySelectorAll("a[href^='#']")]
    .map((link) => [link, document.getElementById(decodeURIComponent(link.hash.slice(1)))])
    .filter(([, heading]) => heading);
  mark();
}

function mark() {
  asked = false;
  if (!outline.offsetParent && getComputedStyle(outline).position !== "sticky") return;
  let here = null;
  for (const [link, heading] of headings) {
    if (heading.getBoundingClientRect().top > innerHeight / 4) break;
    here = link;
  }
  const before = outline.querySelector("[aria-current]");
  if (before === here) return;
  before?.removeAttribute("aria-current");
  if (!here) return;
  here.setAttribute("aria-current", "location");
  // Its own scroll only: `scrollIntoView` could move the lesson too.
  const [top, bottom] = [here.offsetTop, here.offsetTop + here.offsetHeight];
  if (top < outline.scrollTop + 40) outline.scrollTop = top - 40;
  else if (bottom > outline.scrollTop + outline.clientHeight - 40) {
    outline.scrollTop = bottom - outline.clientHeight + 40;
  }
}

addEventListener(
  "scroll",
  () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(mark);
  },
  { passive: true },
);
