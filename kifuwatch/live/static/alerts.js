// An alert as a card: what, when, which article, what the camera saw, and the rulings that can be given with one tap.

import { h, fill, clockText, changed } from "./dom.js";
import { drawThumbnail } from "./thumbnail.js";
import { hasText, own, t } from "./text.js";

/** Rulings that end the game or unmake moves: asked once more. */
export const GRAVE = new Set(["loss", "both-lose", "draw", "no-result", "extra-game", "replay", "end", "restore"]);
const NEEDS_OFFENDER = new Set(["warning", "advice", "loss", "pass"]);
const NEEDS_POINT = new Set(["reasonable-point", "point"]);

export const actionText = (action) => (hasText(`action.${action}`) ? t(`action.${action}`) : action);
/** With a capital at the beginning, where the script has capitals. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const actionsText = (actions) => capital(actions.map(actionText).join(t("action.and")));
export const colourText = (color) => t(color === "B" ? "colour.black" : "colour.white");

const asList = (choice) => (Array.isArray(choice) ? choice : String(choice).split("+"));

/** What a ruling still needs to be told: {colour, point}. */
export function needs(alert, actions) {
  return {
    colour: !alert.color && actions.some((action) => NEEDS_OFFENDER.has(action)),
    point: actions.some((action) => NEEDS_POINT.has(action)),
  };
}

function articles(alert) {
  const list = Object.entries(alert.articles || {});
  if (!list.length) return null;
  const shown = ([code, article]) =>
    h(
      "li",
      null,
      h("span", null, hasText(`rules.${code}`) ? t(`rules.${code}`) : code),
      h("b", { class: "figures" }, t("alert.article", { n: article })),
    );
  return h("details", { class: "articles" }, h("summary", null, t("alert.articles")), h("ul", null, list.map(shown)));
}

function pictures(alert, enlarge) {
  const shown = (alert.pictures || []).map((url) => {
    const which = /(before|during|after)/.exec(url)?.[1] || "";
    const name = which ? t(`alert.${which}`) : "";
    const image = h("img", { src: url, alt: t("alert.picture", { which: name }), loading: "lazy" });
    return h(
      "button",
      { type: "button", class: "evidence", onclick: () => enlarge(url, name) },
      image,
      h("span", null, name),
    );
  });
  if (alert.clip)
    shown.push(
      h(
        "button",
        { type: "button", class: "evidence clip", onclick: () => enlarge(alert.clip, t("alert.clip"), true) },
        h("span", { class: "play", "aria-hidden": "true" }),
        h("span", null, t("alert.clip")),
      ),
    );
  return shown.length ? h("div", { class: "evidences" }, shown) : boards(alert);
}

/** Where there is no picture: the board before, as it should be, and as it was read. */
function boards(alert) {
  const shown = ["before", "expected", "after"]
    .filter((which) => alert.boards?.[which])
    .map((which) => {
      const canvas = h("canvas", { role: "img", "aria-label": t(`alert.board.${which}`) });
      requestAnimationFrame(() => drawThumbnail(canvas, alert.boards[which], null));
      return h("figure", { class: "evidence" }, canvas, h("span", null, t(`alert.board.${which}`)));
    });
  return shown.length ? h("div", { class: "evidences" }, shown) : null;
}

function likelihoods(alert) {
  const list = [alert.hypotheses, alert.likelihoods].find((each) => Array.isArray(each) && each.length) || [];
  if (!list.length) return null;
  const row = (each) => {
    const share = each.likelihood ?? each.share;
    const words = own(each.text) || own(each) || each.at || "";
    if (share === undefined || share === null) return h("li", null, words);
    return h(
      "li",
      null,
      h("meter", { min: 0, max: 1, value: share, "aria-label": words }),
      h("span", null, words),
      h("b", { class: "figures" }, share < 0.01 ? "< 1 %" : `${Math.round(share * 100)} %`),
    );
  };
  return h("div", { class: "alternatives" }, h("h4", null, t("alert.alternatives")), h("ul", null, list.map(row)));
}

/** Which rulings an alert offers: the prescribed first. */
export function rulingsOf(alert) {
  const prescribed = asList(alert.prescribed || []).filter(Boolean);
  const others = (alert.others || []).map(asList);
  return { prescribed: prescribed.length ? prescribed : null, others };
}

/** An alert for which no ruling is foreseen (a camera that gave no pictures) is only noted. */
const onlyNoted = (alert) => !rulingsOf(alert).prescribed && !rulingsOf(alert).others.length;
const closing = (alert) => (onlyNoted(alert) ? "alert.noted" : "alert.reject");

function buttons(alert, rule) {
  const { prescribed, others } = rulingsOf(alert);
  const button = (actions, main) =>
    h(
      "button",
      { type: "button", class: main ? "main" : "", onclick: () => rule(alert, actions, main) },
      actionsText(actions),
    );
  return h(
    "div",
    { class: "ruling" },
    prescribed
      ? h(
          "div",
          { class: "prescribed" },
          h("p", { class: "soft small" }, t("alert.prescribed", { article: alert.article || "–" })),
          button(prescribed, true),
        )
      : null,
    h(
      "div",
      { class: "row" },
      others.map((choice) => button(choice, false)),
      h("button", { type: "button", class: "soft", onclick: () => rule(alert, null) }, t(closing(alert))),
    ),
  );
}

