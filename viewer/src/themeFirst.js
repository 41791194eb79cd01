// Applies the stored theme before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem("throughline.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch (error) {
  console.info("throughline: no theme is remembered here", error);
}
