// The wall of all boards. One stream, one canvas a board; only what has changed is drawn again.

import { $, h, fill, say, show, changed } from "./dom.js";
import { begin, connection, title, announce } from "./frame.js";
import { Chime } from "./chime.js";
import { byName } from "./goban.js";
import { Feed, getOrNull, poll, saidAt } from "./net.js";
import { stationWords, turnText } from "./parts.js";
import { drawThumbnail } from "./thumbnail.js";
import { duration, onLanguage, t } from "./text.js";

const STALE_SECONDS = 15;
const { arbiter } = await begin("hall");
const wall = $("#wall");
const tiles = new Map();
const dirty = new Set();
let asked = "";

class Tile {
  constructor(board) {
    this.board = board;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.table = h("span", { class: "table figures" });
    this.alerts = h("span", { class: "badge", hidden: true });
    this.black = h("span", { class: "name" });
    this.white = h("span", { class: "name" });
    this.turn = h("span", { class: "turn figures" });
    this.state = h("span", { class: "seen" });
    this.link = h(
      "a",
      { class: "tile", href: `/board/${encodeURIComponent(board)}` },
      h("span", { class: "thumb" }, this.canvas, this.alerts),
      h("span", { class: "line" }, this.table, this.state),
      h("span", { class: "line who" }, h("span", { class: "stone-b", "aria-hidden": "true" }), this.black),
      h("span", { class: "line who" }, h("span", { class: "stone-w", "aria-hidden": "true" }), this.white),
      h("span", { class: "line soft" }, this.turn),
    );
    this.node = h("li", null, this.link);
  }

  take(row) {
    this.row = { ...this.row, ...row };
    if ("station" in row || "last_seen" in row) this.received = saidAt(row.station?.at);
    dirty.add(this);
    schedule();
  }

  takeStation(station) {
    this.take({ station, state: station.state, note: station.note, last_seen: station.last_picture_age });
  }

  get station() {
    const { station, state, note, last_seen: seen } = this.row;
    return station || { state, note, last_picture_age: seen };
  }

  draw() {
    const { row } = this;
    say(this.table, t("board.named", { board: this.board }));
    say(this.black, row.black || t("colour.black"));
    say(this.white, row.white || t("colour.white"));
    say(
      this.turn,
      row.game_id === null
        ? t("game.none")
        : row.result || row.phase
          ? turnText({
              ...row,
              game_id: row.game_id ?? "",
              moves: Array.from({ length: row.moves || 0 }, () => ({ color: "B" })),
            })
          : t("move.number", { n: row.moves || 0 }),
    );
    const alerts = Number(row.alerts) || 0;
    show(this.alerts, alerts > 0);
    say(this.alerts, String(alerts));
    this.link.href = `/${alerts ? "desk" : "board"}/${encodeURIComponent(this.board)}`;
    this.node.hidden = !this.matches(asked);
    if (changed(this.canvas, [row.position, row.last, this.canvas.clientWidth, document.documentElement.dataset.theme]))
      drawThumbnail(this.canvas, row.position, row.last);
    this.age();
  }

  age() {
    const { note } = this.station;
    const { tone, text } = stationWords({ ...this.station, note: note === "hand" ? "" : note }, this.received);
    const seen = this.station.last_picture_age;
    const missing = note === "no-picture"; // while pictures come nobody is told of each of them
    const age = Number.isFinite(seen) ? seen + (missing ? (Date.now() - this.received) / 1000 : 0) : null;
    const going = ["recording", "setup", "paused"].includes(this.station.state);
    const stale = going && age !== null && age > STALE_SECONDS;
    this.link.classList.toggle("stale", stale || this.station.state === "failed");
    this.link.classList.toggle("over", this.station.state === "ended" || this.row.phase === "over");
    this.state.dataset.tone = tone;
    this.state.title = text;
    say(this.state, stale ? t("hall.seen", { age: duration(age) }) : text);
    const alerts = Number(this.row.alerts) || 0;
    this.link.setAttribute(
      "aria-label",
      [
        this.table.textContent,
        this.row.black,
        this.row.white,
        this.turn.textContent,
        this.state.textContent,
        alerts ? t("alerts.open", { count: alerts, n: alerts }) : "",
      ]
        .filter(Boolean)
        .join(", "),
    );
  }