function meta(alert) {
  const claim = own(alert.claim);
  return h(
    "p",
    { class: "meta soft figures" },
    h("span", null, t("alert.when", { number: alert.move || "–", time: clockText(alert.t) })),
    alert.at?.length ? h("span", null, alert.at.slice(0, 8).join(" ")) : null,
    alert.color
      ? h("span", null, h("span", { class: alert.color === "B" ? "stone-b" : "stone-w" }), " ", colourText(alert.color))
      : null,
    claim ? h("span", { class: "claim" }, t("alert.claim", { until: claim })) : null,
  );
}

/** What whoever reported it wrote down. */
function reported(alert) {
  const line = (alert.evidence || []).find((each) => each.startsWith("note: "));
  return line ? h("p", null, h("bdi", null, `“${line.slice("note: ".length)}”`)) : null;
}

/** The card of an open alert. `rule(alert, actions, prescribed)`: actions null means that it was nothing. */
export function openCard(alert, { rule, enlarge, look }) {
  const texts = alert.text || {};
  const [first, second] = document.documentElement.lang.startsWith("zh") ? ["zh", "en"] : ["en", "zh"];
  return h(
    "article",
    {
      class: `sheet alert ${alert.level}`,
      "aria-labelledby": `alert-${alert.number}`,
      dataset: { alert: alert.number },
    },
    h(
      "div",
      { class: "alert-head" },
      h("span", { class: "alert-number figures" }, alert.number),
      h("h3", { id: `alert-${alert.number}` }, capital(own(alert.name) || alert.code)),
      h("button", { type: "button", class: "quiet", onclick: () => look(alert) }, t("alert.look")),
    ),
    meta(alert),
    h("p", { class: "alert-text", lang: first === "zh" ? "zh-Hans" : "en" }, texts[first]),
    texts[second]
      ? h("p", { class: "alert-text second", lang: second === "zh" ? "zh-Hans" : "en" }, texts[second])
      : null,
    reported(alert),
    pictures(alert, enlarge),
    likelihoods(alert),
    buttons(alert, rule),
    articles(alert),
  );
}

/** A closed alert, in a line, to be opened again. */
export function closedCard(alert, { reopen, undo, look }) {
  const notice = alert.level === "info";
  const noted = alert.mood === "rejected" && onlyNoted(alert);
  const how = notice ? "" : noted ? t("alert.noted") : hasText(`mood.${alert.mood}`) ? t(`mood.${alert.mood}`) : alert.mood;
  const why = notice ? own(alert.text) : alert.mood === "upheld" && alert.why ? actionsText(alert.why.split("+")) : "";
  const again = notice
    ? null
    : alert.mood === "upheld"
      ? alert.closed_by &&
        h("button", { type: "button", class: "quiet", onclick: () => undo(alert.closed_by) }, t("do.undo"))
      : h("button", { type: "button", class: "quiet", onclick: () => reopen(alert) }, t("alert.reopen"));
  return h(
    "article",
    { class: "closed-alert" },
    h("span", { class: "alert-number figures" }, alert.number),
    h(
      "div",
      null,
      h(
        "p",
        null,
        h("b", null, capital(own(alert.name) || alert.code)),
        " ",
        h(
          "span",
          { class: "soft figures" },
          [alert.move ? t("move.number", { n: alert.move }) : "", (alert.at || []).slice(0, 4).join(" ")]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
      h("p", { class: "small soft" }, [how, why].filter(Boolean).join(": ")),
    ),
    h(
      "div",
      { class: "row tight" },
      h("button", { type: "button", class: "quiet", onclick: () => look(alert) }, t("alert.look")),
      again,
    ),
  );
}

/** Fill the list of alerts; a card that has not changed stays as it is, so nobody loses the focus. */
export function drawAlerts(place, alerts, make) {
  const wanted = alerts.map((alert) => String(alert.number));
  for (const node of [...place.children]) if (!wanted.includes(node.dataset.key)) node.remove();
  alerts.forEach((alert, index) => {
    let node = [...place.children].find((each) => each.dataset.key === String(alert.number));
    if (!node) node = h("div", { dataset: { key: alert.number } });
    if (changed(node, [alert, document.documentElement.lang])) fill(node, make(alert));
    if (place.children[index] !== node) place.insertBefore(node, place.children[index] || null);
  });
}

/** A picture of the evidence, or the clip (pictures that follow one another), large. */
export function enlarge(url, name, clip = false) {
  const image = h("img", { src: url, alt: name });
  const close = h("button", { type: "button", class: "main", onclick: () => box.close() }, t("do.close"));
  const file = clip ? h("a", { class: "button", href: `${url}?download=1`, download: "" }, t("alert.clip.file")) : null;
  const box = h(
    "dialog",
    { class: "large", "aria-label": name },
    h("div", { class: "row between" }, h("b", null, name), h("div", { class: "row" }, file, close)),
    image,
  );
  box.addEventListener("close", () => {
    image.removeAttribute("src"); // a clip goes on as long as somebody looks
    box.remove();
  });
  box.addEventListener("click", (event) => event.target === box && box.close());
  document.body.append(box);
  box.showModal();
  close.focus();
}

export const openOnes = (state) => (state.alerts || []).filter((alert) => alert.mood === "open");
