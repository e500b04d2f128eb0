// Talking to the server: requests with a sentence when they fail, and one stream of events a page.

import { boardUrl } from "./dom.js";
import { own } from "./text.js";

/** What the server, or the way to it, has to say against a request: one sentence, and the status (0: no answer). */
export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

let ahead = 0; // how many milliseconds the server's clock is ahead of ours

/** When the server said something (epoch seconds by its clock), as milliseconds by ours; now where it did not say. */
export const saidAt = (at) => (Number.isFinite(at) ? Math.min(Date.now(), at * 1000 - ahead) : Date.now());

async function answer(response) {
  const date = Date.parse(response.headers.get("date") || "");
  if (Number.isFinite(date)) ahead = date + 500 - Date.now(); // the header is cut to whole seconds
  const type = response.headers.get("content-type") || "";
  const body = type.includes("json") ? await response.json() : null;
  if (response.ok) return body;
  const said = own({ en: body?.error ?? body?.detail, zh: body?.error_zh });
  const plain = typeof said === "string" && said !== "";
  throw new Refused(plain ? said : `${response.status} ${response.statusText}`, response.status);
}

async function request(url, options) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused("", 0);
  }
  return answer(response);
}

/** GET as JSON. Throws Refused. */
export const get = (url) => request(url, {});

/** POST JSON; the header tells the server that a page of its own is asking. Throws Refused. */
export const post = (url, body = {}) =>
  request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Kifuwatch": "1" },
    body: JSON.stringify(body),
  });

/** GET as JSON, or null where there is nothing (yet). */
export async function getOrNull(url) {
  try {
    return await get(url);
  } catch {
    return null;
  }
}

/** Whether this browser is signed in as the arbiter. */
export async function isArbiter() {
  return Boolean((await getOrNull("/api/session"))?.arbiter);
}

/** Sign in with the token that the opened address carries behind its #, and take it out of the address at once. */
export async function signInByAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await post("/api/login", { token });
  } catch {
    // A wrong token: the page shows what anybody may see.
  }
}

/** Ask again and again, as long as the page is looked at; the next question waits for the answer. */
export function poll(seconds, ask) {
  let stopped = false;
  const round = async () => {
    if (stopped) return;
    if (!document.hidden) {
      try {
        await ask();
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    if (!stopped) setTimeout(round, seconds * 1000);
  };
  round();
  return () => {
    stopped = true;
  };
}

const LOST_AFTER = 3000;

/**
 * The one stream of a page. It comes back by itself and asks for what it missed. With `changes` a move comes without
 * the moves before it, which are put together again here; after a gap the server sends a whole state by itself.
 */
export class Feed {
  constructor({ boards = [], brief = false, desk = false, changes = false, onState, onStatus, onDesk, onConnection }) {
    this.query = new URLSearchParams();
    if (desk) this.query.set("desk", "1");
    if (boards.length) this.query.set("boards", boards.join(","));
    if (brief) this.query.set("brief", "1");
    if (changes) this.query.set("changes", "1");
    this.handlers = { state: onState, status: onStatus, desk: onDesk, change: (change) => this.change(change) };
    this.whole = new Map(); // board: its last state
    this.onConnection = onConnection || (() => {});
    this.lastId = "";
    this.lostAt = null;
    this.wait = 1000;
    addEventListener("pagehide", () => this.source?.close());
    addEventListener("pageshow", (event) => event.persisted && this.open());
    addEventListener("online", () => this.source?.readyState === EventSource.CLOSED && this.open());
    setInterval(() => this.tell(), 1000);
    this.open();
  }

  open() {
    clearTimeout(this.again);
    this.source?.close();
    const query = new URLSearchParams(this.query);
    if (this.lastId) query.set("since", this.lastId);
    this.source = new EventSource(`/api/events?${query}`);
    this.source.onopen = () => this.found();
    this.source.onerror = () => this.lost();
    for (const kind of Object.keys(this.handlers)) {
      this.source.addEventListener(kind, (event) => this.take(kind, event));
    }
  }

  take(kind, event) {
    if (event.lastEventId) this.lastId = event.lastEventId;
    this.found();
    const data = JSON.parse(event.data);
    if (kind === "state") this.whole.set(data.board, data);
    this.handlers[kind]?.(data);
  }

  change({ moves_from: from, ...data }) {
    const before = this.whole.get(data.board);
    if (!before || before.moves.length < from) {
      this.lastId = ""; // asked anew without an id, the server sends everything
      this.open();
      return;
    }
    const state = { ...data, moves: [...before.moves.slice(0, from), ...data.moves] };
    this.whole.set(state.board, state);
    this.handlers.state?.(state);
  }

  found() {
    const was = this.lostAt;
    this.lostAt = null;
    this.wait = 1000;
    if (was !== null) this.onConnection(null);
  }

  lost() {
    if (this.lostAt === null) this.lostAt = Date.now();
    if (this.source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    clearTimeout(this.again);
    this.again = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, 15000);
  }

  tell() {
    if (this.lostAt !== null && Date.now() - this.lostAt >= LOST_AFTER)
      this.onConnection((Date.now() - this.lostAt) / 1000);
  }
}

/** The state of a board now: public, or with everything the arbiter may see. */
export const stateOf = (board, desk) => get(boardUrl(board, ...(desk ? ["desk"] : [])));
