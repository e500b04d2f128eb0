// What every page has: the head with language and theme, the banner of a lost connection, short notes, questions.

import { $, h, s, fill, say, show, iconButton, icon, ICONS, boardOfPage } from "./dom.js";
import { currentLanguage, duration, onLanguage, ready, setLanguage, t } from "./text.js";
import { isArbiter, signInByAddress, post } from "./net.js";

function brandMark() {
  const lines = s("path", { d: "M7 3v26M16 3v26M25 3v26M3 7h26M3 16h26M3 25h26", class: "brand-lines" });
  return s(
    "svg",
    { viewBox: "0 0 32 32", class: "brand-mark", "aria-hidden": "true" },
    lines,
    s("circle", { cx: 16, cy: 16, r: 7.4, class: "brand-black" }),
    s("circle", { cx: 25, cy: 7, r: 5.6, class: "brand-white" }),
  );
}

function themeButton() {
  const root = document.documentElement;
  const button = iconButton("moon", t("frame.theme"), () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("kifuwatch.theme", next);
      document.dispatchEvent(new Event("kifuwatch-theme"));
    } catch {
      root.dataset.theme = next;
    }
    draw();
  });
  const draw = () => {
    const dark = root.dataset.theme === "dark";
    fill(button, icon(dark ? ICONS.sun : ICONS.moon));
    const label = t(dark ? "frame.light" : "frame.dark");
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  draw();
  return button;
}

function languageButton() {
  const other = currentLanguage() === "zh" ? "en" : "zh";
  const name = other === "zh" ? "中文" : "English";
  return h(
    "button",
    {
      type: "button",
      class: "quiet language",
      lang: other === "zh" ? "zh-Hans" : "en",
      onclick: () => setLanguage(other),
    },
    name,
  );
}

function links(page, board, arbiter) {
  const link = (key, href) => h("a", { href, "aria-current": key === page ? "page" : null }, t(`nav.${key}`));
  const name = board && encodeURIComponent(board);
  const list = [link("hall", "/")];
  if (board) list.push(link("board", `/board/${name}`));
  if (board && arbiter)
    list.push(link("desk", `/desk/${name}`), link("review", `/review/${name}`), link("setup", `/setup/${name}`));
  if (!arbiter)
    list.push(h("a", { href: `/login?next=${encodeURIComponent(location.pathname)}`, class: "soft" }, t("nav.login")));
  return list;
}

function signOut() {
  const leave = async () => {
    await post("/api/logout").catch(() => {});
    location.assign("/");
  };
  return h("button", { type: "button", class: "quiet", onclick: leave }, t("nav.logout"));
}

/** Build the head of a page; `page` is hall, board, desk, setup, review or login. Resolves to {board, arbiter}. */
export async function begin(page) {
  await ready;
  await signInByAddress();
  const arbiter = await isArbiter();
  const board = page === "hall" || page === "login" ? null : boardOfPage();
  const head = $("header.site");
  const build = () => {
    const left = h(
      "a",
      { class: "brand", href: "/", "aria-label": t("frame.home") },
      brandMark(),
      h("span", null, "kifuwatch"),
    );
    const nav = h("nav", { "aria-label": t("frame.pages") }, links(page, board, arbiter));
    fill(head, left, nav, h("div", { class: "tools" }, arbiter ? signOut() : null, languageButton(), themeButton()));
  };
  build();
  onLanguage(build);
  document.body.append(
    h("div", { class: "toasts", role: "status", "aria-live": "polite" }),
    h("p", { class: "visually-hidden", id: "spoken", "aria-live": "polite" }),
  );
  return { board, arbiter };
}

/** Say something to those who listen instead of look. */
export function announce(text) {
  const place = $("#spoken");
  if (place) say(place, text);
}

/** The line over the page while nothing comes from the server: how long already. */
export function connection(seconds) {
  let line = $(".connection");
  if (!line) {
    line = h(
      "div",
      { class: "connection", role: "status" },
      h("span", { class: "pulse" }),
      h("span", { class: "words" }),
    );
    document.body.prepend(line);
  }
  show(line, seconds !== null);
  document.body.classList.toggle("disconnected", seconds !== null);
  // Spoken once, not each second: the age is for the eye.
  if (seconds !== null)
    fill(
      $(".words", line),
      t("frame.lost"),
      " ",
      h("span", { "aria-hidden": "true" }, t("frame.lost.age", { age: duration(seconds) })),
    );
}

/** A short note at the foot of the page; `undo` adds a button to it. */
export function toast(text, { undo = null, fault = false, seconds = 7 } = {}) {
  const note = h("div", { class: `toast${fault ? " fault" : ""}` }, h("span", null, text));
  const remove = () => note.remove();
  if (undo) {
    note.append(h("button", { type: "button", onclick: () => (remove(), undo()) }, t("do.undo")));
  }
  note.append(iconButton("close", t("do.close"), remove));
  const place = $(".toasts");
  while (place.children.length > 2) place.firstChild.remove();
  place.append(note);
  setTimeout(remove, seconds * 1000);
}

/** Why a request was refused, as a note. */
export function refused(error) {
  const sentence =
    error.status === 0
      ? t("frame.no-answer")
      : error.status === 401 || error.status === 403
        ? t("frame.sign-in")
        : error.message;
  toast(sentence, { fault: true, seconds: 12 });
}

/** Do something that asks the server; a refusal becomes a note. Resolves to undefined then. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (typeof error.status !== "number") throw error;
    refused(error);
    return undefined;
  }
}

/** A question in a dialog; resolves to the value of the button chosen, or null. `choices`: [{value, text, grave}]. */
export function ask(title, content, choices) {
  return new Promise((resolve) => {
    const id = `ask-${Date.now()}`;
    let chosen = null;
    const box = h("dialog", { class: "ask", "aria-labelledby": id }, h("h2", { id }, title), content);
    const finish = (value) => {
      chosen = value;
      box.close();
    };
    const buttons = choices.map((each) =>
      h(
        "button",
        { type: "button", class: each.grave ? "grave" : each.main ? "main" : "", onclick: () => finish(each.value) },
        each.text,
      ),
    );
    const cancel = h("button", { type: "button", class: "quiet", onclick: () => finish(null) }, t("do.cancel"));
    box.append(h("div", { class: "row end" }, cancel, buttons));
    box.addEventListener("close", () => {
      box.remove();
      resolve(chosen);
    });
    document.body.append(box);
    box.showModal();
    cancel.focus();
  });
}

/** The title of the browser's window. */
export function title(...parts) {
  document.title = [...parts.filter(Boolean), "kifuwatch"].join(" · ");
}
