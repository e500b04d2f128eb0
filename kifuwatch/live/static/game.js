// A game on a page: the board with its controls, and where in the game one looks.

import "./board.js";
import { h, fill, say, iconButton, changed } from "./dom.js";
import { movesOf, moveNumbers, replay } from "./goban.js";
import { onLanguage, t } from "./text.js";
import { announce } from "./frame.js";

const kept = {
  get(name, otherwise) {
    try {
      return JSON.parse(localStorage.getItem(`kifuwatch.${name}`)) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`kifuwatch.${name}`, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing.
    }
  },
};

/** "White 24: Q16, takes 2". */
export function spokenMove(move, number) {
  const colour = t(move.color === "B" ? "colour.black" : "colour.white");
  const at = move.at === "pass" ? t("move.pass") : move.at;
  const taken = Array.isArray(move.captures) ? move.captures.length : 0;
  return t("move.spoken", { colour, number, at }) + (taken ? t("move.takes", { count: taken, n: taken }) : "");
}

/** A board with a game on it. `onView` is called whenever another move is looked at, or the game has changed. */
export class GameView {
  constructor({ board, controls = null, tools = true, onView = () => {}, keys = true }) {
    this.board = board;
    this.onView = onView;
    this.state = null;
    this.at = null; // null: the newest move, whatever it will be
    this.numbers = kept.get("numbers", false);
    this.extra = {}; // marks and ghosts of the page itself
    if (!board.hasAttribute("rot")) board.setAttribute("rot", kept.get("rot", 0));
    if (kept.get("coords", true)) board.setAttribute("coords", "");
    if (controls) this.buildControls(controls, tools);
    if (keys) document.addEventListener("keydown", (event) => this.key(event));
    onLanguage(() => this.words());
  }

  // The game

  get moves() {
    return this.state ? movesOf(this.state) : [];
  }

  /** The number of the move looked at; 0 before the first. */
  get number() {
    return this.at === null ? this.moves.length : Math.min(this.at, this.moves.length);
  }

  get live() {
    return this.at === null || this.at >= this.moves.length;
  }

  take(state) {
    const before = this.state;
    const sameGame = before && before.game_id === state.game_id;
    const count = sameGame ? movesOf(before).length : null;
    this.state = state;
    this.game = replay(state);
    if (!sameGame) this.at = null;
    if (this.at !== null && this.at > this.moves.length) this.at = null;
    this.draw();
    const newest = this.moves[this.moves.length - 1];
    if (count !== null && this.moves.length > count && newest) announce(spokenMove(newest, this.moves.length));
    if (count !== null && this.moves.length < count) announce(t("move.taken-back", { number: this.moves.length }));
  }

  go(number) {
    const wanted = Math.max(0, Math.min(number, this.moves.length));
    this.at = wanted >= this.moves.length ? null : wanted;
    this.draw();
    const move = this.moves[wanted - 1];
    if (move) announce(spokenMove(move, wanted));
  }

  /** Marks and ghosts that the page wants on the board; null takes a kind away. */
  mark(extra) {
    this.extra = { ...this.extra, ...extra };
    this.draw();
  }

  draw() {
    const number = this.number;
    const move = this.moves[number - 1];
    const last = move && move.at !== "pass" ? move.at : null;
    const marks = [...(this.extra.marks || [])];
    if (move?.inferred && last) marks.push({ at: last, kind: "halo", tone: "calm" });
    const position = this.state ? this.game.positions[number] : undefined;
    this.board.show({
      position: position || this.board.position,
      last: this.live ? last : last,
      numbers: this.numbers ? moveNumbers(this.state || {}, number) : null,
      marks,
      ghosts: this.extra.ghosts || [],
      dim: this.live ? this.extra.dim || [] : [],
      territory: this.live ? this.extra.territory || null : null,
    });
    this.words();
    this.onView(this);
  }

  words() {
    this.board.dataset.black = t("colour.black");
    this.board.dataset.white = t("colour.white");
    this.board.dataset.empty = t("board.empty");
    const move = this.moves[this.number - 1];
    const where = move ? spokenMove(move, this.number) : t("board.start");
    this.board.setAttribute("label", t("board.label", { size: this.state?.size || 19, where }));
    if (this.slider) {
      this.slider.max = this.moves.length;
      this.slider.value = this.number;
      this.slider.setAttribute("aria-valuetext", where);
      this.slider.disabled = !this.moves.length;
      for (const [button, off] of [
        [this.buttons.first, this.number === 0],
        [this.buttons.previous, this.number === 0],
        [this.buttons.next, this.live],
        [this.buttons.last, this.live],
      ]) {
        if (off && document.activeElement === button) this.slider.focus({ preventScroll: true });
        button.disabled = off;
      }
      say(this.counter, t("move.counter", { number: this.number, count: this.moves.length }));
      this.backToLive.hidden = this.live;
    }
  }

  // Controls

