// Parts that several pages show: the players, the state in words, facts of the game, the camera picture.

import { h, fill, say, s, changed, clockText, show } from "./dom.js";
import { duration, hasText, onLanguage, own, t } from "./text.js";
import { saidAt } from "./net.js";
import { shortTime } from "./game.js";
import { movesOf } from "./goban.js";

const TONES = { recording: "good", setup: "warn", paused: "warn", ended: "", idle: "", failed: "seal" };
const SEALED = new Set(["no-picture", "dark", "board-moved"]);

/**
 * How a station stands: {tone, text}. `received` is when we were told (ms), since ages go on. While there is no note
 * pictures keep coming, and nothing is told of each of them.
 */
export function stationWords(station, received, now = Date.now()) {
  if (!station || !station.state) return { tone: "", text: t("station.idle") };
  const gone = Math.max(0, (now - received) / 1000);
  const age = Number.isFinite(station.last_picture_age) ? station.last_picture_age + gone : null;
  const watching = station.state === "recording" || station.state === "setup";
  if (watching && station.note && hasText(`note.${station.note}`)) {
    const since = station.note === "no-picture" && age !== null ? age : (station.note_since || 0) + gone;
    return {
      tone: SEALED.has(station.note) ? "seal" : station.note === "hand" ? "good" : "warn",
      text: t(`note.${station.note}`, { age: duration(since) }),
    };
  }
  return { tone: TONES[station.state] ?? "", text: t(`station.${station.state}`) };
}

/** A line that says how a station stands, and goes on counting. */
export class StatusLine {
  constructor(place) {
    this.place = place;
    this.dot = h("span", { class: "dot" });
    this.words = h("span", { class: "words" });
    place.classList.add("status-line");
    fill(place, this.dot, this.words);
    setInterval(() => this.draw(), 1000);
    onLanguage(() => this.draw());
  }

  take(station) {
    this.station = station;
    this.received = saidAt(station.at);
    this.draw();
  }

  draw() {
    if (!this.received) return;
    const { tone, text } = stationWords(this.station, this.received);
    this.dot.className = `dot ${tone}`;
    this.place.dataset.tone = tone;
    say(this.words, text);
  }
}

function remaining(clock, color, received) {
  const name = color === "B" ? "black" : "white";
  let ms = clock[`${name}_ms`];
  if (ms === undefined || ms === null) return null;
  const running = clock.running === color || clock.running === name;
  if (running) ms -= Date.now() - received;
  return { seconds: Math.max(0, ms) / 1000, running, period: clock[`${name}_periods`] ?? null };
}

/** The two players: name, rank, prisoners, thinking time or clock, whose turn it is. */
export class Players {
  constructor(place, { warnings = false } = {}) {
    this.place = place;
    this.warnings = warnings;
    onLanguage(() => {
      place.kifuwatchKey = undefined;
      this.draw();
    });
    setInterval(() => this.tick(), 500);
  }

  take(state, view) {
    this.state = state;
    this.view = view;
    if (state.clock !== this.lastClock) this.received = Date.now();
    this.lastClock = state.clock;
    this.draw();
  }

  draw() {
    if (!this.state) return;
    const number = this.view ? this.view.number : movesOf(this.state).length;
    const key = [
      this.state.players,
      this.state.captures,
      this.state.to_play,
      this.state.phase,
      this.state.result,
      this.state.ledger,
      number,
      this.state.clock,
      this.state.moves?.length,
    ];
    if (!changed(this.place, key)) return;
    fill(this.place, this.player("B", "black", number), this.player("W", "white", number));
    this.tick();
  }

