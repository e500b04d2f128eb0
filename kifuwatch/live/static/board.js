// <go-board>: a Go board drawn as SVG. Nothing but this file, goban.js and board.css is needed to show one.
//
// Properties: position (board text, top line first), last ("Q16"), numbers ({at: n}), marks ([{at, kind, text, tone}]),
// ghosts ([{at, color}]: stones that are not sure or not there yet), dim ([at]: dead stones), territory (board text).
// Attributes: coords, rot (0..3 quarter turns clockwise), theme (wood, paper, dark, clear), editable, label.
// Events: "point" {at} when a point is chosen by pointer or keyboard (editable), "hover" {at}.

import { s, changed } from "./dom.js";
import { parsePoint, pointName, starPoints, COLUMNS } from "./goban.js";

const PITCH = 30;
const STONE = 14.2;
const FEW = 3;
let boards = 0;

/** A generator of always the same numbers: the grain of the wood does not change while one looks at it. */
function steady(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function grain(side) {
  const random = steady(7);
  const fine = [];
  for (let x = 3; x < side; x += 3 + random() * 9) {
    const sway = (random() - 0.5) * 7;
    const bend = (random() - 0.5) * 5;
    fine.push(
      `M${x.toFixed(1)} 0C${(x + sway).toFixed(1)} ${side * 0.3} ${(x + bend).toFixed(1)} ${side * 0.7} ${(x + sway + bend).toFixed(1)} ${side}`,
    );
  }
  const third = (n) => fine.filter((_, index) => index % 3 === n).join("");
  return [0, 1, 2].map((n) => s("path", { d: third(n), class: `grain grain-${n}` }));
}

function gradient(id, kind, place, stops) {
  const inside = stops.map(([offset, name]) => s("stop", { offset, class: `stop-${name}` }));
  return s(kind, { id, ...place }, inside);
}

export class GoBoard extends HTMLElement {
  static observedAttributes = ["coords", "rot", "theme", "editable", "label"];

  constructor() {
    super();
    this.ids = `go${++boards}`;
    this.shown = { position: null, last: null, numbers: null, marks: [], ghosts: [], dim: [], territory: null };
    this.stones = new Map();
    this.cursor = null;
    this.size = 0;
  }

  connectedCallback() {
    if (!this.shown.position) this.shown.position = Array.from({ length: 19 }, () => ".".repeat(19));
    this.build();
    this.addEventListener("pointermove", (event) => this.pointTo(event));
    this.addEventListener("pointerleave", () => this.hoverAt(null));
    this.addEventListener("click", (event) => this.choose(this.pointOf(event)));
    this.addEventListener("keydown", (event) => this.key(event));
    this.addEventListener("blur", () => this.hoverAt(null));
  }

  attributeChangedCallback(name, before, now) {
    if (!this.isConnected || before === now) return;
    if (name === "label" || name === "editable") this.describe();
    else if (name !== "theme") this.build();
  }

  /** Take several properties at once and draw what has changed. */
  show(next) {
    Object.assign(this.shown, next);
    if (!this.isConnected) return;
    if ((this.shown.position?.length || 19) !== this.size) this.build();
    else this.draw();
  }

  set position(lines) {
    this.show({ position: lines });
  }

  get position() {
    return this.shown.position;
  }

  set last(at) {
    this.show({ last: at });
  }

  set numbers(numbers) {
    this.show({ numbers });
  }

  set marks(marks) {
    this.show({ marks: marks || [] });
  }

  set ghosts(ghosts) {
    this.show({ ghosts: ghosts || [] });
  }

  get editable() {
    return this.hasAttribute("editable");
  }

  get quarter() {
    return (((Number(this.getAttribute("rot")) || 0) % 4) + 4) % 4;
  }

  // Where things are

  /** Column and row as seen: 0, 0 at the upper left. */
  seen({ col, row }) {
    const last = this.size - 1;
    const places = [
      [col, last - row],
      [row, col],
      [last - col, row],
      [last - row, last - col],
    ];
    return places[this.quarter];
  }

  place(point) {
    const [across, down] = this.seen(point);
    return [this.margin + across * PITCH, this.margin + down * PITCH];
  }

  pointAt(across, down) {
    const last = this.size - 1;
    const points = [
      [across, last - down],
      [down, across],
      [last - across, down],
      [last - down, last - across],
    ];
    const [col, row] = points[this.quarter];
    return col >= 0 && row >= 0 && col <= last && row <= last ? { col, row } : null;
  }

  pointOf(event) {
    const box = this.svg.getBoundingClientRect();
    const unit = this.side / box.width;
    const index = (client, edge) => Math.round(((client - edge) * unit - this.margin) / PITCH);
    return this.pointAt(index(event.clientX, box.left), index(event.clientY, box.top));
  }

  // Drawing

  build() {
    this.size = this.shown.position?.length || 19;
    this.margin = PITCH * (this.hasAttribute("coords") ? 1.35 : 0.82);
    this.side = (this.size - 1) * PITCH + 2 * this.margin;
    this.stones.clear();
    this.layers = Object.fromEntries(
      ["shadows", "stones", "territory", "ghosts", "marks", "hover"].map((name) => [
        name,
        s("g", { class: `layer-${name}` }),
      ]),
    );
    this.svg = s("svg", {
      viewBox: `0 0 ${this.side} ${this.side}`,
      class: "goban",
      "aria-hidden": "true",
      focusable: "false",
    });
    this.svg.append(this.defs(), ...this.wood(), this.grid(), ...Object.values(this.layers));
    this.words = this.words || document.createElement("span");
    this.words.className = "visually-hidden";
    this.words.setAttribute("aria-live", "polite");
    this.replaceChildren(this.svg, this.words);
    for (const layer of Object.values(this.layers)) layer.kifuwatchKey = undefined;
    this.fresh = true;
    this.describe();
    this.draw();
    this.fresh = false;
  }

  defs() {
    const id = (name) => `${this.ids}-${name}`;
    const light = { cx: "0.36", cy: "0.3", r: "0.78", fx: "0.33", fy: "0.26" };
    return s(
      "defs",
      null,
      gradient(id("wood"), "linearGradient", { x1: 0, y1: 0, x2: 1, y2: 0.35 }, [
        ["0", "wood-1"],
        ["0.45", "wood-2"],
        ["1", "wood-3"],
      ]),
      gradient(id("black"), "radialGradient", light, [
        ["0", "black-1"],
        ["0.45", "black-2"],
        ["1", "black-3"],
      ]),
      gradient(id("white"), "radialGradient", light, [
        ["0", "white-1"],
        ["0.6", "white-2"],
        ["1", "white-3"],
      ]),
      gradient(id("shadow"), "radialGradient", {}, [
        ["0.7", "shadow-1"],
        ["0.86", "shadow-2"],
        ["1", "shadow-3"],
      ]),
    );
  }

  wood() {
    const box = { x: 0, y: 0, width: this.side, height: this.side, rx: 5 };
    const clip = s("clipPath", { id: `${this.ids}-edge` }, s("rect", box));
    const lines = s("g", { "clip-path": `url(#${this.ids}-edge)`, class: "grains" }, grain(this.side));
    const rim = s("rect", { x: 0.75, y: 0.75, width: this.side - 1.5, height: this.side - 1.5, rx: 4.4, class: "rim" });
    return [clip, s("rect", { ...box, class: "wood", fill: `url(#${this.ids}-wood)` }), lines, rim];
  }

  grid() {
    const [from, to] = [this.margin, this.margin + (this.size - 1) * PITCH];
    const inner = [];
    for (let n = 1; n < this.size - 1; n += 1) {
      const at = this.margin + n * PITCH;
      inner.push(`M${from} ${at}H${to}M${at} ${from}V${to}`);
    }
    const stars = starPoints(this.size).map((point) => {
      const [cx, cy] = this.place(point);
      return s("circle", { cx, cy, r: this.size >= 19 ? 3.3 : 3.5, class: "star" });
    });
    const group = s(
      "g",
      { class: "grid" },
      s("path", { d: inner.join(""), class: "line" }),
      s("rect", { x: from, y: from, width: to - from, height: to - from, class: "border" }),
      stars,
    );
    if (this.hasAttribute("coords")) group.append(...this.coordinates());
    return group;
  }

  coordinates() {
    const last = this.size - 1;
    const [near, far] = [this.margin - PITCH * 0.84, this.margin + last * PITCH + PITCH * 0.84];
    const sideways = this.quarter % 2 === 1;
    const texts = [];
    const size = Math.min(11.5, this.side * 0.026);
    const text = (x, y, what) => s("text", { x, y, "font-size": size.toFixed(1), class: "coordinate" }, String(what));
    for (let n = 0; n < this.size; n += 1) {
      const at = this.margin + n * PITCH;
      const across = this.pointAt(n, last);
      const down = this.pointAt(0, n);
      const top = sideways ? across.row + 1 : COLUMNS[across.col];
      const left = sideways ? COLUMNS[down.col] : down.row + 1;
      for (const y of [near, far]) texts.push(text(at, y, top));
      for (const x of [near, far]) texts.push(text(x, at, left));
    }
    return texts;
  }

  draw() {
    if (!this.svg) return;
    this.drawStones();
    this.drawGhosts();
    this.drawTerritory();
    this.drawMarks();
  }

  drawStones() {
    const next = new Map();
    (this.shown.position || []).forEach((line, top) => {
      [...line].forEach((cell, col) => {
        if (cell === "X" || cell === "O") next.set(pointName(col, this.size - 1 - top), cell);
      });
    });
    for (const [at, stone] of this.stones) {
      if (next.get(at) === stone.cell) continue;
      stone.parts.forEach((part) => part.remove());
      this.stones.delete(at);
    }
    const fresh = [...next].filter(([at]) => !this.stones.has(at));
    const lands = !this.fresh && fresh.length <= FEW; // a whole position is simply there
    for (const [at, cell] of fresh) this.addStone(at, cell, lands);
    const dim = new Set(this.shown.dim);
    for (const [at, { parts }] of this.stones) parts.forEach((part) => part.classList.toggle("dim", dim.has(at)));
  }

  addStone(at, cell, lands) {
    const [cx, cy] = this.place(parsePoint(at));
    const kind = cell === "X" ? "black" : "white";
    const shadow = s("circle", {
      cx: cx + 1.3,
      cy: cy + 2.2,
      r: STONE + 2.2,
      class: "shadow",
      fill: `url(#${this.ids}-shadow)`,
    });
    const stone = s("circle", {
      cx,
      cy,
      r: STONE,
      class: `stone ${kind}${lands ? " new" : ""}`,
      fill: `url(#${this.ids}-${kind})`,
    });
    this.layers.shadows.append(shadow);
    this.layers.stones.append(stone);
    this.stones.set(at, { cell, parts: [shadow, stone] });
  }

  drawGhosts() {
    if (!changed(this.layers.ghosts, this.shown.ghosts)) return;
    const drawn = (this.shown.ghosts || [])
      .filter(({ at }) => parsePoint(at))
      .map(({ at, color }) => {
        const [cx, cy] = this.place(parsePoint(at));
        const kind = color === "B" || color === "X" ? "black" : "white";
        return s("circle", { cx, cy, r: STONE, class: `ghost ${kind}`, fill: `url(#${this.ids}-${kind})` });
      });
    this.layers.ghosts.replaceChildren(...drawn);
  }

  drawTerritory() {
    if (!changed(this.layers.territory, this.shown.territory)) return;
    const squares = [];
    (this.shown.territory || []).forEach((line, top) => {
      [...line].forEach((cell, col) => {
        if (cell !== "X" && cell !== "O") return;
        const [x, y] = this.place({ col, row: this.size - 1 - top });
        squares.push(
          s("rect", {
            x: x - 4.5,
            y: y - 4.5,
            width: 9,
            height: 9,
            rx: 1.2,
            class: `area ${cell === "X" ? "black" : "white"}`,
          }),
        );
      });
    });
    this.layers.territory.replaceChildren(...squares);
  }

  drawMarks() {
    const { last, numbers, marks, position } = this.shown;
    if (!changed(this.layers.marks, [last, numbers, marks, position])) return;
    const drawn = [];
    const marked = new Set((marks || []).map((mark) => mark.at));
    for (const [at, number] of Object.entries(numbers || {})) {
      if (this.stones.has(at) && !marked.has(at))
        drawn.push(this.label(at, String(number), at === last ? "latest" : ""));
    }
    const point = parsePoint(last);
    if (point && !marked.has(last) && !numbers?.[last]) {
      const [cx, cy] = this.place(point);
      drawn.push(s("circle", { cx, cy, r: 4.6, class: "last" }));
    }
    for (const mark of marks || []) if (parsePoint(mark.at)) drawn.push(this.mark(mark));
    this.layers.marks.replaceChildren(...drawn);
  }

  on(at) {
    return { X: "on-black", O: "on-white" }[this.stones.get(at)?.cell] || "on-wood";
  }

  label(at, text, more) {
    const [x, y] = this.place(parsePoint(at));
    const size = text.length > 2 ? 11 : text.length > 1 ? 13.5 : 15.5;
    const node = s("text", { x, y, "font-size": size, class: `number ${this.on(at)} ${more || ""}` }, text);
    return node;
  }

  mark({ at, kind, text, tone }) {
    const [x, y] = this.place(parsePoint(at));
    const classes = `mark ${this.on(at)} ${tone || ""}`;
    if (kind === "label") {
      const back = this.stones.has(at) ? [] : [s("circle", { cx: x, cy: y, r: 11, class: "label-back" })];
      return s("g", { class: tone || "" }, back, this.label(at, text || "", tone));
    }
    if (kind === "triangle") return s("path", { d: `M${x} ${y - 8.6}l7.6 13h-15.2z`, class: classes });
    if (kind === "square") return s("rect", { x: x - 6.4, y: y - 6.4, width: 12.8, height: 12.8, class: classes });
    if (kind === "cross") return s("path", { d: `M${x - 6} ${y - 6}l12 12M${x + 6} ${y - 6}l-12 12`, class: classes });
    if (kind === "halo") return s("circle", { cx: x, cy: y, r: 16.2, class: `${classes} halo` });
    return s("circle", { cx: x, cy: y, r: 7.4, class: classes });
  }

  // Pointer and keyboard

  pointTo(event) {
    if (this.editable) this.hoverAt(this.pointOf(event));
  }

  hoverAt(point) {
    const at = point ? pointName(point.col, point.row) : null;
    if (this.hovered === at) return;
    this.hovered = at;
    if (!this.layers) return;
    const [x, y] = point ? this.place(point) : [0, 0];
    this.layers.hover.replaceChildren(
      ...(point ? [s("rect", { x: x - 12, y: y - 12, width: 24, height: 24, rx: 5, class: "hover" })] : []),
    );
    this.dispatchEvent(new CustomEvent("hover", { detail: { at } }));
  }

  choose(point) {
    if (!this.editable || !point) return;
    this.cursor = point;
    this.dispatchEvent(new CustomEvent("point", { detail: { at: pointName(point.col, point.row) }, bubbles: true }));
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!this.editable || (!step && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    const middle = (this.size - 1) / 2;
    this.cursor = this.cursor || { col: Math.round(middle), row: Math.round(middle) };
    if (!step) return this.choose(this.cursor);
    const [across, down] = this.seen(this.cursor);
    this.cursor = this.pointAt(across + step[0], down + step[1]) || this.cursor;
    this.hoverAt(this.cursor);
    this.words.textContent = this.spoken(pointName(this.cursor.col, this.cursor.row));
  }

  spoken(at) {
    const cell = this.stones.get(at)?.cell;
    const word = cell === "X" ? this.dataset.black : cell === "O" ? this.dataset.white : this.dataset.empty;
    return `${at} ${word || cell || ""}`;
  }

  describe() {
    this.setAttribute("role", this.editable ? "application" : "img");
    this.setAttribute("aria-label", this.getAttribute("label") || "Go");
    if (this.editable) this.tabIndex = 0;
    else this.removeAttribute("tabindex");
  }
}

customElements.define("go-board", GoBoard);
