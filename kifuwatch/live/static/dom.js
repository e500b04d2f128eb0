// Small helpers to build pages. Text goes in as text nodes only: names from players are never read as markup.

const SVG = "http://www.w3.org/2000/svg";

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** An HTML element: `h("p", {class: "soft"}, "text", h("b", null, "more"))`. */
export function h(tag, attributes, ...children) {
  return put(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes, ...children) {
  return put(document.createElementNS(SVG, tag), attributes, children);
}

/** Replace everything in a node. */
export function fill(node, ...children) {
  const fresh = document.createDocumentFragment();
  add(fresh, children);
  node.replaceChildren(fresh);
  return node;
}

/** Set the text of a node if it is another one: nothing is announced twice, nothing is laid out anew. */
export function say(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

/** Show or hide. */
export function show(node, visible) {
  if (node) node.hidden = !visible;
}

export const $ = (selector, within = document) => within.querySelector(selector);

/** What a JSON of this value was built for last: rebuild a part only when its data are others. */
export function changed(node, value) {
  const key = JSON.stringify(value);
  if (node.kifuwatchKey === key) return false;
  node.kifuwatchKey = key;
  return true;
}

/** The last part of the path: which board a page is about. */
export function boardOfPage() {
  const parts = location.pathname.split("/").filter(Boolean);
  return decodeURIComponent(parts[parts.length - 1] || "");
}

/** The address of something of a board. */
export function boardUrl(board, ...rest) {
  return ["/api/boards", encodeURIComponent(board), ...rest].join("/");
}

/** 65 -> "1:05"; null -> "". */
export function clockText(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  const two = (n) => String(n).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`;
}

/** A line pictogram, 24 by 24, drawn from path data. */
export function icon(path) {
  return s(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    s("path", { d: path }),
  );
}

export const ICONS = {
  first: "M18 6l-8 6 8 6M6 5v14",
  previous: "M15 5l-8 7 8 7",
  next: "M9 5l8 7-8 7",
  last: "M6 6l8 6-8 6M18 5v14",
  turn: "M20 12a8 8 0 1 1-2.6-5.9M20 3v4.5h-4.5",
  numbers: "M5 7l3-2v14M13 8a3.2 3.2 0 1 1 5.6 2L13 19h7",
  coordinates: "M4 4v16h16M9 20v-2M14 20v-2M4 15h2M4 10h2",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  sun: "M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8M19.1 4.9l-1.8 1.8M6.7 17.3l-1.8 1.8",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10 21h4",
  close: "M6 6l12 12M18 6L6 18",
  camera: "M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
};

/** A button that shows a pictogram and tells its name. */
export function iconButton(name, label, onclick, attributes = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...attributes },
    icon(ICONS[name]),
  );
}
