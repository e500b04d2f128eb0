// Review: go through the game with what the camera saw at each move, and set the record right.

import { $, h, fill, say, show, boardUrl, changed, clockText } from "./dom.js";
import { colourText, openOnes } from "./alerts.js";
import { ask, attempt, begin, connection, title, toast } from "./frame.js";
import { GameView, MoveList, spokenMove } from "./game.js";
import { Feed, getOrNull, post } from "./net.js";
import { eventText, turnText } from "./parts.js";
import { currentLanguage, onLanguage, own, t } from "./text.js";

const { board, arbiter } = await begin("review");
if (!arbiter) location.replace(`/login?next=${encodeURIComponent(location.pathname)}`);

let state = null;
let doing = null; // what a chosen point is for: {do, move, color}
const view = new GameView({ board: $("#board"), controls: $("#controls"), onView: drawView });
const list = new MoveList($("#moves"), view, { flags });

/** A red dot where an alert or a fault concerns the move. */
function flags(move, number) {
  const concerned = (move.faults || []).length || openOnes(state || {}).some((alert) => alert.move === number);
  return concerned ? [h("span", { class: "flag", role: "img", "aria-label": t("review.flag") })] : [];
}

// Correcting

async function correct(row, words) {
  const next = await attempt(() => post(boardUrl(board, "correct"), row));
  if (!next) return;
  const number = view.number;
  take(next);
  view.go(Math.min(row.do === "insert" || row.do === "pass" ? row.move : number, view.moves.length));
  const last = (next.rulings || []).filter((each) => !each.undone).pop();
  toast(words, { undo: last ? () => undo(last.row) : null });
}

async function undo(row) {
  const next = await attempt(() => post(boardUrl(board, "rule"), { do: "undo", row }));
  if (next) take(next);
}

/** Ask for a point on the board for a correction. */
function pick(what, text) {
  doing = what;
  fill($("#hint"), text, " ", h("button", { type: "button", class: "quiet", onclick: stop }, t("do.cancel")));
  show($("#hint"), true);
  $("#board").setAttribute("editable", "");
  $("#board").focus();
}

function stop() {
  doing = null;
  show($("#hint"), false);
  $("#board").removeAttribute("editable");
}

$("#board").addEventListener("point", ({ detail: { at } }) => {
  if (!doing) return;
  const row = { ...doing, at };
  stop();
  correct(row, t("review.done", { at, number: row.move }));
});
document.addEventListener("keydown", (event) => event.key === "Escape" && doing && stop());

async function insert() {
  const number = view.number + 1;
  const before = view.moves[view.number - 1];
  const likely = before?.color === "B" ? "W" : "B";
  const color = await ask(
    t("review.insert.colour", { number }),
    null,
    [likely, likely === "B" ? "W" : "B"].map((value, index) => ({ value, text: colourText(value), main: index === 0 })),
  );
  if (color) pick({ do: "insert", move: number, color }, t("review.pick", { number, colour: colourText(color) }));
}

async function remove(number, move) {
  const what = spokenMove(move, number);
  const sure = await ask(t("review.delete.sure"), h("p", null, what), [
    { value: true, text: t("review.delete"), grave: true },
  ]);
  if (sure === true) correct({ do: "delete", move: number }, t("review.deleted", { what }));
}

function drawEdit() {
  const number = view.number;
  const move = view.moves[number - 1];
  if (!changed($("#edit"), [number, move, document.documentElement.lang])) return;
  const button = (key, onclick) => h("button", { type: "button", onclick }, t(`review.${key}`));
  say($("#edit-title"), move ? spokenMove(move, number) : t("board.start"));
  fill(
    $("#edit"),
    move
      ? button("set", () =>
          pick(
            { do: "set-move", move: number, color: move.color },
            t("review.pick", { number, colour: colourText(move.color) }),
          ),
        )
      : null,
    move
      ? button("colour", () =>
          correct(
            { do: "set-move", move: number, at: move.at, color: move.color === "B" ? "W" : "B" },
            t("review.colour.done", { number }),
          ),
        )
      : null,
    move && move.at !== "pass"
      ? button("pass", () => correct({ do: "set-move", move: number, at: "pass" }, t("review.passed", { number })))
      : null,
    button("insert", insert),
    button("insert-pass", () =>
      correct({ do: "pass", move: number + 1 }, t("review.pass.done", { number: number + 1 })),
    ),
    move ? button("delete", () => remove(number, move)) : null,
  );
  drawRivals(number, move);
}