  buildControls(place, tools) {
    const draw = () => {
      this.buttons = {
        first: iconButton("first", t("step.first"), () => this.go(0)),
        previous: iconButton("previous", t("step.previous"), () => this.go(this.number - 1)),
        next: iconButton("next", t("step.next"), () => this.go(this.number + 1)),
        last: iconButton("last", t("step.last"), () => this.go(this.moves.length)),
      };
      this.slider = h("input", {
        type: "range",
        min: 0,
        max: 0,
        value: 0,
        "aria-label": t("step.slider"),
        oninput: (event) => this.go(Number(event.target.value)),
      });
      this.counter = h("span", { class: "counter figures" });
      this.backToLive = h(
        "button",
        { type: "button", class: "live-button", hidden: true, onclick: () => this.go(this.moves.length) },
        t("step.live"),
      );
      const { first, previous, next, last } = this.buttons;
      const steps = h("div", { class: "steps" }, first, previous, this.slider, next, last);
      fill(
        place,
        steps,
        h(
          "div",
          { class: "row between" },
          h("div", { class: "row" }, this.counter, this.backToLive),
          tools ? this.toolButtons() : null,
        ),
      );
      this.words();
    };
    draw();
    onLanguage(draw);
  }

  toolButtons() {
    const toggle = (name, label, is, set) => {
      const button = iconButton(name, label, () => {
        set(!is());
        button.setAttribute("aria-pressed", String(is()));
      });
      button.setAttribute("aria-pressed", String(is()));
      return button;
    };
    const setNumbers = (on) => {
      this.numbers = on;
      kept.set("numbers", on);
      this.draw();
    };
    const setCoordinates = (on) => {
      this.board.toggleAttribute("coords", on);
      kept.set("coords", on);
    };
    return h(
      "div",
      { class: "row tight", role: "group", "aria-label": t("board.view") },
      toggle("numbers", t("board.numbers"), () => this.numbers, setNumbers),
      toggle("coordinates", t("board.coordinates"), () => this.board.hasAttribute("coords"), setCoordinates),
      iconButton("turn", t("board.turn"), () => this.turn()),
    );
  }

  turn() {
    const next = (this.board.quarter + 1) % 4;
    this.board.setAttribute("rot", next);
    kept.set("rot", next);
  }

  key(event) {
    if (
      event.defaultPrevented ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      document.querySelector("dialog[open]")
    )
      return;
    if (event.target.closest?.("input, select, textarea, go-board[editable], [role=radiogroup]")) return;
    const steps = {
      ArrowLeft: () => this.go(this.number - 1),
      ArrowRight: () => this.go(this.number + 1),
      PageUp: () => this.go(this.number - 10),
      PageDown: () => this.go(this.number + 10),
      Home: () => this.go(0),
      End: () => this.go(this.moves.length),
    };
    if (!steps[event.key]) return;
    event.preventDefault();
    steps[event.key]();
  }
}

/** The list of moves; a click looks at one. Rows are made once and changed only where the game has. */
export class MoveList {
  constructor(place, view, { flags = () => [] } = {}) {
    this.place = place;
    this.view = view;
    this.flags = flags;
    this.rows = [];
    onLanguage(() => {
      this.rows = [];
      place.replaceChildren();
      this.draw();
    });
  }

  draw() {
    const moves = this.view.moves;
    while (this.rows.length > moves.length) this.rows.pop().remove();
    moves.forEach((move, index) => {
      if (!this.rows[index]) {
        this.rows[index] = h("li");
        this.place.append(this.rows[index]);
      }
      const flags = this.flags(move, index + 1);
      if (changed(this.rows[index], [move, flags])) fill(this.rows[index], this.row(move, index + 1, flags));
    });
    this.point();
  }

  row(move, number, flags) {
    const taken =
      Array.isArray(move.captures) && move.captures.length
        ? h("span", { class: "taken", title: t("move.captured") }, `×${move.captures.length}`)
        : null;
    const at = move.at === "pass" ? t("move.pass") : move.at;
    const time = move.thinking === null || move.thinking === undefined ? "" : shortTime(move.thinking);
    const classes = ["move", move.provisional ? "provisional" : "", move.inferred ? "inferred" : ""].join(" ");
    return h(
      "button",
      { type: "button", class: classes, "aria-label": spokenMove(move, number), onclick: () => this.view.go(number) },
      h("span", { class: "n figures" }, number),
      h("span", { class: move.color === "B" ? "stone-b" : "stone-w" }),
      h(
        "span",
        { class: "at figures" },
        at,
        taken,
        move.inferred ? h("abbr", { title: t("move.inferred") }, "≈") : null,
        flags,
      ),
      h("span", { class: "time figures" }, time),
    );
  }

  point() {
    const number = this.view.number;
    const now = this.rows[number - 1]?.firstChild;
    if (this.pointed === now && now?.getAttribute("aria-current")) return;
    this.pointed?.removeAttribute("aria-current");
    this.pointed = now;
    if (now) now.setAttribute("aria-current", "true");
    const row = this.rows[number - 1];
    if (!row) this.place.scrollTop = 0;
    else if (
      row.offsetTop < this.place.scrollTop ||
      row.offsetTop + row.offsetHeight > this.place.scrollTop + this.place.clientHeight
    ) {
      this.place.scrollTop = row.offsetTop - this.place.clientHeight / 2;
    }
  }
}

/** Seconds of thought: "8 s" is written 8″, "1:05" from a minute on. */
export function shortTime(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}″`;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
