// A small board on a canvas: 200 of them on one page cost a third of a second.

import { parsePoint, starPoints } from "./goban.js";

const COLOURS = {
  light: {
    wood: "#dfb975",
    line: "rgba(60,40,15,.55)",
    black: "#1b1b1d",
    white: "#faf8f3",
    edge: "rgba(70,50,25,.7)",
    last: "#d8382c",
  },
  dark: {
    wood: "#c7a062",
    line: "rgba(45,30,10,.6)",
    black: "#141416",
    white: "#efece4",
    edge: "rgba(50,35,15,.8)",
    last: "#e0402f",
  },
};

/** Draw a position (text lines, top first) with the last move marked. */
export function drawThumbnail(canvas, position, last) {
  const colours = COLOURS[document.documentElement.dataset.theme] || COLOURS.light;
  const size = position?.length || 19;
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const side = Math.round((canvas.clientWidth || 200) * scale);
  if (canvas.width !== side) canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  const pitch = side / (size + 0.5);
  const at = (n) => Math.round((n + 0.75) * pitch) + 0.5;
  pen.fillStyle = colours.wood;
  pen.fillRect(0, 0, side, side);
  drawLines(pen, colours, size, at, scale);
  const disc = (col, top, radius) => {
    pen.beginPath();
    pen.arc(at(col), at(top), radius, 0, 2 * Math.PI);
  };
  pen.fillStyle = colours.line;
  for (const { col, row } of starPoints(size)) {
    disc(col, size - 1 - row, Math.max(pitch * 0.11, scale * 0.9));
    pen.fill();
  }
  (position || []).forEach((line, top) => {
    [...line].forEach((cell, col) => {
      if (cell !== "X" && cell !== "O") return;
      disc(col, top, pitch * 0.47);
      pen.fillStyle = cell === "X" ? colours.black : colours.white;
      pen.fill();
      if (cell === "X") return;
      pen.lineWidth = Math.max(0.6, pitch * 0.05);
      pen.strokeStyle = colours.edge;
      pen.stroke();
    });
  });
  const point = parsePoint(last);
  if (!point) return;
  disc(point.col, size - 1 - point.row, Math.max(pitch * 0.22, 1.6));
  pen.fillStyle = colours.last;
  pen.fill();
}

function drawLines(pen, colours, size, at, scale) {
  pen.beginPath();
  for (let n = 0; n < size; n += 1) {
    pen.moveTo(at(0), at(n));
    pen.lineTo(at(size - 1), at(n));
    pen.moveTo(at(n), at(0));
    pen.lineTo(at(n), at(size - 1));
  }
  pen.lineWidth = scale * 0.6;
  pen.strokeStyle = colours.line;
  pen.stroke();
}
