// The arbiter's desk: alerts and their rulings, the board, the ledger, the end of the game.

import { $, h, fill, say, show, boardUrl, changed } from "./dom.js";
import {
  GRAVE,
  actionsText,
  closedCard,
  colourText,
  drawAlerts,
  enlarge,
  needs,
  openCard,
  openOnes,
} from "./alerts.js";
import { actButtons } from "./acts.js";
import { CallOuts } from "./callouts.js";
import { Chime } from "./chime.js";
import { Counting } from "./count.js";
import { announce, ask, attempt, begin, connection, title, toast } from "./frame.js";
import { GameView } from "./game.js";
import { Feed, getOrNull, poll, post } from "./net.js";
import { CameraPicture, Players, StatusLine, hasPicture, eventText, turnText } from "./parts.js";
import { openRestore } from "./restore.js";
import { hasText, onLanguage, own, t } from "./text.js";

const { board, arbiter } = await begin("desk");
if (!arbiter) location.replace(`/login?next=${encodeURIComponent(location.pathname)}`);

let state = null;
let picking = null; // what a chosen point is for
let looked = null; // the alert whose points are marked
const told = new Set();
const players = new Players($("#players"), { warnings: true });
const status = new StatusLine($("#status"));
const view = new GameView({
  board: $("#board"),
  controls: $("#controls"),
  onView: () => state && players.take(state, view),
});
const chime = new Chime();
$("#chime").append(chime.button);
const callOuts = new CallOuts($("#callouts"));
const counting = new Counting($("#count"), { rule, view, onMarks: () => state && marks() });

// Rulings

/** Send a ruling; the answer is how things stand then. */
async function rule(row, { undoable = true } = {}) {
  const next = await attempt(() => post(boardUrl(board, "rule"), row));
  if (!next) return false;
  const last = (next.rulings || []).filter((each) => !each.undone).pop();
  take(next);
  const words = rulingText({ do: row.do, what: row, row: last?.row });
  if (row.do === "dead") return true; // the board shows it
  if (undoable && last && row.do !== "undo") toast(t("ruling.done", { what: words }), { undo: () => undo(last.row) });
  else toast(t("ruling.done", { what: words }));
  return true;
}

const undo = (row) => rule({ do: "undo", row }, { undoable: false });

async function confirmGrave(what, text) {
  const done = await ask(t("ruling.sure"), h("p", null, text || what), [{ value: true, text: what, grave: true }]);
  return done === true;
}

/** A ruling on an alert: with what it still needs to know, and asked once more if it is grave. */
async function ruleAlert(alert, actions, prescribed) {
  if (actions === null) return rule({ do: "reject", alert: alert.number });
  const row = { do: "uphold", alert: alert.number };
  if (!prescribed) row.as = actions;
  const wanted = needs(alert, actions);
  if (wanted.colour) {
    row.color = await ask(
      t("ruling.whose"),
      null,
      ["B", "W"].map((color) => ({ value: color, text: colourText(color) })),
    );
    if (!row.color) return undefined;
  }
  if (actions.some((action) => GRAVE.has(action)) && !(await confirmGrave(actionsText(actions), own(alert.text))))
    return undefined;
  if (wanted.point) {
    pick(t("ruling.point", { what: actionsText(actions) }), (at) => rule({ ...row, at: [at] }));
    return undefined;
  }
  return rule(row);
}

/** Ask for a point on the board; Escape ends it. */
function pick(text, chosen) {
  picking = chosen;
  const line = $(".picking") || h("p", { class: "picking", role: "status" });
  $("#board").before(line);
  fill(line, text, " ", h("button", { type: "button", class: "quiet", onclick: stopPicking }, t("do.cancel")));
  view.go(view.moves.length);
  $("#board").setAttribute("editable", "");
  $("#board").focus();
  $("#board").scrollIntoView({ block: "nearest" });
}

function stopPicking() {
  picking = null;
  $(".picking")?.remove();
  if (!counting.active) $("#board").removeAttribute("editable");
}

$("#board").addEventListener("point", ({ detail: { at } }) => {
  if (picking) {
    const chosen = picking;
    stopPicking();
    chosen(at);
  } else counting.toggle(at);
});
document.addEventListener("keydown", (event) => event.key === "Escape" && picking && stopPicking());

// Alerts

const actions = {
  rule: ruleAlert,
  enlarge,
  look,
  undo,
  reopen: (alert) => rule({ do: "reopen", alert: alert.number }),
};