  player(color, name, number) {
    const { players = {}, result, to_play: next, phase } = this.state;
    const player = players[name] || {};
    const other = color === "B" ? "W" : "B";
    const off = this.view?.game ? this.view.game.captures[number] : this.state.captures;
    const live = !this.view || this.view.live;
    const turn = live && next === color && phase !== "over" && phase !== "counting";
    const won = live && result?.sgf?.startsWith(`${color}+`);
    const spent = movesOf(this.state)
      .slice(0, number)
      .filter((move) => move.color === color && move.thinking);
    const time = h("span", { class: "time figures" });
    time.dataset.color = color;
    const warned = (this.state.ledger || []).filter(
      (each) => each.color === color && each.kind === "warning" && !each.taken_back,
    ).length;
    return h(
      "div",
      { class: `player${turn ? " turn" : ""}` },
      h("span", {
        class: color === "B" ? "stone-b big" : "stone-w big",
        role: "img",
        "aria-label": t(`colour.${name}`),
      }),
      h(
        "div",
        { class: "who" },
        h("strong", { class: "name" }, player.name || t(`colour.${name}`)),
        " ",
        player.rank ? h("span", { class: "rank" }, player.rank) : null,
        won ? h("span", { class: "tag good" }, t("result.wins")) : null,
        this.warnings && warned
          ? h("span", { class: "tag warn" }, t("ledger.warnings", { count: warned, n: warned }))
          : null,
      ),
      h(
        "dl",
        { class: "figures" },
        h("div", null, h("dt", null, t("player.captures")), h("dd", null, off ? off[other] : 0)),
        h(
          "div",
          null,
          h("dt", null, t(this.state.clock ? "player.clock" : "player.thinking")),
          h(
            "dd",
            null,
            this.state.clock
              ? time
              : spent.length
                ? clockText(spent.reduce((sum, move) => sum + move.thinking, 0))
                : "–",
          ),
        ),
      ),
      turn ? h("span", { class: "turn-mark" }, t("player.turn")) : null,
    );
  }

  tick() {
    if (!this.state?.clock) return;
    for (const node of this.place.querySelectorAll(".time[data-color]")) {
      const left = remaining(this.state.clock, node.dataset.color, this.received);
      if (!left) continue;
      say(node, clockText(left.seconds) + (left.period ? ` ×${left.period}` : ""));
      node.classList.toggle("running", left.running);
      node.classList.toggle("low", left.running && left.seconds < 30);
    }
  }
}

/** Komi as people of these rules write it. Points here; 7.5 points of the Chinese code are 3 3/4 zi. */
export function komiText(state) {
  if (state.komi === null || state.komi === undefined) return "";
  const points = String(state.komi);
  if (!/^(cn|ancient)/.test(state.rules || "")) return t("game.points", { n: points });
  const quarters = Math.round(state.komi * 2);
  const part = ["", "¼", "½", "¾"][quarters % 4];
  const zi = `${Math.floor(quarters / 4) || (part ? "" : 0)}${part}`;
  return t("game.zi", { zi, n: points });
}

/** The facts of a game, as a list of terms. */
export function facts(state) {
  const size = state.size ? t("game.lines", { n: state.size }) : null;
  const rules = own(state.rules_title) || (hasText(`rules.${state.rules}`) ? t(`rules.${state.rules}`) : state.rules);
  const rows = [
    ["game.rules", rules],
    ["game.komi", komiText(state)],
    ["game.handicap", state.handicap ? t("game.stones", { n: state.handicap }) : null],
    ["game.size", size],
    ["game.time", own(state.clock?.control) || state.time || null],
    ["game.date", state.date || null],
  ];
  return rows
    .filter(([, value]) => value)
    .map(([key, value]) => h("div", null, h("dt", null, t(key)), h("dd", null, value)));
}

/** The heading of a game: the event and the round. */
export const eventText = (state) =>
  [state.event, state.round && (/^\d+$/.test(state.round) ? t("game.round", { n: state.round }) : state.round)]
    .filter(Boolean)
    .join(" · ");

/** "Black to play, move 25", or the result. */
export function turnText(state) {
  if (state.result) return own(state.result) || state.result.sgf;
  if (!state.game_id) return t("game.none");
  if (state.phase && state.phase !== "playing" && hasText(`phase.${state.phase}`)) return t(`phase.${state.phase}`);
  if (state.station?.state === "ended")
    return t("game.ended", { count: movesOf(state).length, n: movesOf(state).length });
  const colour = t(state.to_play === "W" ? "colour.white" : "colour.black");
  return t("game.turn", { colour, number: movesOf(state).length + 1 });
}

