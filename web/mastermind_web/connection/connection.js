// The connection to the server: a WebSocket that is replaced when it is lost or silent, and the
// unanswered requests.
//
// Only a message proves that a connection works: browsers report lost packets after minutes. So
// the connection sends a ping after a silence: of a second while a request is unanswered, of a
// quarter of the time left while a clock runs in a match with a seat, at most of 15 seconds. If
// the silence continues for 2 to 4 seconds, the state is "offline", and the connection attempts to
// open another WebSocket. It keeps and uses the old one until the server answers `hello` on the
// new one, where the session repeats its requests. If a message arrives on the old one first, the
// server was only slow: the attempt ends.
//
// The server answers in order, so a ping after a slow request is answered late too. Therefore
// each attempt doubles the next patience and pause, until a ping is answered promptly.

import { decode, encode } from "./msgpack.js";

/**
 * @import {Values} from "../types.js"
 * @import {Message} from "./followed.js"
 *
 * @typedef {"connecting" | "online" | "offline" | "ended"} State "connecting": before the first
 *     `welcome`, and while the WebSocket is replaced. "offline": it is lost or silent, and the
 *     connection tries another one. "ended": it does not.
 *
 * @typedef {object} Owner The session of a connection.
 * @property {() => void} sayHello A WebSocket has opened.
 * @property {(message: any) => void} receive
 * @property {(state: State) => void} changeState
 * @property {(attempts: number) => void} reportUnopened No WebSocket opened in `attempts`.
 * @property {(error: {op: "error", code: string, message: string}) => void} refuse The server has
 *     closed the connection, and would close another one.
 * @property {() => boolean} isWaiting Whether a request is unanswered.
 * @property {() => number} findTimeLeft The milliseconds until a clock of the player's matches
 *     runs out, or Infinity.
 * @property {() => Promise<unknown>} ping Send a ping. Resolves when it is answered.
 */

const SUBPROTOCOLS = ["mastermind.v3", "mastermind.v2", "mastermind.v1"];
// In milliseconds:
const LONGEST_SILENCE = 15_000; // until a ping: each wakes the radio of a phone
const SHORTEST_SILENCE = 1_000; // until a ping: most requests are answered sooner
const PARTS_OF_TIME = 4; // while a clock runs, one part of the time left passes until a ping
const PROMPT = 2_000; // for the answer to a ping: enough for a slow phone
const CONNECT_PATIENCE = 10_000; // from the start of a connection to its welcome
const FIRST_PAUSE = 500; // before an attempt to connect, doubled for each earlier one
const OVERLAP = 1_000; // of both WebSockets after a move: the new node stores the presence
const LONGEST_PAUSE = 15_000; // before an attempt; also the longest patience for a ping

export class Connection {
  /** @type {State} */
  state = "connecting";
  isStopped = false; // whether the server has stopped on purpose, until it accepts a connection
  /** @type {WebSocket | undefined} on which the server has answered `hello` */
  #socket;
  /** @type {WebSocket | undefined} on which it has not answered yet */
  #attempt;
  /** The address to use if the attempt, at another one, fails. @type {string | undefined} */
  #former;
  #attempts = 0;
  #unopened = 0; // attempts since the last WebSocket that opened
  #lastMessage = 0; // the time of the last message of the server
  /** @type {ReturnType<typeof setTimeout> | undefined} of a ping, an attempt or patience */
  #timer;
  #url;
  #owner;

