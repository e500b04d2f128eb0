// What people tell the desk without an alert: passes, resignations, warnings, pauses, the end, the record set right.

import { h, fill } from "./dom.js";
import { colourText } from "./alerts.js";
import { ask } from "./frame.js";
import { movesOf } from "./goban.js";
import { t } from "./text.js";

function stone(color) {
  return h("span", { class: color === "B" ? "stone-b" : "stone-w", "aria-hidden": "true" });
}

/** Fill `place` with the buttons that make sense in this phase. */
export function actButtons(place, state, { rule, confirmGrave, pick, restore }) {
  const plain = (key, row) => h("button", { type: "button", onclick: () => rule(row) }, t(`act.${key}`));
  const grave = (key, row) =>
    h(
      "button",
      { type: "button", onclick: async () => (await confirmGrave(t(`act.${key}`))) && rule(row) },
      t(`act.${key}`),
    );
  const each = (key, make) =>
    h(
      "div",
      { class: "act" },
      h("span", null, t(`act.${key}`)),
      h(
        "div",
        { class: "row tight" },
        ["B", "W"].map((color) =>
          h(
            "button",
            { type: "button", "aria-label": `${t(`act.${key}`)}: ${colourText(color)}`, onclick: () => make(color) },
            stone(color),
            " ",
            colourText(color),
          ),
        ),
      ),
    );
  const sure = (key) => async (color) => {
    const what = `${t(`act.${key}`)}: ${colourText(color)}`;
    if (await confirmGrave(what)) rule({ do: key, color });
  };
  const last = movesOf(state).length;
  const lists = {
    playing: () => [
      each("warn", (color) => rule({ do: "warn", color })),
      warned(state).length ? each("unwarn", (color) => rule({ do: "unwarn", color })) : null,
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { type: "button", onclick: () => rule({ do: "pass", color: state.to_play }) },
          t("act.pass", { colour: colourText(state.to_play) }),
        ),
        plain("pause", { do: "pause" }),
        h("button", { type: "button", onclick: () => restore() }, t("restore.open")),
      ),
      h(
        "div",
        { class: "row" },
        h(
          "button",
          { type: "button", onclick: () => rule({ do: "propose-end", color: state.to_play }) },
          t("act.propose-end", { colour: colourText(state.to_play) }),
        ),
        plain("agree-end", { do: "agree-end" }),
      ),
      each("resign", sure("resign")),
    ],
    paused: () => [
      h(
        "div",
        { class: "row" },
        plain("resume", { do: "resume" }),
        h(
          "button",
          { type: "button", onclick: () => pick(t("act.seal.pick"), (at) => rule({ do: "seal", at: [at] })) },
          t("act.seal"),
        ),
        h("button", { type: "button", onclick: () => restore() }, t("restore.open")),
      ),
      each("resign", sure("resign")),
    ],
    "end-proposed": () => [
      h("div", { class: "row" }, plain("agree-end", { do: "agree-end" }), plain("refuse-end", { do: "refuse-end" })),
      each("resign", sure("resign")),
    ],
    counting: () => [each("resume-dead", (color) => rule({ do: "resume", color })), plain("resume", { do: "resume" })],
    over: () => [h("p", { class: "soft" }, t("act.over"))],
  };
  const more = () =>
    h(
      "details",
      null,
      h("summary", null, t("act.more")),
      h(
        "div",
        { class: "acts" },
        h("button", { type: "button", onclick: () => report(state, rule) }, t("act.report")),
        each("loss", sure("loss")),
        h(
          "div",
          { class: "row" },
          last ? grave("void", { do: "void", number: last }) : null,
          last ? grave("void-pass", { do: "void-pass", number: last }) : null,
          grave("swap", { do: "swap" }),
        ),
        h(
          "div",
          { class: "row" },
          ["draw", "no-result", "extra-game", "replay", "both-lose"].map((key) => grave(key, { do: key })),
        ),
        h(
          "div",
          { class: "row" },
          ["black", "white", "empty"].map((cell) =>
            h(
              "button",
              {
                type: "button",
                onclick: () =>
                  pick(t(`act.point.${cell}`), (at) =>
                    rule({ do: "point", at: [at], cell: { black: "X", white: "O", empty: "." }[cell] }),
                  ),
              },
              t(`act.point.${cell}`),
            ),
          ),
        ),
      ),
    );
  fill(place, (lists[state.phase] || lists.playing)(), state.phase === "over" ? null : more());
}

const REPORTABLE = [
  "two-moves",
  "takeback",
  "dropped-stone",
  "moved-stone",
  "ko-violation",
  "clock-before-stone",
  "clock-before-clear",
  "colours-swapped",
  "count-mismatch",
  "over-time",
  "late",
];

/** What the camera cannot see, or has not seen: somebody reports it, and it becomes an alert to be ruled. */
async function report(state, rule) {
  const code = h(
    "select",
    { id: "report-code" },
    REPORTABLE.map((name) => h("option", { value: name }, t(`code.${name}`))),
  );
  const color = h(
    "select",
    { id: "report-color" },
    h("option", { value: "" }, "–"),
    ["B", "W"].map((name) => h("option", { value: name }, colourText(name))),
  );
  const form = h(
    "div",
    { class: "stack" },
    h("div", { class: "field" }, h("label", { for: "report-code" }, t("act.report.what")), code),
    h("div", { class: "field" }, h("label", { for: "report-color" }, t("act.report.who")), color),
  );
  const sure = await ask(t("act.report"), form, [{ value: true, text: t("act.report.do"), main: true }]);
  if (sure !== true) return;
  rule({ do: "report", code: code.value, ...(color.value ? { color: color.value } : {}) });
}

const warned = (state) => (state.ledger || []).filter((entry) => entry.kind === "warning" && !entry.taken_back);
