// Setting a board up: choose the camera, look at the view, say what game it is, start.

import { $, h, fill, say, show, boardUrl, changed } from "./dom.js";
import { attempt, begin, ask, refused, title, toast } from "./frame.js";
import { CornerPicture } from "./corners.js";
import { getOrNull, poll, post } from "./net.js";
import { StatusLine } from "./parts.js";
import { currentLanguage, onLanguage, own, t } from "./text.js";

const RULES = ["cn2002", "cn1988", "jp", "kr", "aga", "ing", "nz", "tt", "ancient"];
const TEXTS = ["black", "black_rank", "white", "white_rank", "event", "round", "time"];
const TIMES = ["2h kept 5", "1h+3x30s", "45m", "30m+25/10m", "15m+10s"];
const OTHER = "other";
const { board, arbiter } = await begin("setup");
if (!arbiter) location.replace(`/login?next=${encodeURIComponent(location.pathname)}`);

const status = new StatusLine($("#status"));
const picture = new CornerPicture($("#picture"), (corners) => preview({ corners }));
const form = $("#game");
const BOARDS = ["", "left", "right", "top", "bottom"]; // which one is meant where several are in view
const chosen = { source: null, size: null, corners: null, which: null };
let cameras = [];
let continueFrom = null;
let lastStation = null;

// The camera

function drawCameras() {
  const options = cameras.map(({ source, name }) =>
    h("option", { value: source }, source.startsWith("test:") ? t("setup.test") : own(name) || source),
  );
  if (chosen.source && !cameras.some(({ source }) => source === chosen.source))
    options.push(h("option", { value: chosen.source }, shownSource(chosen.source)));
  options.push(h("option", { value: OTHER }, t("setup.other")));
  fill($("#camera"), options);
  if (chosen.source) $("#camera").value = chosen.source;
}

/** An address without the password that may be in it. */
const shownSource = (source) => source.replace(/\/\/[^/@]*@/, "//");

async function preview(change) {
  Object.assign(chosen, change);
  const answer = await attempt(() => post(boardUrl(board, "setup"), chosen));
  if (answer?.station) takeStation(stationIn(answer));
}

async function choose(source) {
  picture.forget();
  picture.say(t("setup.opening"));
  await preview({ source, corners: null });
  drawCameras();
}

$("#camera").addEventListener("change", (event) => {
  if (event.target.value === OTHER) $("#address").focus();
  else choose(event.target.value);
});
$("#address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const source = $("#address").value.trim();
  if (source) choose(source);
});
$("#again").addEventListener("click", () => {
  picture.forget();
  preview({ corners: null });
});

$("#which").addEventListener("change", (event) => {
  picture.forget();
  preview({ corners: null, which: event.target.value || null });
});

// The view

function drawSizes() {
  const choice = (size, text) => {
    const radio = h("input", {
      type: "radio",
      name: "size",
      value: size ?? "",
      checked: chosen.size === size,
      onchange: () => preview({ size }),
    });
    return h("label", { class: "check" }, radio, h("span", null, text));
  };
  fill(
    $("#sizes"),
    choice(null, t("setup.size.auto")),
    [19, 13, 9].map((size) => choice(size, `${size}×${size}`)),
  );
}

function drawQuality(report) {
  const place = $("#quality");
  if (!changed(place, [report, document.documentElement.lang])) return;
  if (!report) {
    fill(place);
    return;
  }
  const view = report.view || report;
  const tone = { good: "good", usable: "warn", poor: "seal" }[view.verdict] || "";
  const [verdict, ...advice] = report.sentences?.[currentLanguage()] || [""];
  const findings = advice.map((sentence, index) => h("li", { class: view.findings?.[index]?.verdict || "" }, sentence));
  const head = h(
    "p",
    { class: "verdict" },
    h("span", { class: `dot ${tone}` }),
    h("b", null, verdict || t(`view.${view.verdict}`)),
    findings.length ? null : h("span", { class: "soft" }, t("view.nothing")),
  );
  fill(place, head, findings.length ? h("ul", { class: "findings" }, findings) : null);
}

async function look() {
  if (!chosen.source) return;
  if (lastStation?.last_picture_age === null || lastStation?.last_picture_age === undefined) {
    picture.say(own(lastStation?.error) || t("camera.waiting"));
    return;
  }
  const overlay = await getOrNull(boardUrl(board, "overlay"));
  try {
    await picture.picture(`${boardUrl(board, "picture.jpg")}?t=${Date.now()}`);
  } catch {
    picture.say(t("camera.waiting"));
  }
  picture.read(overlay);
}

/** The station of an answer, with what is wrong with it in both languages. */
function stationIn({ station, error, error_zh }) {
  return { ...station, error: { en: error, zh: error_zh } };
}

function takeStation(station) {
  lastStation = station;
  status.take(station);
  const recording = station.state === "recording" || station.state === "paused";
  show($("#running"), recording);
  if (recording && changed($("#running"), [station.state, document.documentElement.lang])) drawRunning();
  form.classList.toggle("locked", recording);
  for (const control of form.elements) control.disabled = recording;
  $("#camera").disabled = $("#again").disabled = $("#which").disabled = recording;
  const missing = !recording && station.note === "looking" && !picture.byHand;
  say($("#start-note"), missing ? t("setup.start.looking") : own(station.error));
}

