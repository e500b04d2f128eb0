// Four corners over a camera picture, to be dragged by mouse, finger or keyboard, with a magnifying glass.

import { h, s } from "./dom.js";
import { gridOver } from "./parts.js";
import { onLanguage, t } from "./text.js";

const NAMES = ["top-left", "top-right", "bottom-right", "bottom-left"];
const GLASS = 150;
const ZOOM = 3;

export class CornerPicture {
  /** `changed(corners)` is called when a corner has been let go, or moved by key. */
  constructor(place, changed) {
    this.changed = changed;
    this.place = place;
    this.image = h("img", { alt: "", draggable: "false" });
    this.grid = s("g");
    this.handles = NAMES.map((name, index) => this.handle(name, index));
    this.drawing = s("svg", { class: "over corners" }, this.grid, this.handles);
    this.glass = h("canvas", { class: "glass", width: GLASS, height: GLASS, hidden: true, "aria-hidden": "true" });
    this.none = h("p", { class: "none" });
    this.corners = null;
    this.size = 19;
    this.held = null; // the corner being dragged
    this.byHand = false;
    place.classList.add("camera");
    place.replaceChildren(this.image, this.drawing, this.glass, this.none);
    onLanguage(() => this.words());
    this.words();
  }

  words() {
    this.image.alt = t("camera.picture");
    this.handles.forEach((handle, index) => handle.setAttribute("aria-label", t(`corner.${NAMES[index]}`)));
  }

  say(text) {
    this.none.textContent = text;
    this.none.hidden = !text;
  }

  handle(name, index) {
    const ring = s("circle", { r: 1, class: "handle-touch" });
    const dot = s("circle", { r: 1, class: "handle" });
    const node = s("g", { class: "corner", tabindex: 0, role: "button", dataset: { corner: name } }, ring, dot);
    node.addEventListener("pointerdown", (event) => this.grab(event, index, node));
    node.addEventListener("pointermove", (event) => this.drag(event, index));
    node.addEventListener("pointerup", () => this.drop(index));
    node.addEventListener("pointercancel", () => this.drop(index));
    node.addEventListener("keydown", (event) => this.nudge(event, index));
    return node;
  }

  // Pictures and readings

  async picture(url) {
    const fresh = new Image();
    fresh.src = url;
    await fresh.decode();
    fresh.alt = this.image.alt;
    fresh.draggable = false;
    this.image.replaceWith(fresh);
    this.image = fresh;
    this.place.classList.add("seen");
    this.say("");
  }

  /** What the recorder sees: {corners, size, board, width, height}. Corners moved by hand stay where they are. */
  read(overlay) {
    this.width = overlay?.width || this.image.naturalWidth || 1280;
    this.height = overlay?.height || this.image.naturalHeight || 720;
    this.board = overlay?.board || null;
    if (overlay?.size) this.size = overlay.size;
    if (this.held === null && !this.byHand) this.corners = overlay?.corners?.length === 4 ? overlay.corners : null;
    this.draw();
  }

  /** The board is looked for anew: what was found, or set by hand, holds no more. */
  forget() {
    this.byHand = false;
    this.corners = null;
    if (this.width) this.draw();
  }

  draw() {
    this.drawing.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    const shown = this.corners || this.guess();
    this.drawing.classList.toggle("guess", !this.corners);
    this.grid.replaceChildren(
      ...(this.corners ? gridOver({ corners: shown, size: this.size, board: this.byHand ? null : this.board }) : []),
    );
    const unit = this.width / (this.drawing.clientWidth || this.width); // pixels of the picture for one of the screen
    this.handles.forEach((handle, index) => {
      const [x, y] = shown[index];
      handle.setAttribute("transform", `translate(${x} ${y}) scale(${unit})`);
      handle.firstChild.setAttribute("r", 22);
      handle.lastChild.setAttribute("r", 8);
    });
  }

  /** Where the handles wait while no board is found. */
  guess() {
    const [w, tall] = [this.width, this.height];
    return [
      [w * 0.25, tall * 0.2],
      [w * 0.75, tall * 0.2],
      [w * 0.8, tall * 0.85],
      [w * 0.2, tall * 0.85],
    ];
  }

  // Dragging

  at(event) {
    const box = this.drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    const y = ((event.clientY - box.top) / box.height) * this.height;
    return [Math.max(0, Math.min(this.width - 1, x)), Math.max(0, Math.min(this.height - 1, y))];
  }

  grab(event, index, node) {
    event.preventDefault();
    node.focus({ preventScroll: true });
    node.setPointerCapture(event.pointerId);
    const [x, y] = this.at(event);
    const shown = (this.corners || this.guess()).map((corner) => [...corner]);
    this.offset = [shown[index][0] - x, shown[index][1] - y]; // a finger beside the corner does not move it
    this.start = shown;
    this.held = index;
  }

  drag(event, index) {
    if (this.held !== index) return;
    const [x, y] = this.at(event);
    this.corners = this.start.map((corner, n) => (n === index ? [x + this.offset[0], y + this.offset[1]] : corner));
    this.byHand = true;
    this.draw();
    this.look(this.corners[index]);
  }

  drop(index) {
    if (this.held !== index) return;
    this.held = null;
    this.glass.hidden = true;
    if (this.byHand && this.corners !== this.start) this.changed(this.rounded());
  }

  nudge(event, index) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const far = event.shiftKey ? 10 : 1;
    const shown = this.corners || this.guess();
    this.corners = shown.map(([x, y], n) => (n === index ? [x + step[0] * far, y + step[1] * far] : [x, y]));
    this.byHand = true;
    this.draw();
    clearTimeout(this.later);
    this.later = setTimeout(() => this.changed(this.rounded()), 600);
  }

  rounded() {
    return this.corners.map(([x, y]) => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
  }

  /** The glass shows what lies under the finger, in the corner of the picture away from it. */
  look([x, y]) {
    const scale = this.image.naturalWidth / this.width || 1;
    const part = GLASS / ZOOM;
    const pen = this.glass.getContext("2d");
    pen.fillStyle = "#111";
    pen.fillRect(0, 0, GLASS, GLASS);
    try {
      pen.drawImage(this.image, x * scale - part / 2, y * scale - part / 2, part, part, 0, 0, GLASS, GLASS);
    } catch {
      return; // no picture yet
    }
    pen.strokeStyle = "#39d0ff";
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(GLASS / 2, 0);
    pen.lineTo(GLASS / 2, GLASS);
    pen.moveTo(0, GLASS / 2);
    pen.lineTo(GLASS, GLASS / 2);
    pen.stroke();
    this.glass.hidden = false;
    this.glass.classList.toggle("right", x < this.width / 2);
  }
}
