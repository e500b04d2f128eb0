// The words of the pages, in English and Simplified Chinese. One table a language, loaded before anything is shown.

let table = {};
let language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";
const listeners = new Set();

async function load(which) {
  const answer = await fetch(new URL(`i18n/${which}.json`, import.meta.url));
  table = await answer.json();
  language = which;
  document.documentElement.lang = which === "zh" ? "zh-Hans" : "en";
}

/** The language now: "en" or "zh". */
export const currentLanguage = () => language;

/** Take another language, keep it, and let every part of the page write itself anew. */
export async function setLanguage(which) {
  await load(which);
  try {
    localStorage.setItem("kifuwatch.lang", which);
  } catch {
    // A browser that keeps nothing: the choice holds for this page.
  }
  translate(document);
  for (const listener of listeners) listener();
}

/** Be told when the language changes. */
export function onLanguage(listener) {
  listeners.add(listener);
}

/** The text of a key, with {names} filled in. `count` chooses `key.one` where the language has one. */
export function t(key, values = {}) {
  const single = values.count === 1 ? table[`${key}.one`] : undefined;
  const text = single ?? table[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Whether there is a text of this key. */
export const hasText = (key) => key in table;

/** What the server says in both languages: {en, zh}. Plain text is taken as it is. */
export function own(text) {
  if (text === null || text === undefined) return "";
  return typeof text === "string" ? text : text[language] || text.en || text.zh || "";
}

/** Fill in the elements that name a key: data-t the text, data-t-label the accessible name, data-t-hint. */
export function translate(root) {
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
  for (const node of root.querySelectorAll("[data-t-hint]")) node.setAttribute("placeholder", t(node.dataset.tHint));
}

/** Seconds as people say them: "12 s", "3 min", "2 h". */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 90) return t("time.seconds", { n: whole });
  if (whole < 5400) return t("time.minutes", { n: Math.round(whole / 60) });
  if (whole < 172800) return t("time.hours", { n: Math.round(whole / 3600) });
  return t("time.days", { n: Math.round(whole / 86400) });
}

export const ready = load(language).then(() => translate(document));
