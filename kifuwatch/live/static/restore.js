// The restore assistant: a big board that shows, each second anew, which points are not yet as they should be.

import "./board.js";
import { h, fill, say, boardUrl } from "./dom.js";
import { getOrNull, poll } from "./net.js";
import { t } from "./text.js";

/** Open the assistant over the page; `move`: the position after which move is wanted (null: the game now). */
export function openRestore(board, { move = null, moves = 0, rule, confirmGrave }) {
  let wanted = move ?? moves;
  const goban = h("go-board", { coords: true });
  const said = h("p", { class: "restore-said", role: "status", "aria-live": "polite" });
  const list = h("ol", { class: "differs" });
  const input = h("input", {
    type: "number",
    min: 0,
    max: moves,
    value: wanted,
    id: "restore-move",
    inputmode: "numeric",
  });
  input.addEventListener("input", () => {
    wanted = Math.max(0, Math.min(moves, Number(input.value) || 0));
    look();
  });
  const cut = async () => {
    if (wanted < moves && (await confirmGrave(t("restore.cut", { n: wanted }), t("restore.cut.text", { n: wanted }))))
      rule({ do: "restore", number: wanted });
  };
  const box = h(
    "dialog",
    { class: "restore", "aria-labelledby": "restore-title" },
    h(
      "div",
      { class: "row between" },
      h("h2", { id: "restore-title" }, t("restore.title")),
      h("button", { type: "button", class: "main", onclick: () => box.close() }, t("do.close")),
    ),
    h(
      "div",
      { class: "restore-body" },
      h("div", { class: "restore-board" }, goban),
      h(
        "div",
        { class: "stack" },
        said,
        list,
        h("div", { class: "field" }, h("label", { for: "restore-move" }, t("restore.move")), input),
        h("button", { type: "button", onclick: () => turn() }, t("board.turn")),
        h("button", { type: "button", onclick: cut }, t("restore.cut.button")),
      ),
    ),
  );
  const turn = () => goban.setAttribute("rot", (goban.quarter + 1) % 4);

  async function look() {
    const asked = wanted;
    // The game as it stands includes what rulings want put right, so it is asked for without a number.
    const found = await getOrNull(boardUrl(board, "restore") + (asked < moves ? `?move=${asked}` : ""));
    if (!found || asked !== wanted) return;
    const differs = found.differs || [];
    const marks = differs.map(({ at, is, should }) => ({
      at,
      kind: should === "." ? "cross" : is === "." ? "square" : "circle",
      tone: "seal",
    }));
    goban.show({ position: found.board, marks });
    const seen = Array.isArray(found.differs);
    const covered = (found.covered || []).length;
    const words = [
      differs.length || !covered ? t("restore.left", { count: differs.length, n: differs.length }) : "",
      covered ? t("restore.hidden", { count: covered, n: covered }) : "",
    ];
    say(said, !seen ? t("restore.unseen") : found.right ? t("restore.right") : words.filter(Boolean).join(" "));
    box.classList.toggle("right", Boolean(found.right));
    fill(list, differs.slice(0, 30).map(line));
  }

  function line({ at, is, should }) {
    const key = should === "." ? "restore.take" : is === "." ? "restore.put" : "restore.change";
    const color = should === "." ? is : should;
    return h(
      "li",
      null,
      h("b", { class: "figures" }, at),
      " ",
      h("span", { class: color === "X" ? "stone-b" : "stone-w" }),
      " ",
      t(key),
    );
  }

  document.body.append(box);
  box.showModal();
  const stop = poll(1, look);
  box.addEventListener("close", () => {
    stop();
    box.remove();
  });
}