  /**
   * Connect to the server, first at another of its addresses.
   * @param {string} url @param {string} first
   * @param {EventTarget | undefined} page @param {Owner} owner
   */
  constructor(url, first, page, owner) {
    this.#url = first;
    if (first !== url) this.#former = url;
    this.#owner = owner;
    for (const kind of ["pageshow", "visibilitychange", "online", "offline"]) {
      page?.addEventListener(kind, () => this.#check());
    }
    this.#connect();
  }

  /** Open a WebSocket in place of the current one, whose end the connection does not wait for. */
  replace() {
    this.#socket = discard(this.#socket);
    this.#connect();
  }

  /** Use another address from now on, unless the attempt fails. @param {string} url */
  move(url) {
    if (this.state !== "online" || url === this.#url) return;
    [this.#former, this.#url] = [this.#url, url];
    this.#connect();
  }

  /** Send `hello` on a WebSocket that has opened. @param {{[field: string]: any}} hello */
  greet(hello) {
    this.#attempt?.send(encode(hello));
  }

  /** Use the WebSocket on which the server has answered `hello`. */
  accept() {
    discard(this.#socket, this.#former && OVERLAP); // so that opponents see no absence
    this.#former = undefined;
    [this.#socket, this.#attempt] = [this.#attempt, undefined];
    this.isStopped = false;
    this.#setState("online");
  }

  /** Send a message, unless the WebSocket is not open. @param {{[field: string]: any}} message */
  send(message) {
    const socket = this.#socket;
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(encode(message));
  }

  /** Send a ping after the next silence. */
  watch() {
    const silence = this.#owner.isWaiting() ? SHORTEST_SILENCE : LONGEST_SILENCE;
    const part = this.#owner.findTimeLeft() / PARTS_OF_TIME;
    this.#setTimer(Math.max(Math.min(silence, part), SHORTEST_SILENCE), () => this.#ping());
  }

  /** Connect after a random growing pause, or `retryAfter` seconds. @param {number} [retryAfter] */
  reconnect(retryAfter) {
    this.#attempt = discard(this.#attempt);
    if (this.#former) {
      [this.#url, this.#former] = [this.#former, undefined];
      if (this.#socket) return this.watch(); // the move has failed
    }
    this.#setState("offline");
    if (this.#unopened > 0) this.#owner.reportUnopened(this.#unopened);
    const pause = this.#attempts && this.#extend(FIRST_PAUSE); // none before the first
    this.#attempts++;
    this.#setTimer(retryAfter === undefined ? pause : retryAfter * 1000, () => this.#connect());
  }

  /** Close the connection, until `replace`. */
  end() {
    clearTimeout(this.#timer);
    this.#socket = discard(this.#socket);
    this.#attempt = discard(this.#attempt);
    this.#setState("ended");
  }

  /** Open a WebSocket beside the current one, if there is one. */
  #connect() {
    this.#attempt = discard(this.#attempt);
    if (this.state !== "offline" && !this.#former) this.#setState("connecting");
    const socket = new WebSocket(this.#url, SUBPROTOCOLS);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#unopened = 0;
      this.#owner.sayHello();
    };
    socket.onmessage = ({ data }) => this.#receive(decode(new Uint8Array(data)), socket);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason, socket);
    this.#attempt = socket;
    this.#unopened++;
    this.#setTimer(CONNECT_PATIENCE, () => this.reconnect());
  }

  /** @param {any} message @param {WebSocket} socket */
  #receive(message, socket) {
    this.#lastMessage = Date.now();
    if (socket === this.#socket && !this.#former) {
      this.#attempt = discard(this.#attempt);
      this.#setState("online");
    }
    this.#owner.receive(message);
    if (socket === this.#socket) this.watch();
  }

  /** @param {number} code @param {string} reason @param {WebSocket} socket */
  #closed(code, reason, socket) {
    if (socket === this.#socket) this.#socket = undefined;
    this.isStopped ||= reason.startsWith("restarting");
    const retryAfter = /retry_after=([\d.]+)/.exec(reason)?.[1];
    if (retryAfter !== undefined) this.reconnect(Number(retryAfter));
    else if (["logged out", "banned"].includes(reason)) {
      this.#owner.refuse({ op: "error", code: reason.replace(" ", "_"), message: reason });
    } else if ([1002, 1007, 1009].includes(code) || reason === "too many bad frames") {
      const message = `the server closed the connection: ${code} ${reason}`;
      this.#owner.refuse({ op: "error", code: "bug", message });
    } else if (socket === this.#attempt || this.state === "online") this.reconnect();
  }

  /** Double a time for each attempt, and take up to half by chance. @param {number} milliseconds */
  #extend(milliseconds) {
    return Math.min(LONGEST_PAUSE, milliseconds * 2 ** this.#attempts) * (0.5 + Math.random() / 2);
  }

  /** Check the connection, because the page is visible again or the network has changed. */
  #check() {
    const silence = Date.now() - this.#lastMessage;
    if (this.state === "offline") this.#connect();
    else if (this.state !== "online") return;
    else if (silence > LONGEST_SILENCE + 2 * PROMPT) this.replace(); // the page was suspended
    else this.#ping();
  }

  /** Send a ping, and begin an attempt if nothing arrives. */
  #ping() {
    const sent = Date.now();
    this.#owner.ping().then(() => {
      if (Date.now() - sent < PROMPT) this.#attempts = 0;
    }, () => {}); // a refusal proves no less that the connection works
    this.#setTimer(this.#extend(2 * PROMPT), () => this.reconnect());
  }

  /** @param {number} milliseconds @param {() => void} action */
  #setTimer(milliseconds, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, milliseconds);
  }

  /** @param {State} state */
  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.#owner.changeState(state);
  }
}

/**
 * Ignore what a socket still reports, and close it, now or after `delay` milliseconds.
 * @param {WebSocket} [socket] @param {number | ""} [delay]
 * @returns {undefined}
 */
function discard(socket, delay) {
  if (!socket) return;
  socket.onopen = socket.onmessage = socket.onclose = null;
  if (delay) setTimeout(() => socket.close(1000), delay);
  else socket.close(1000);
}

// Unanswered requests: sent, repeated, deferred and refused.

/**
 * @typedef {object} Pending An unanswered request.
 * @property {Message} message
 * @property {boolean} [repeated] Whether it was repeated after the error `internal`.
 * @property {boolean} [deferred] Whether it waits for the rows of its match: its position may be
 *     undone.
 * @property {(answer: Message) => void} resolve
 * @property {(error: Error) => void} reject
 *
 * @typedef {object} Asker The session of the requests.
 * @property {(message: Message) => void} send Send a message, unless the connection is not open.
 * @property {(op: string, retryAfter: number) => void} reportWaiting A request is repeated later.
 * @property {(code: string) => void} readAgain Read all rows of a match again.
 */

const LONGEST_WAIT = 10; // seconds until a request is repeated; otherwise it is refused
const REPEATED = ["rate_limited", "storage_failed", "restarting"];
/** Requests of a position of a match. */
export const VERSIONED = ["secret", "guess", "advise", "resign"];

/** A refused request. `message` is in English: explain.js has the player's language. */
export class Refusal extends Error {
  /**
   * @param {{code: string, message: string, details?: {reason?: string, [name: string]: unknown},
   *     retry_after?: number, limit?: unknown, field?: string}} error as the server sends it
   */
  constructor({ code, message, details: { reason, ...values } = {}, retry_after, limit, field }) {
    super(message);
    this.code = code;
    this.reason = reason;
    /** @type {Values} */
    this.values = { limit, retry_after: retry_after && Math.ceil(retry_after), ...values };
    this.retryAfter = retry_after;
    this.field = field;
  }
}

export class Requests {
  /** @type {Map<number, Pending>} by id, in the order in which they were sent */
  #pending = new Map();
  #nextId = randomId();
  #owner;

  /** @param {Asker} owner */
  constructor(owner) {
    this.#owner = owner;
  }

  get size() {
    return this.#pending.size;
  }

  /** Return the id of another request. */
  makeId() {
    return this.#nextId++;
  }

  /** Send a request, or send it again. @param {Pending} pending */
  add(pending) {
    this.#pending.set(pending.message.id ?? 0, pending);
    this.#transmit(pending);
  }

  /** Remove and return the request that a message answers, if any. @param {number} [id] */
  take(id = 0) {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** Remove and return all requests. */
  takeAll() {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    return all;
  }

  /**
   * Send the deferred moves of a match, or reject them if their position is undone: the match may
   * have their version again in another position.
   * @param {string} code @param {boolean} [undone]
   */
  release(code, undone = false) {
    for (const pending of [...this.#pending.values()]) {
      const { message, deferred } = pending;
      if (!deferred || message.match !== code) continue;
      pending.deferred = false;
      const undoing = { code: "stale_version", message: "the position is undone" };
      if (undone) this.refuse(message.id, new Refusal(undoing));
      else this.#transmit(pending);
    }
  }

  /**
   * Reject the request with an id, by default the oldest one, or repeat it if the refusal says so.
   * @param {number | undefined} id @param {Refusal} refusal
   */
  refuse(id, refusal) {
    const pending = id === undefined ? [...this.#pending.values()][0] : this.#pending.get(id);
    if (!pending) return;
    const { message } = pending;
    const { code, field, retryAfter = 1 } = refusal;
    if (REPEATED.includes(code) && retryAfter <= LONGEST_WAIT) {
      this.#owner.reportWaiting(message.op, retryAfter);
      const repeat = () => this.#pending.has(message.id ?? 0) && this.#transmit(pending);
      setTimeout(repeat, retryAfter * 1000);
    } else if (code === "internal" && !pending.repeated) {
      pending.repeated = true;
      this.#transmit(pending);
    } else {
      this.take(message.id);
      const isStale = code === "stale_version" && message.op === "follow";
      if (isStale) this.#owner.readAgain(message.match);
      if (isStale || (code === "invalid_message" && field === "id")) {
        const again = { ...message, ...(isStale && { v: 0 }), id: this.makeId() };
        this.add({ ...pending, message: again });
      } else pending.reject(refusal);
    }
  }

  /** @param {Pending} pending */
  #transmit({ message, deferred }) {
    // While the line closes, the request waits for the next one, like those that are sent.
    if (!deferred) this.#owner.send(message);
  }
}

/** Return a random id of 50 bits: ids are unique for each player, over all connections. */
function randomId() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 18) * 2 ** 32 + low + 1;
}
