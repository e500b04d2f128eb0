// The board for a broadcast: transparent, without controls. Everything is set in the address:
// theme=wood|paper|dark|clear, rot=0..3 (quarter turns) or 90|180|270, coords=0|1, numbers=N (the last N moves),
// size=PIXELS, names=0|1|top|bottom, lang=en|zh.

import "./board.js";
import { $, h, fill, boardOfPage, boardUrl, clockText, changed } from "./dom.js";
import { moveNumbers, movesOf, replay } from "./goban.js";
import { Feed, getOrNull } from "./net.js";
import { ready, t } from "./text.js";

await ready;
const board = boardOfPage();
const query = new URLSearchParams(location.search);
const goban = $("#board");
const yes = (name, otherwise) => (query.has(name) ? !["0", "no", "false", "off"].includes(query.get(name)) : otherwise);
const turn = Number(query.get("rot")) || 0;
goban.setAttribute("rot", turn >= 90 ? Math.round(turn / 90) % 4 : turn);
goban.toggleAttribute("coords", yes("coords", false));
if (["paper", "dark", "clear"].includes(query.get("theme"))) goban.setAttribute("theme", query.get("theme"));
const side = Number(query.get("size"));
if (side >= 50 && side <= 4000) document.documentElement.style.setProperty("--side", `${side}px`);
const names = yes("names", false);
document.body.classList.toggle("with-names", names);
const numbered = Number(query.get("numbers")) || 0;

/** The numbers of the last moves only: {at: n}. */
function lastNumbers(state) {
  if (!numbered) return null;
  const count = movesOf(state).length;
  return Object.fromEntries(Object.entries(moveNumbers(state, count)).filter(([, n]) => n > count - numbered));
}

function strip(place, player, color, state) {
  place.hidden = !names;
  const off = replay(state).captures.at(-1)[color === "B" ? "W" : "B"];
  if (!names || !changed(place, [player, off, state.clock, state.to_play, state.result])) return;
  const ms = state.clock?.[color === "B" ? "black_ms" : "white_ms"];
  const toMove = state.to_play === color && !state.result;
  place.classList.toggle("turn", toMove);
  fill(
    place,
    h("span", { class: `stone ${color}` }),
    h("span", { class: "name" }, player?.name || t(color === "B" ? "colour.black" : "colour.white")),
    player?.rank ? h("span", { class: "rank" }, player.rank) : null,
    state.result?.sgf?.startsWith(`${color}+`) ? h("span", { class: "won" }, state.result.sgf) : null,
    h("span", { class: "off" }, `×${off}`),
    ms === undefined || ms === null ? null : h("span", { class: "clock" }, clockText(ms / 1000)),
  );
}

function take(state) {
  if (state.board !== board || !state.position) return;
  goban.show({ position: state.position, last: state.last, numbers: lastNumbers(state) });
  goban.setAttribute(
    "label",
    `${state.players?.black?.name || ""} – ${state.players?.white?.name || ""}, ${movesOf(state).length}`,
  );
  strip($("#black"), state.players?.black, "B", state);
  strip($("#white"), state.players?.white, "W", state);
}

const first = await getOrNull(boardUrl(board));
if (first) take(first);
new Feed({ boards: [board], changes: true, onState: take });