  matches(words) {
    const own = [this.board, this.row.black, this.row.white, this.row.event].join(" ").toLowerCase();
    return words.split(/\s+/).every((word) => own.includes(word));
  }
}

let waiting = false;
function schedule() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const tile of dirty) tile.draw();
    dirty.clear();
    count();
  });
}

function take(row) {
  if (!row.board) return;
  let tile = tiles.get(row.board);
  if (!tile) {
    tile = new Tile(row.board);
    tiles.set(row.board, tile);
    const after = [...tiles.keys()].sort(byName);
    const next = tiles.get(after[after.indexOf(row.board) + 1]);
    wall.insertBefore(tile.node, next?.node || null);
  }
  tile.take(row);
}

function count() {
  const rows = [...tiles.values()].map((tile) => tile.row);
  const going = rows.filter((row) => (row.station?.state || row.state) === "recording").length;
  const alerts = rows.reduce((sum, row) => sum + (Number(row.alerts) || 0), 0);
  const parts = [t("hall.boards", { count: rows.length, n: rows.length }), t("hall.recording", { n: going })];
  if (arbiter && alerts) parts.push(t("alerts.open", { count: alerts, n: alerts }));
  say($("#count"), parts.join(" · "));
  show($("#empty"), rows.length === 0);
  show($(".find"), rows.length > 8);
  wall.classList.toggle("few", rows.length <= 4);
  show($("#new-board"), arbiter && rows.length > 0);
  let free = 1;
  while (tiles.has(String(free))) free += 1;
  $("#new-board").href = `/setup/${free}`;
  title(alerts ? `(${alerts}) ${t("hall.title")}` : t("hall.title"));
  if (rows.length === 0 && changed($("#empty"), [arbiter, document.documentElement.lang]))
    fill(
      $("#empty"),
      h("p", null, t("hall.empty")),
      arbiter ? h("p", null, h("a", { class: "button main", href: `/setup/${free}` }, t("hall.set-up"))) : null,
    );
}

const chime = new Chime();
$("#chime").append(chime.button);
show($("#chime"), arbiter);
let alertsBefore = 0;
async function refresh() {
  const rows = await getOrNull("/api/boards");
  if (!Array.isArray(rows)) return;
  const gone = new Set(tiles.keys());
  for (const row of rows) {
    gone.delete(row.board);
    take(row);
  }
  for (const board of gone) {
    tiles.get(board).node.remove();
    tiles.delete(board);
  }
  const alerts = rows.reduce((sum, row) => sum + (Number(row.alerts) || 0), 0);
  if (alerts > alertsBefore) {
    announce(t("alerts.open", { count: alerts, n: alerts }));
    chime.ring();
  }
  alertsBefore = alerts;
  schedule();
}

function drawAll() {
  for (const tile of tiles.values()) dirty.add(tile);
  schedule();
}

$("#find").addEventListener("input", (event) => {
  asked = event.target.value.trim().toLowerCase();
  drawAll();
});
onLanguage(drawAll);
new MutationObserver(drawAll).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
addEventListener("resize", drawAll);
const columns = Number(new URLSearchParams(location.search).get("columns")); // for a screen on a wall
if (columns >= 1 && columns <= 40) {
  wall.style.setProperty("--columns", columns);
  wall.classList.add("columns");
}
setInterval(() => tiles.forEach((tile) => tile.row && tile.age()), 1000);
await refresh();
new Feed({
  brief: true,
  onState: take,
  onStatus: ({ board, station }) => tiles.get(board)?.takeStation(station),
  onConnection: connection,
});
poll(arbiter ? 5 : 30, refresh); // alerts of every board, and boards that came or went
