// A board for other sites, in an <iframe>: the game with its controls, and a link to its page.

import { $, h, fill, say, boardOfPage, boardUrl } from "./dom.js";
import { GameView } from "./game.js";
import { Feed, getOrNull } from "./net.js";
import { stationWords, turnText } from "./parts.js";
import { ready, t } from "./text.js";

await ready;
const board = boardOfPage();
const query = new URLSearchParams(location.search);
const theme = query.get("theme");
if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
if (query.has("rot")) $("#board").setAttribute("rot", Number(query.get("rot")) || 0);
const view = new GameView({ board: $("#board"), controls: $("#controls") });
$("#more").href = `/board/${encodeURIComponent(board)}`;
let lost = false;
let state = null;

function take(next) {
  if (next.board !== board) return;
  state = next;
  const { black = {}, white = {} } = state.players || {};
  const player = (stone, who, otherwise) => [
    h("span", { class: stone, "aria-hidden": "true" }),
    " ",
    who.name || t(otherwise),
    " ",
  ];
  fill(
    $("#names"),
    player("stone-b", black, "colour.black"),
    h("span", { class: "soft" }, "–"),
    " ",
    player("stone-w", white, "colour.white"),
  );
  document.title = `${black.name || t("colour.black")} – ${white.name || t("colour.white")}`;
  if (state.position) view.take(state);
  status();
}

function status() {
  if (lost) say($("#status"), t("frame.lost"));
  else if (state?.result || state?.station?.state !== "recording")
    say($("#status"), state ? turnText(state) : t("game.none"));
  else say($("#status"), state.station.note ? stationWords(state.station, Date.now()).text : turnText(state));
}

const first = await getOrNull(boardUrl(board));
if (first) take(first);
else status();
new Feed({
  boards: [board],
  changes: true,
  onState: take,
  onStatus: ({ station }) => state && ((state.station = station), status()),
  onConnection: (age) => ((lost = age !== null), status()),
});