function drawRunning() {
  const stop = async () => {
    if (
      (await ask(t("setup.stop.title"), h("p", null, t("setup.stop.text")), [
        { value: true, text: t("setup.stop"), grave: true },
      ])) !== true
    )
      return;
    await attempt(() => post(boardUrl(board, "stop")));
    refresh();
  };
  const paused = lastStation.state === "paused";
  const pause = async () => {
    const answer = await attempt(() => post(boardUrl(board, paused ? "resume" : "pause")));
    if (answer?.station) takeStation(stationIn(answer));
  };
  fill(
    $("#running"),
    h("p", null, t(paused ? "setup.paused" : "setup.running")),
    h(
      "div",
      { class: "row" },
      h("a", { class: "button main", href: `/board/${encodeURIComponent(board)}` }, t("nav.board")),
      h("a", { class: "button", href: `/desk/${encodeURIComponent(board)}` }, t("nav.desk")),
      h("button", { type: "button", onclick: pause }, t(paused ? "act.resume" : "act.pause")),
      h("button", { type: "button", onclick: stop }, t("setup.stop")),
    ),
  );
}

// The game

function drawForm() {
  say($("#heading"), t("setup.title", { board }));
  title(t("setup.title", { board }));
  const rules = $("#rules").value || "cn2002";
  fill(
    $("#rules"),
    RULES.map((name) => h("option", { value: name }, t(`rules.${name}`))),
  );
  $("#rules").value = rules;
  const handicap = $("#handicap").value || "0";
  fill(
    $("#handicap"),
    [0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => h("option", { value: n }, n ? t("game.stones", { n }) : t("setup.even"))),
  );
  $("#handicap").value = handicap;
  fill(
    $("#times"),
    TIMES.map((time) => h("option", { value: time }, t(`time.${time}`))),
  );
  fill(
    $("#which"),
    BOARDS.map((name) => h("option", { value: name }, t(`which.${name || "largest"}`))),
  );
  $("#which").value = chosen.which || "";
  drawSizes();
  drawCameras();
}

/** What the next game on a board has in common with the last: the event and its terms, not who plays. */
const nextGame = ({ event, rules, komi, time, round }) => ({ event, rules, komi, time, round });

function fillForm(setup) {
  for (const name of TEXTS) if (setup[name]) form.elements[name].value = setup[name];
  if (setup.rules && RULES.includes(setup.rules)) form.elements.rules.value = setup.rules;
  if (setup.komi !== null && setup.komi !== undefined) form.elements.komi.value = setup.komi;
  if (setup.handicap) form.elements.handicap.value = setup.handicap;
  form.elements.corner_stones.checked = Boolean(setup.corner_stones);
}

function gameSetup() {
  // Where one of several boards was chosen, its corners say which.
  const corners = chosen.corners || (chosen.which && picture.corners ? picture.rounded() : null);
  const told = { source: chosen.source, size: chosen.size, corners, rules: form.elements.rules.value };
  for (const name of TEXTS) told[name] = form.elements[name].value.trim();
  const komi = form.elements.komi.value.trim().replace(",", ".");
  return {
    ...told,
    komi: komi === "" ? null : Number(komi),
    handicap: Number(form.elements.handicap.value) || 0,
    corner_stones: form.elements.corner_stones.checked,
    date: new Date().toLocaleDateString("sv"), // 2026-11-30
    continue_from: continueFrom,
  };
}

/** Take a record to go on from: the server says what it holds, and the names come from it. */
async function goOnFrom(sgf) {
  const found = sgf === null ? null : await attempt(() => post(boardUrl(board, "import"), { sgf }));
  continueFrom = found ? sgf : null;
  say(
    $("#continue-found"),
    found
      ? t("setup.continue.found", { n: found.moves, names: [found.black, found.white].filter(Boolean).join(" – ") })
      : "",
  );
  if (found) fillForm(found);
}

$("#continue").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  await goOnFrom(file ? await file.text() : null);
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const setup = gameSetup();
  if (Number.isNaN(setup.komi)) {
    toast(t("setup.komi.wrong"), { fault: true });
    form.elements.komi.focus();
    return;
  }
  $("#start").disabled = true;
  try {
    await post(boardUrl(board, "start"), setup);
    location.assign(`/board/${encodeURIComponent(board)}`);
  } catch (error) {
    $("#start").disabled = false;
    refused(error);
  }
});

// Beginning

async function refresh() {
  const answer = await getOrNull(boardUrl(board, "setup"));
  if (answer?.station) takeStation(stationIn(answer));
  return answer;
}

onLanguage(() => {
  drawForm();
  if (lastStation) takeStation(lastStation);
});
drawForm();
const known = await refresh();
const played = ["recording", "paused"].includes(known?.station?.state);
if (known?.setup) fillForm(played ? known.setup : nextGame(known.setup));
cameras = (await getOrNull("/api/cameras")) || [];
const going = ["recording", "paused", "setup"].includes(known?.station?.state);
const wanted = new URLSearchParams(location.search).get("source");
chosen.source = (going && known.source) || wanted || known?.source || cameras[0]?.source || "test:";
drawCameras();
const handed = sessionStorage.getItem("kifuwatch.continue");
sessionStorage.removeItem("kifuwatch.continue");
if (handed) {
  $("#continue").closest("details").open = true;
  await goOnFrom(handed);
}
if (going) picture.say(t("camera.waiting"));
else await choose(chosen.source);
poll(0.7, look);
poll(1, refresh);
poll(3, async () => drawQuality(await getOrNull(boardUrl(board, "quality"))));
