// The session: one player on one server, over one WebSocket that is replaced when it is lost.

import { Refusal, evolve, refuse, roundNumber } from "./game.js";
import { decode, encode } from "./msgpack.js";

/**
 * @typedef {import("./game.js").Match} Match
 * @typedef {import("./game.js").Row} Row
 * @typedef {{op: string, id?: number, [field: string]: any}} Message
 * @typedef {{room: string, n: number, by: string, name: string, text?: string, phrase?: number}} ChatLine
 *
 * @typedef {object} Followed A match and the server's news of it.
 * @property {Match | undefined} match Undefined until the first row.
 * @property {number} version The version of the last folded row.
 * @property {boolean} subscribed Whether the match is followed again after a reconnect.
 * @property {string[]} present The ids of the seated people who follow the match.
 * @property {{[player: string]: number}} absent The time in milliseconds since 1970 at which each
 *     other seated person disconnected.
 * @property {number} spectators
 * @property {ChatLine[]} chat
 * @property {Message} [advice] The advice for the next guess.
 * @property {Error} [error] The match cannot be shown: its rules are unknown, or an event cannot follow.
 *
 * @typedef {{message: Message, repeated: boolean, resolve: (answer: Message) => void, reject: (error: Error) => void}} Pending
 * @typedef {{fields: {name?: string, transfer?: string}, resolve: () => void, reject: (error: Error) => void}} Identification
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 */

const SUBPROTOCOL = "mastermind.v1";
const PING_INTERVAL = 15_000;
const PATIENCE = 5_000; // for the answer to a ping
const CONNECT_PATIENCE = 10_000; // from the start of a connection until `welcome`
const LONGEST_PAUSE = 30; // seconds between attempts
const LONGEST_WAIT = 10; // seconds: a request that must wait longer is refused
const RETRIED = ["rate_limited", "storage_failed", "restarting"];
const OUR_BUGS = [1007, 1009]; // and 1002, 1008 "too many bad frames"

