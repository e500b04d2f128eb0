// Points, positions and captures: what a page needs to show a game move by move. The rules engine stays on the server.

export const COLUMNS = "ABCDEFGHJKLMNOPQRST";

/** "Q16" -> {col, row}, both from 0 at the lower left; null for a pass or nothing. */
export function parsePoint(at) {
  const found = /^([A-HJ-T])(\d{1,2})$/.exec(at || "");
  return found ? { col: COLUMNS.indexOf(found[1]), row: Number(found[2]) - 1 } : null;
}

/** {col, row} -> "Q16". */
export const pointName = (col, row) => `${COLUMNS[col]}${row + 1}`;

/** The star points of a board. */
export function starPoints(size) {
  if (size < 7) return [];
  const near = size >= 13 ? 3 : 2;
  const edges = size % 2 && size >= 9 ? [near, (size - 1) / 2, size - 1 - near] : [near, size - 1 - near];
  const middle = (size - 1) / 2;
  const wanted = (c, r) => size >= 19 || (c === middle) === (r === middle);
  return edges.flatMap((col) => edges.filter((row) => wanted(col, row)).map((row) => ({ col, row })));
}

/** A position: cells by row from the bottom, "." "X" "O" "?". */
export class Position {
  constructor(size, cells) {
    this.size = size;
    this.cells = cells || Array.from({ length: size * size }, () => ".");
  }

  static fromText(lines) {
    const size = lines.length;
    const position = new Position(size);
    lines.forEach((line, top) => [...line].forEach((cell, col) => position.set({ col, row: size - 1 - top }, cell)));
    return position;
  }

  copy() {
    return new Position(this.size, [...this.cells]);
  }

  on(point) {
    return point.col >= 0 && point.row >= 0 && point.col < this.size && point.row < this.size;
  }

  at(point) {
    return this.cells[point.row * this.size + point.col];
  }

  set(point, cell) {
    if (this.on(point)) this.cells[point.row * this.size + point.col] = cell;
  }

  neighbours({ col, row }) {
    const around = [
      { col: col - 1, row },
      { col: col + 1, row },
      { col, row: row - 1 },
      { col, row: row + 1 },
    ];
    return around.filter((point) => this.on(point));
  }

  /** The chain on a point, and whether it has a liberty. */
  chain(point) {
    const colour = this.at(point);
    const seen = new Map([[`${point.col},${point.row}`, point]]);
    let free = false;
    for (const stone of seen.values()) {
      for (const next of this.neighbours(stone)) {
        const cell = this.at(next);
        if (cell === ".") free = true;
        else if (cell === colour) seen.set(`${next.col},${next.row}`, next);
      }
    }
    return { stones: [...seen.values()], free };
  }

  /** Put a stone down and take off what has no liberty left; the points taken. */
  play(point, cell) {
    this.set(point, cell);
    const taken = [];
    for (const next of this.neighbours(point)) {
      const other = this.at(next);
      if (other === "." || other === "?" || other === cell) continue;
      const chain = this.chain(next);
      if (!chain.free) {
        for (const stone of chain.stones) this.set(stone, ".");
        taken.push(...chain.stones);
      }
    }
    return taken.map(({ col, row }) => pointName(col, row));
  }

  lines() {
    return Array.from({ length: this.size }, (_, top) => {
      const row = this.size - 1 - top;
      return this.cells.slice(row * this.size, (row + 1) * this.size).join("");
    });
  }
}

const CELLS = { B: "X", W: "O", E: "." };

function setStones(position, stones) {
  for (const [colour, points] of Object.entries(stones || {})) {
    if (!(colour in CELLS)) continue;
    for (const at of points || []) {
      const point = parsePoint(at);
      if (point) position.set(point, CELLS[colour]);
    }
  }
}

/** What the record's moves are, without the stones that rulings set up. */
export const movesOf = (state) => (state.moves || []).filter((move) => move.color && !move.setup);

/**
 * The game position by position: `positions[n]` after move n, `captures[n]` how many stones of each colour are off then.
 * The last is the server's own position, which knows of rulings too.
 */
export function replay(state) {
  const size = state.size || 19;
  let position = new Position(size);
  setStones(position, state.start);
  const positions = [position];
  const captures = [{ B: 0, W: 0 }];
  for (const move of state.moves || []) {
    position = position.copy();
    if (move.setup) {
      setStones(position, move.setup);
      positions[positions.length - 1] = position;
      continue;
    }
    const point = parsePoint(move.at);
    let taken = [];
    if (point && Array.isArray(move.captures)) {
      position.set(point, CELLS[move.color]);
      setStones(position, { E: move.captures });
      taken = move.captures;
    } else if (point) taken = position.play(point, CELLS[move.color]);
    const before = captures[captures.length - 1];
    const other = move.color === "B" ? "W" : "B";
    captures.push({ ...before, [other]: before[other] + taken.length });
    positions.push(position);
  }
  if (state.position?.length === size) positions[positions.length - 1] = Position.fromText(state.position);
  return { positions: positions.map((each) => each.lines()), captures };
}

/** On which move each stone now on the board was played: {"Q16": 12}. */
export function moveNumbers(state, upTo) {
  const numbers = {};
  for (const [index, move] of movesOf(state).slice(0, upTo).entries()) {
    if (move.at && move.at !== "pass") numbers[move.at] = index + 1;
  }
  return numbers;
}

/** Names in the order people expect: table 2 before table 10. */
export const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
