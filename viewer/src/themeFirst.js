// Puts the chosen theme on the page before its first paint, so that a dark room sees no flash of light.
try {
  const theme = localStorage.getItem("throughline.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (error) {
  console.info("throughline: no theme is remembered here", error);
}
