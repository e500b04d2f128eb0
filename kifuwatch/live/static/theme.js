// Runs before the page is painted, so that neither theme nor language flickers. No module: modules wait.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = (name) => {
    try {
      return localStorage.getItem(`kifuwatch.${name}`) || "";
    } catch {
      return ""; // a browser that keeps nothing
    }
  };
  const apply = () => {
    const choice = stored("theme");
    root.dataset.theme = choice || (dark.matches ? "dark" : "light");
    root.dataset.themeChoice = choice || "auto";
  };
  apply();
  dark.addEventListener?.("change", apply);
  window.addEventListener("storage", apply);
  document.addEventListener("kifuwatch-theme", apply);
  const asked = new URLSearchParams(location.search).get("lang") || stored("lang") || navigator.language || "en";
  root.lang = /^zh/i.test(asked) ? "zh-Hans" : "en";
})();
