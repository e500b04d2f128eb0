// The end of a game: dead chains are marked on the board, the count follows, the result is confirmed.

import { h, fill, changed } from "./dom.js";
import { Position, parsePoint, pointName } from "./goban.js";
import { own, t } from "./text.js";

export class Counting {
  /** `onMarks` is called when other stones are marked. */
  constructor(place, { rule, view, onMarks }) {
    this.place = place;
    this.rule = rule;
    this.view = view;
    this.onMarks = onMarks;
    this.state = null;
    this.wanted = null;
    this.waiting = 0;
    this.sent = Promise.resolve();
  }

  get active() {
    return this.state?.phase === "counting";
  }

  take(state) {
    this.state = state;
    const board = this.view.board;
    if (this.active) board.setAttribute("editable", "");
    const counted = (state.territory || []).map((line) =>
      line.replace(/[XO]/g, ".").replace(/x/g, "X").replace(/o/g, "O"),
    );
    this.view.mark({ territory: counted.length && (this.active || state.phase === "over") ? counted : null });
    if (changed(this.place, [state.phase, state.dead, state.score, state.dead_proposal, document.documentElement.lang]))
      this.draw();
  }

  /** Dead stones are dimmed and crossed; a triangle stands on those of which the proposal is not sure. */
  marks() {
    const proposed = !this.state.dead && !this.wanted;
    const unsure = new Set(proposed ? (this.state.dead_proposal?.unsure || []).map(({ at }) => at) : []);
    const crossed = this.dead.filter((at) => !unsure.has(at));
    return [
      ...crossed.map((at) => ({ at, kind: "cross", tone: "seal" })),
      ...[...unsure].map((at) => ({ at, kind: "triangle", tone: "calm" })),
    ];
  }

  /** A tap on a chain says dead, another one alive. */
  toggle(at) {
    if (!this.active || !this.state.position) return;
    const position = Position.fromText(this.state.position);
    const point = parsePoint(at);
    if (!"XO".includes(position.at(point))) return;
    const chain = new Set(position.chain(point).stones.map(({ col, row }) => pointName(col, row)));
    const dead = new Set(this.dead);
    const was = dead.has(at);
    for (const stone of chain) was ? dead.delete(stone) : dead.add(stone);
    this.name([...dead]);
  }

  /** Tell the server; the next tap builds on this one, whether or not the answer is there yet. */
  async name(dead) {
    this.wanted = dead;
    this.waiting += 1;
    this.onMarks();
    this.sent = this.sent.then(() => this.rule({ do: "dead", at: dead }));
    await this.sent;
    this.waiting -= 1;
    if (!this.waiting) this.wanted = null;
    this.onMarks();
  }

  get dead() {
    return this.wanted || this.state.dead || this.state.dead_proposal?.dead || [];
  }

  draw() {
    const { score, dead, dead_proposal: proposal } = this.state;
    const parts = [];
    if (this.active) parts.push(h("p", { class: "soft" }, t("count.help")));
    if (this.active && !dead && proposal?.unsure?.length) parts.push(h("p", { class: "soft" }, t("count.unsure")));
    if (this.active && !dead && proposal?.dead?.length)
      parts.push(h("button", { type: "button", onclick: () => this.name(proposal.dead) }, t("count.take-proposal")));
    if (this.active && !dead)
      parts.push(h("button", { type: "button", onclick: () => this.name([]) }, t("count.none-dead")));
    if (score) {
      parts.push(h("p", { class: "result" }, own(score)));
      const figure = (color) => score.area?.[color] ?? score.territory?.[color] ?? "–";
      parts.push(
        h(
          "p",
          { class: "row figures" },
          h("span", { class: "stone-b" }),
          figure("B"),
          h("span", { class: "stone-w" }),
          figure("W"),
          h("span", { class: "soft" }, score.sgf),
        ),
      );
    }
    if (this.active && score)
      parts.push(
        h("button", { type: "button", class: "main", onclick: () => this.rule({ do: "confirm" }) }, t("count.confirm")),
      );
    fill(this.place, parts);
  }
}