/** What else it may have been, as the recorder weighed it; a tap takes it. */
function drawRivals(number, move) {
  const rivals = move?.alternatives || [];
  show($("#rivals"), rivals.length > 0);
  const row = (each) => {
    const words = own(each.text) || (each.at === "pass" ? t("move.pass") : each.at);
    const color = each.color || move.color;
    const share =
      each.share === undefined ? null : h("meter", { min: 0, max: 1, value: each.share, "aria-hidden": "true" });
    return h(
      "li",
      null,
      h(
        "button",
        {
          type: "button",
          onclick: () =>
            correct({ do: "choose", move: number, at: each.at, color }, t("review.done", { at: words, number })),
          onpointerenter: () => view.mark({ ghosts: [{ at: each.at, color }] }),
          onpointerleave: () => view.mark({ ghosts: [] }),
        },
        h("span", { class: color === "B" ? "stone-b" : "stone-w" }),
        words,
        share,
        each.share === undefined ? null : h("b", { class: "figures" }, `${Math.round(each.share * 100)} %`),
      ),
    );
  };
  fill($("#rivals"), h("h3", null, t("review.rivals")), h("ul", { class: "rivals" }, rivals.map(row)));
}

// What the camera saw

const RESTED_MS = 120; // who scrubs through the game does not ask for every picture
let frameOf = null;
async function drawFrame() {
  const number = view.number;
  const move = view.moves[number - 1];
  const game = state?.game_id;
  const key = `${game}:${number}:${move?.at}:${move?.row}`;
  say(
    $("#caption"),
    move
      ? [t("move.number", { n: number }), move.t === null || move.t === undefined ? "" : clockText(move.t)]
          .filter(Boolean)
          .join(" · ")
      : "",
  );
  if (frameOf === key) return;
  frameOf = key;
  const image = new Image();
  let there = number > 0 && move?.frame !== false && move?.camera !== null;
  if (there) {
    await new Promise((rested) => setTimeout(rested, RESTED_MS));
    if (frameOf !== key) return;
    image.src = `${boardUrl(board, "moves", number, "frame.jpg")}?v=${encodeURIComponent(key)}`;
    there = await image.decode().then(
      () => true,
      () => false,
    );
  }
  if (frameOf !== key) return;
  say($("#no-frame"), there ? "" : t(number ? "review.no-frame" : "review.start"));
  show($("#no-frame"), !there);
  image.id = "frame";
  image.alt = move ? t("review.frame", { number }) : "";
  const place = $("#frame");
  if (there) place.replaceWith(image);
  show($("#frame"), there);
}

// The page

function drawView() {
  if (!state) return;
  show($("#no-moves"), !view.moves.length);
  show($("#moves"), view.moves.length > 0); // before it is drawn: a list that is hidden cannot be scrolled
  list.draw();
  drawEdit();
  drawFrame();
  const number = view.live ? "" : `&move=${view.number}`;
  if (!changed($("#downloads"), [number, state.game_id, document.documentElement.lang])) return;
  const link = (name, ...rest) => h("a", { class: "button", href: boardUrl(board, ...rest), download: "" }, name);
  fill(
    $("#downloads"),
    link("SGF", "sgf?desk=1"),
    link("PNG", `diagram.png?desk=1${number}`),
    link("SVG", `diagram.svg?desk=1${number}`),
    h(
      "a",
      {
        class: "button",
        href: `${boardUrl(board, "sheet.html")}?lang=${currentLanguage()}`,
        target: "_blank",
        rel: "noopener",
      },
      t("review.sheet"),
    ),
    link(t("review.archive"), "archive.zip"),
  );
}

function take(next) {
  if (!next || next.board !== board) return;
  state = next;
  if (state.position) view.take(state);
  drawPage();
}

function takeStatus({ board: of, station }) {
  if (of !== board || !state) return;
  state.station = station;
  drawPage();
}

function drawPage() {
  const { black = {}, white = {} } = state.players || {};
  say(
    $("#heading"),
    t("game.versus", { black: black.name || t("colour.black"), white: white.name || t("colour.white") }),
  );
  say($("#event"), eventText(state) || t("board.named", { board }));
  say($("#turn"), turnText(state));
  title(t("nav.review"), t("board.named", { board }));
  drawView();
}

$("#import").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (!file) return;
  const sgf = await file.text();
  event.target.value = "";
  const found = await attempt(() => post(boardUrl(board, "import"), { sgf }));
  if (!found) return;
  const names = [found.black, found.white].filter(Boolean).join(" – ");
  const sure = await ask(
    t("review.import.sure"),
    h("p", null, t("review.import.text", { name: file.name, n: found.moves, names })),
    [{ value: true, text: t("review.import.do"), main: true }],
  );
  if (sure !== true) return;
  sessionStorage.setItem("kifuwatch.continue", sgf);
  location.assign(`/setup/${encodeURIComponent(board)}`);
});

onLanguage(() => {
  for (const node of [$("#edit"), $("#downloads")]) node.kifuwatchKey = undefined;
  if (state) drawPage();
});
take(await getOrNull(boardUrl(board, "desk")));
if (!state) {
  say($("#heading"), t("board.named", { board }));
  say($("#turn"), t("game.none"));
}
new Feed({ boards: [board], desk: true, onDesk: take, onStatus: takeStatus, onConnection: connection });
