// Before anything is drawn: the theme that was chosen, so that no page flashes in the other one.
(() => {
  try {
    const theme = localStorage.getItem("fencerun-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be forbidden. Then the system's theme it is.
  }
})();