/** Return the localStorage of the page, or undefined where the browser blocks it. */
export function findStorage() {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

export class Session {
  /** @type {"connecting" | "online" | "offline" | "ended"} */
  state = "connecting";
  /** @type {import("./game.js").Player | undefined} */
  player;
  /** @type {Message | undefined} */
  terms;
  /** @type {Map<string, Followed>} */
  matches = new Map();
  /** Whether the token is kept only by this tab, because the storage is blocked. */
  isGuest = false;
  /** @type {Refusal | undefined} Why the session ended: logged_out, banned, or an error of the page. */
  ending;

  /** @type {Map<number, Pending>} unanswered requests, in the order in which they were sent */
  #pending = new Map();
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {Identification | undefined} */
  #identification;
  /** @type {string | null} the token of this tab */
  #token = null;
  #helloId = 0;
  #attempts = 0;
  #nextId;
  /** @type {ReturnType<typeof setTimeout> | undefined} the next ping, attempt, or end of patience */
  #timer;
  #url;
  #key;
  #storage;
  #onChange;

  /**
   * Connect to the server, and reconnect whenever the connection is lost.
   *
   * `onChange(kind, data)` is called after each change: "state", "match" {code, events, live} (`live`
   * is false for rows of a `log`), "presence", "spectators", "chat", "advice", "lost" {code, refusal},
   * "announcement" {text, match}, "player" and "waiting" {op, retryAfter}.
   * @param {object} options
   * @param {string} options.url
   * @param {TokenStorage} [options.storage] absent: this tab is a guest
   * @param {(kind: string, data: any) => void} options.onChange
   * @param {EventTarget} [options.page] reports `pageshow`, `visibilitychange`, `online` and `storage`
   */
  constructor({ url, storage, onChange, page = globalThis.window }) {
    this.#url = url;
    this.#key = `mastermind.token ${url}`;
    this.#storage = storage;
    this.#onChange = onChange;
    const [high, low] = crypto.getRandomValues(new Uint32Array(2));
    this.#nextId = (high % 2 ** 18) * 2 ** 32 + low + 1;
    this.#readToken();
    for (const kind of ["pageshow", "visibilitychange", "online", "offline"]) {
      page?.addEventListener(kind, () => this.#check());
    }
    page?.addEventListener("storage", () => this.#adoptToken());
    this.#connect();
  }

  /**
   * Send a request. Resolves to its answer, also if the connection is lost meanwhile; for a `log` in
   * parts after the last one. Rejects with a `Refusal`.
   * @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  request(op, fields = {}) {
    if (this.ending) return Promise.reject(this.ending);
    return new Promise((resolve, reject) => {
      this.#add({ message: { ...fields, op, id: this.#nextId++ }, repeated: false, resolve, reject });
    });
  }

  /** Follow a match from the known version. @param {string} code */
  async follow(code) {
    const known = this.matches.get(code);
    if (known) known.subscribed = true;
    await this.request("follow", { match: code, v: known?.version ?? 0 });
    return /** @type {Followed} */ (this.matches.get(code));
  }

  /** Stop following a match, and forget it. @param {string} code */
  async unfollow(code) {
    this.matches.delete(code);
    await this.request("unfollow", { match: code });
  }

  /**
   * Send a request of a followed match: `secret`, `guess`, `advise`, `resign`, `leave`, `rematch` or
   * `say`. After `stale_version` the request is sent again if the same move is still due.
   * @param {string} code @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  async perform(code, op, fields = {}) {
    const send = () => {
      const v = this.matches.get(code)?.version ?? 0;
      const versioned = ["secret", "guess", "advise", "resign"].includes(op);
      return this.request(op, { match: code, ...(versioned ? { v } : {}), ...fields });
    };
    const before = this.#describeMove(code);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof Refusal) || !["stale_version", "not_followed"].includes(error.code)) throw error;
      const { match } = await this.follow(code);
      const due = match && this.#describeMove(code) === before && !refuse(match, { op, ...fields }, this.player?.id);
      if (error.code === "stale_version" && !due) throw error;
      return send();
    }
  }

  /** Change the player's name. @param {string} name */
  rename(name) {
    return this.#identify({ name });
  }

  /** Become the player of a transfer code. @param {string} transfer */
  useTransfer(transfer) {
    return this.#identify({ transfer });
  }

  /** End the session without a reconnect. */
  close() {
    this.#end(new Refusal("closed", "the session is closed"));
  }

  /** @param {Identification["fields"]} fields @returns {Promise<void>} */
  #identify(fields) {
    return new Promise((resolve, reject) => {
      this.#identification?.reject(new Refusal("closed", "replaced by a later request"));
      this.#identification = { fields, resolve, reject };
      this.ending = undefined;
      this.#connect();
    });
  }

  /** The round and the number of guesses, which decide whether a move is still meant. @param {string} code */
  #describeMove(code) {
    const match = this.matches.get(code)?.match;
    return match && `${match.phase} ${roundNumber(match)} ${match.current?.turns.length}`;
  }

  // ---- The token

  #readToken() {
    try {
      if (this.#storage) {
        this.#token = this.#storage.getItem(this.#key);
        return;
      }
    } catch {
      // The storage is blocked: the token of this tab stays.
    }
    this.isGuest = true;
  }

  /** @param {string | null} token */
  #writeToken(token) {
    this.#token = token;
    try {
      if (token === null) this.#storage?.removeItem(this.#key);
      else this.#storage?.setItem(this.#key, token);
    } catch {
      this.isGuest = true;
    }
  }

  /** Become the player whose token another tab has stored. Returns whether there is one. */
  #adoptToken() {
    const own = this.#token;
    this.#readToken();
    if (this.#token !== null && this.#token !== own) {
      this.#connect();
      return true;
    }
    this.#token = own;
    return false;
  }

  // ---- The connection

  /** Replace the socket, without waiting for the old one to close. */
  #connect() {
    this.#drop();
    const socket = new WebSocket(this.#url, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#sayHello();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#socket = socket;
    this.#setTimer(CONNECT_PATIENCE, () => this.#reconnect());
  }

  #drop() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
    this.#socket = undefined;
  }

  /** @param {number} milliseconds @param {() => void} action */
  #setTimer(milliseconds, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, milliseconds);
  }

  /**
   * Connect after a pause: `retryAfter` seconds, or random and growing with each attempt.
   * @param {number} [retryAfter]
   */
  #reconnect(retryAfter) {
    this.#drop();
    this.#setState("offline");
    const longest = Math.min(LONGEST_PAUSE, 2 ** this.#attempts / 2);
    const pause = retryAfter ?? (this.#attempts === 0 ? 0 : longest * (0.5 + Math.random() / 2));
    this.#attempts++;
    this.#setTimer(pause * 1000, () => this.#connect());
  }

  /** Check the connection now: the page is back, or the network has changed. */
  #check() {
    if (this.state === "offline") this.#connect();
    else if (this.state === "online") this.#ping();
  }

  #ping() {
    this.#setTimer(PATIENCE, () => this.#reconnect());
    const resolve = () => this.#setTimer(PING_INTERVAL, () => this.#ping());
    this.#add({ message: { op: "ping", id: this.#nextId++ }, repeated: false, resolve, reject: resolve });
  }

  /** @param {number} code @param {string} reason */
  #closed(code, reason) {
    const retryAfter = /retry_after=([\d.]+)/.exec(reason)?.[1];
    const refused = code === 1008 && ["logged out", "banned"].includes(reason);
    const bug = OUR_BUGS.includes(code) || (code === 1002 && !retryAfter) || reason === "too many bad frames";
    if (refused) this.#end(new Refusal(reason.replace(" ", "_"), reason));
    else if (bug) this.#end(new Refusal("bug", `the server closed the connection: ${code} ${reason}`));
    else this.#reconnect(retryAfter === undefined ? undefined : Number(retryAfter));
  }

  /** @param {Refusal} refusal */
  #end(refusal) {
    this.#drop();
    this.ending = refusal;
    this.#identification?.reject(refusal);
    this.#identification = undefined;
    for (const { reject } of this.#pending.values()) reject(refusal);
    this.#pending.clear();
    this.#setState("ended");
  }

  /** @param {Session["state"]} state */
  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.#onChange("state", state);
  }

  // ---- Requests and answers

  /** @param {Message} message */
  #transmit(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(encode(message));
  }

  /** @param {Pending} pending */
  #add(pending) {
    this.#pending.set(/** @type {number} */ (pending.message.id), pending);
    if (this.state === "online") this.#transmit(pending.message);
  }

  #sayHello() {
    this.#helloId = this.#nextId++;
    const fields = this.#identification?.fields ?? {};
    const token = fields.transfer ? undefined : (this.#token ?? undefined);
    this.#transmit({ op: "hello", id: this.#helloId, token, ...fields });
  }

  /** @param {ArrayBuffer} data */
  #receive(data) {
    const message = /** @type {Message} */ (decode(new Uint8Array(data)));
    if (message.id === this.#helloId) this.#identified(message);
    else if (message.op === "error") this.#refused(message);
    else if (this.state === "online") {
      this.#handle(message);
      this.#answer(message);
    }
  }

  /** Handle the answer to `hello`. @param {Message} message */
  #identified(message) {
    if (message.op === "error") {
      this.#refusedHello(message);
      return;
    }
    // Another tab may have created a player since this one said hello: both become that player.
    if (message.token && !this.#identification?.fields.transfer && this.#adoptToken()) return;
    if (message.token) this.#writeToken(message.token);
    const isOther = this.player !== undefined && this.player.id !== message.player.id;
    this.player = message.player;
    this.terms = message.terms ?? this.terms;
    this.#attempts = 0;
    const unanswered = [...this.#pending.values()].filter(({ message: { op } }) => op !== "ping");
    this.#pending.clear();
    this.#setState("online");
    for (const [code, known] of this.matches) {
      if (isOther) Object.assign(known, { match: undefined, version: 0, advice: undefined });
      if (known.subscribed) this.follow(code).catch((refusal) => this.#lose(code, refusal));
    }
    for (const pending of unanswered) this.#add(pending);
    this.#ping();
    this.#identification?.resolve();
    this.#identification = undefined;
    this.#onChange("player", this.player);
  }

  /** @param {Message} message */
  #refusedHello(message) {
    const refusal = makeRefusal(message);
    if (message.code === "unknown_token") {
      this.#writeToken(null);
      this.#sayHello();
    } else if (["unknown_transfer", "invalid_name", "invalid_message", "too_many"].includes(message.code) && this.#identification) {
      this.#identification.reject(refusal);
      this.#identification = undefined;
      this.#sayHello();
    } else if (message.code === "banned") this.#end(refusal);
    else this.#reconnect(refusal.retryAfter);
  }

  /** Stop following a match that the server refuses. @param {string} code @param {Refusal} refusal */
  #lose(code, refusal) {
    if (this.ending) return;
    this.matches.delete(code);
    this.#onChange("lost", { code, refusal });
  }

  /** Resolve the request that `message` answers. @param {Message} message */
  #answer(message) {
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (!pending) return;
    this.#pending.delete(/** @type {number} */ (message.id));
    const { resolve, reject } = pending;
    if (message.op === "log" && message.more) this.follow(message.match).then(() => resolve(message), reject);
    else resolve(message);
  }

  /** Handle an error: an error without an id answers the oldest request. @param {Message} message */
  #refused(message) {
    const refusal = makeRefusal(message);
    if (message.code === "logged_out") {
      if (this.#token !== null && !this.#adoptToken()) this.#writeToken(null);
      else return;
    }
    if (message.code === "logged_out" || (message.code === "banned" && message.id === undefined)) {
      this.#end(refusal);
      return;
    }
    if (message.code === "too_many" && message.id === undefined) return; // the server closes with 1013
    const id = message.id ?? this.#pending.keys().next().value ?? 0;
    const pending = this.#pending.get(id);
    if (!pending) return;
    const { op } = pending.message;
    const wait = refusal.retryAfter ?? 1;
    if (op === "follow" && message.code === "stale_version") {
      this.#pending.delete(id);
      const known = this.matches.get(pending.message.match);
      if (known) Object.assign(known, { match: undefined, version: 0, chat: [], advice: undefined });
      this.#add({ ...pending, message: { ...pending.message, v: 0, id: this.#nextId++ } });
    } else if (message.code === "invalid_message" && message.field === "id") {
      this.#pending.delete(id);
      this.#add({ ...pending, message: { ...pending.message, id: this.#nextId++ } });
    } else if (RETRIED.includes(message.code) && wait <= LONGEST_WAIT) {
      this.#onChange("waiting", { op, retryAfter: wait });
      setTimeout(() => this.#pending.get(id) === pending && this.state === "online" && this.#transmit(pending.message), wait * 1000);
    } else if (message.code === "internal" && !pending.repeated) {
      pending.repeated = true;
      this.#transmit(pending.message);
    } else {
      this.#pending.delete(id);
      pending.reject(refusal);
    }
  }

  // ---- Messages of matches

  /** @param {Message} message */
  #handle(message) {
    const { op, match: code } = message;
    if (op === "log" && !this.matches.has(code)) {
      this.matches.set(code, { match: undefined, version: 0, subscribed: true, present: [], absent: {}, spectators: 0, chat: [] });
    }
    if (op === "announcement") this.#onChange("announcement", { text: message.text, match: code });
    const known = this.matches.get(code);
    if (!known) return;
    switch (op) {
      case "log":
        if (!message.more) {
          known.subscribed = true;
          known.present = message.present ?? [];
          known.absent = Object.fromEntries((message.absent ?? []).map((/** @type {any} */ { player, seconds }) => [player, Date.now() - seconds * 1000]));
          known.spectators = message.spectators ?? 0;
        }
        this.#addRows(code, known, message.rows, false);
        break;
      case "event":
        this.#addRows(code, known, [[message.v, message.events]], true);
        if (message.events[0].event === "left" && message.events[0].player === this.player?.id) known.subscribed = false;
        break;
      case "presence":
        known.present = known.present.filter((player) => player !== message.player);
        delete known.absent[message.player];
        if (message.here) known.present.push(message.player);
        else known.absent[message.player] = Date.now();
        this.#onChange("presence", { code, player: message.player, here: message.here });
        break;
      case "spectators":
        known.spectators = message.count;
        this.#onChange("spectators", { code, count: message.count });
        break;
      case "said":
      case "chat": {
        /** @type {ChatLine[]} */
        const all = message.lines ?? [message.line];
        const lines = all.filter((line) => !known.chat.some(({ room, n }) => room === line.room && n === line.n));
        known.chat.push(...lines);
        if (lines.length > 0) this.#onChange("chat", { code, lines, live: op === "said" });
        break;
      }
      case "advice":
        if (message.guess === (known.match?.current?.turns.length ?? -1) + 1) known.advice = message;
        this.#onChange("advice", { code, advice: message });
    }
  }

  /** Fold new rows, skip known rows, and follow the match where rows are missing. @param {string} code @param {Followed} known @param {Row[]} rows @param {boolean} live */
  #addRows(code, known, rows, live) {
    const events = [];
    for (const [version, added] of rows) {
      if (known.error || version <= known.version) continue;
      if (version > known.version + 1) {
        this.follow(code).catch((refusal) => this.#lose(code, refusal));
        break;
      }
      try {
        known.match = added.reduce(evolve, known.match);
      } catch (error) {
        known.error = /** @type {Error} */ (error);
        break;
      }
      known.version = version;
      events.push(...added);
    }
    if (events.some(({ event }) => event === "guessed" || event === "round_ended")) known.advice = undefined;
    this.#onChange("match", { code, events, live });
  }
}

/** @param {Message} message */
function makeRefusal({ code, message, details, retry_after: retryAfter, limit, field }) {
  const { reason, ...others } = details ?? {};
  return new Refusal(code, message, { reason, values: { limit, retry_after: retryAfter, ...others }, retryAfter, limit, field });
}
