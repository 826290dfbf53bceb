// Runs before the first paint, so that a chosen theme never flashes the other one.
(function () {
  try {
    var prefs = JSON.parse(localStorage.getItem("tq.prefs") || "{}");
    if (prefs.theme === "light" || prefs.theme === "dark") document.documentElement.dataset.theme = prefs.theme;
    if (prefs.density === "compact") document.documentElement.dataset.density = "compact";
    if (prefs.motion === "off") document.documentElement.dataset.motion = "off";
  } catch (e) {
    // Storage may be forbidden; the system's theme is then the right one.
  }
})();