/** Whether a station has had a picture yet: asking for one that is not there is an error. */
export const hasPicture = (station) => Number.isFinite(station?.last_picture_age);

/** The camera picture with the reading over it. `corners` are in pixels of the picture. */
export class CameraPicture {
  constructor(place, { source, label }) {
    this.source = source;
    this.place = place;
    this.image = h("img", { alt: "", decoding: "async" });
    this.drawing = s("svg", { class: "over", "aria-hidden": "true", preserveAspectRatio: "none" });
    this.none = h("p", { class: "none" });
    this.label = label;
    place.classList.add("camera");
    fill(place, this.image, this.drawing, this.none);
    this.words();
    onLanguage(() => this.words());
  }

  words() {
    this.image.alt = t(this.label);
    say(this.none, t("camera.none"));
  }

  /** Fetch the newest picture; it is shown when it is whole, so nothing flickers. */
  async refresh() {
    const fresh = new Image();
    fresh.src = `${this.source}?t=${Date.now()}`;
    try {
      await fresh.decode();
      fresh.alt = this.image.alt;
      this.image.replaceWith(fresh);
      this.image = fresh;
      this.place.classList.add("seen");
      show(this.none, false);
      return true;
    } catch {
      show(this.none, !this.image.naturalWidth);
      return false;
    }
  }

  /** Draw what was read: {corners, size, board, width, height}. */
  read(overlay) {
    const width = overlay?.width || this.image.naturalWidth || 16;
    const height = overlay?.height || this.image.naturalHeight || 9;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    if (overlay?.corners?.length !== 4) {
      this.drawing.replaceChildren();
      return;
    }
    if (!changed(this.drawing, overlay)) return;
    this.drawing.replaceChildren(...gridOver(overlay));
  }
}

/** The map from the unit square to four corners (tl, tr, br, bl): a homography. */
export function square(corners) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
  const [dx1, dx2, dx3] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, dy3] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const det = dx1 * dy2 - dx2 * dy1 || 1e-9;
  const g = (dx3 * dy2 - dx2 * dy3) / det;
  const k = (dx1 * dy3 - dx3 * dy1) / det;
  const [a, b, c] = [x1 - x0 + g * x1, x3 - x0 + k * x3, x0];
  const [d, e, f] = [y1 - y0 + g * y1, y3 - y0 + k * y3, y0];
  return (u, v) => {
    const w = g * u + k * v + 1;
    return [(a * u + b * v + c) / w, (d * u + e * v + f) / w];
  };
}

/** The grid, and the stones that were read, as they lie in the picture. */
export function gridOver({ corners, size = 19, board = null }) {
  const place = square(corners);
  const last = size - 1;
  const point = (col, top) =>
    place(col / last, top / last)
      .map((n) => n.toFixed(1))
      .join(" ");
  const lines = [];
  for (let n = 0; n < size; n += 1) lines.push(`M${point(n, 0)}L${point(n, last)}M${point(0, n)}L${point(last, n)}`);
  const drawn = [s("path", { d: lines.join(""), class: "over-grid" })];
  (board || []).forEach((line, top) => {
    [...line].forEach((cell, col) => {
      if (cell !== "X" && cell !== "O") return;
      const [x, y] = place(col / last, top / last);
      const [nx, ny] = place((col + (col < last ? 0.3 : -0.3)) / last, top / last);
      drawn.push(
        s("circle", {
          cx: x.toFixed(1),
          cy: y.toFixed(1),
          r: Math.max(2.5, Math.hypot(nx - x, ny - y)).toFixed(1),
          class: `over-${cell === "X" ? "black" : "white"}`,
        }),
      );
    });
  });
  return drawn;
}

export { shortTime };