/** Show on the board what an alert is about. */
function look(alert) {
  looked = looked?.number === alert.number ? null : alert;
  marks();
  if (looked) $("#board").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function marks() {
  const found = [];
  const shown = looked ? [looked] : openOnes(state).slice(0, 3);
  for (const alert of shown)
    for (const at of (alert.at || []).slice(0, 40)) found.push({ at, kind: "circle", tone: "seal" });
  for (const { at, cell } of state.pending || [])
    found.push({ at, kind: cell === "." ? "cross" : "square", tone: "calm" });
  view.mark({
    marks: counting.active ? counting.marks() : found,
    dim: counting.active || state.phase === "over" ? counting.dead : [],
  });
}

function drawAll() {
  const open = openOnes(state).reverse();
  const closed = state.alerts.filter((alert) => alert.mood !== "open").reverse();
  drawAlerts($("#alerts"), open, (alert) => openCard(alert, actions));
  drawAlerts($("#closed"), closed, (alert) => closedCard(alert, actions));
  say($("#alert-count"), String(open.length));
  $("#alert-count").className = open.length ? "tag seal" : "tag";
  show($("#no-alerts"), open.length === 0);
  show($("#closed-box"), closed.length > 0);
  say($("#closed-title"), t("alerts.closed", { n: closed.length }));
  drawPending();
  drawLedger();
  if (
    changed($("#acts"), [state.phase, state.to_play, state.moves.length, state.ledger, document.documentElement.lang])
  )
    actButtons($("#acts"), state, { rule, confirmGrave, pick, restore });
  counting.take(state);
  show($("#count-sheet"), counting.active || state.phase === "counting");
  drawHead(open.length);
  marks();
}

function drawHead(open) {
  const { black = {}, white = {} } = state.players || {};
  const names = t("game.versus", { black: black.name || t("colour.black"), white: white.name || t("colour.white") });
  say($("#heading"), t("board.named", { board }));
  say($("#event"), eventText(state) || t("nav.desk"));
  say($("#turn"), `${names} · ${turnText(state)}`);
  title(open ? `(${open}) ${t("board.named", { board })}` : t("board.named", { board }), t("nav.desk"));
}

function drawPending() {
  const list = (state.pending || []).map(({ at, cell }) =>
    t(cell === "." ? "pending.off" : cell === "X" ? "pending.black" : "pending.white", { at }),
  );
  show($("#pending"), list.length > 0);
  if (changed($("#pending"), [list, state.fault]))
    fill(
      $("#pending"),
      h("b", null, t("pending.title")),
      " ",
      list.slice(0, 12).join(t("list.comma")),
      " ",
      h("button", { type: "button", onclick: () => restore() }, t("restore.open")),
    );
}

// The ledger

/** A ruling in words: "Alert 3 upheld: move void and warning". */
function rulingText({ do: verb, what = {}, row }) {
  const prescribed = verb === "uphold" && !what.as && state.alerts.find((alert) => alert.closed_by === row)?.why;
  const actions = what.as ? [what.as].flat() : prescribed ? prescribed.split("+") : [];
  const values = {
    ...what,
    n: what.alert ?? what.number ?? what.row ?? "",
    at: [what.at].flat().filter(Boolean).join(" "),
    color: what.color ? colourText(what.color) : "",
    as: actions.length ? `: ${actionsText(actions)}` : "",
  };
  return hasText(`verb.${verb}`)
    ? t(`verb.${verb}`, values)
    : [verb, values.n, values.color, values.at].filter(Boolean).join(" ");
}

function drawLedger() {
  const entries = [...(state.rulings || [])].reverse();
  show($("#no-ledger"), entries.length === 0);
  if (!changed($("#ledger"), [entries, state.ledger, document.documentElement.lang])) return;
  const row = (each) => {
    const entered = (state.ledger || [])
      .filter((entry) => entry.row === each.row)
      .map((entry) =>
        h(
          "span",
          { class: `tag ${entry.taken_back ? "" : "warn"}` },
          `${colourText(entry.color)}: ${actionsText([entry.kind])}`,
          entry.article ? ` (${t("alert.article", { n: entry.article })})` : "",
        ),
      );
    const time = typeof each.at_time === "string" ? each.at_time.slice(11, 19) : "";
    return h(
      "li",
      { class: each.undone ? "undone" : "" },
      h("span", { class: "soft figures small" }, time || `#${each.row}`),
      h("span", null, rulingText(each), " ", entered),
      each.undone || each.do === "undo"
        ? null
        : h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => undo(each.row),
              "aria-label": t("ledger.undo", { what: rulingText(each) }),
            },
            t("do.undo"),
          ),
    );
  };
  fill($("#ledger"), entries.map(row));
}

function restore() {
  openRestore(board, { move: view.live ? null : view.number, moves: view.moves.length, rule, confirmGrave });
}

// Coming in

function take(next) {
  if (!next || next.board !== board) return;
  state = next;
  if (!state.alerts) state.alerts = [];
  if (state.position) view.take(state);
  players.take(state, view);
  callOuts.take(state.clock);
  if (state.station) status.take(state.station);
  drawAll();
  for (const alert of openOnes(state)) {
    if (!told.has(alert.number) && told.size) {
      announce(`${t("alerts.new")} ${own(alert.text)}`);
      chime.ring();
    }
    told.add(alert.number);
  }
  told.add(0);
}

function takeStatus({ board: of, station }) {
  if (of !== board) return;
  status.take(station);
  if (!state) return;
  state.station = station;
  drawHead(openOnes(state).length);
}

onLanguage(() => state && drawAll());
take(await getOrNull(boardUrl(board, "desk")));
if (!state) {
  say($("#heading"), t("board.named", { board }));
  say($("#turn"), t("game.none"));
}
new Feed({ boards: [board], desk: true, onDesk: take, onStatus: takeStatus, onConnection: connection });
// What is to be called out reaches 90 seconds ahead: in a long think nothing else would tell what comes after.
poll(45, async () => callOuts.on && take(await getOrNull(boardUrl(board, "desk"))));
const camera = new CameraPicture($("#camera"), { source: boardUrl(board, "picture.jpg"), label: "camera.picture" });
poll(1.5, async () => {
  if (!hasPicture(status.station)) return;
  if (await camera.refresh()) camera.read(await getOrNull(boardUrl(board, "overlay")));
});
