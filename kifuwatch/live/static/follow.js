// The page of one board for everybody: the game as it goes on.

import { $, h, fill, say, show, boardUrl, changed } from "./dom.js";
import { begin, connection, title } from "./frame.js";
import { GameView, MoveList } from "./game.js";
import { Feed, getOrNull, poll } from "./net.js";
import { CameraPicture, Players, StatusLine, hasPicture, facts, turnText } from "./parts.js";
import { onLanguage, own, t } from "./text.js";

const { board, arbiter } = await begin("board");
const players = new Players($("#players"));
const status = new StatusLine($("#status"));
const view = new GameView({ board: $("#board"), controls: $("#controls"), onView: drawView });
const list = new MoveList($("#moves"), view);
let state = null;

function drawView() {
  if (!state) return;
  players.take(state, view);
  show($("#no-moves"), !view.moves.length);
  show($("#moves"), view.moves.length > 0); // before it is drawn: a list that is hidden cannot be scrolled
  list.draw();
  const number = view.live ? "" : `?move=${view.number}`;
  if (changed($("#downloads"), [number, document.documentElement.lang])) fill($("#downloads"), downloads(number));
}

function downloads(move) {
  const link = (name, url) => h("a", { class: "button", href: url, download: "" }, name);
  return [
    link("SGF", boardUrl(board, "sgf")),
    link("PNG", boardUrl(board, `diagram.png${move}`)),
    link("SVG", boardUrl(board, `diagram.svg${move}`)),
  ];
}

function drawGame() {
  if (!state) return;
  const { black = {}, white = {} } = state.players || {};
  const heading =
    black.name || white.name
      ? t("game.versus", { black: black.name || t("colour.black"), white: white.name || t("colour.white") })
      : t("board.named", { board });
  const round = state.round && (/^\d+$/.test(state.round) ? t("game.round", { n: state.round }) : state.round);
  say($("#heading"), state.event || t("board.named", { board }));
  say($("#event"), [round, state.event ? t("board.named", { board }) : ""].filter(Boolean).join(" · "));
  say($("#turn"), state.result ? own(state.result) : turnText(state));
  fill($("#facts"), facts(state));
  const { seconds = 0, moves = 0 } = state.delay || {};
  say(
    $("#delay"),
    seconds ? t("game.delay.seconds", { n: seconds }) : moves ? t("game.delay.moves", { count: moves, n: moves }) : "",
  );
  title(heading);
}

function take(next) {
  if (next.board !== board) return;
  state = next;
  if (next.position) view.take(next);
  drawGame();
  drawView();
  if (next.station) status.take(next.station);
}

function takeStatus({ board: of, station }) {
  if (of !== board) return;
  status.take(station);
  if (!state) return;
  state.station = station;
  drawGame();
}

async function watchCamera() {
  show($("#camera-sheet"), true);
  const camera = new CameraPicture($("#camera"), { source: boardUrl(board, "picture.jpg"), label: "camera.picture" });
  poll(2, async () => {
    if (!hasPicture(status.station)) return;
    if (await camera.refresh()) camera.read(await getOrNull(boardUrl(board, "overlay")));
  });
}

onLanguage(() => {
  $("#downloads").kifuwatchKey = undefined;
  drawGame();
  drawView();
});
const first = await getOrNull(boardUrl(board));
if (first) take(first);
else {
  say($("#heading"), t("board.named", { board }));
  say($("#turn"), t("game.none"));
}
new Feed({
  boards: [board],
  changes: true,
  onState: take,
  onStatus: takeStatus,
  onConnection: connection,
});
if (arbiter) watchCamera();
