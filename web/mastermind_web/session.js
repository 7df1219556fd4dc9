// The session: one player on one server, over one WebSocket that is replaced when it is lost.

import { decode, encode } from "./connection/msgpack.js";
import { Refusal } from "./connection/refusals.js";
import { fold, isAllowed } from "./game/fold.js";
import { roundNumber, seatOf } from "./game/rules.js";

/**
 * @import {Event, Match, Player, Row} from "./types.js"
 *
 * @typedef {{op: string, id?: number, [field: string]: any}} Message
 * @typedef {{room: string, n: number, by: string, name: string, text?: string, phrase?: number}}
 *     ChatLine
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 *
 * @typedef {object} Followed A match as the server has reported it.
 * @property {Match} [match] Absent until the first row.
 * @property {number} version The version of the last folded row.
 * @property {Row[]} [again] The rows that have arrived while the session reads all of them again,
 *     to compare them.
 * @property {number} start The time of the first row by `performance.now()`, as estimated from the
 *     message that arrived fastest. Infinity before the first message.
 * @property {number} restorations The number of times that the server has undone rows.
 * @property {boolean} subscribed Whether the session follows the match again after a reconnect.
 * @property {string[]} present The ids of the seated people who follow the match.
 * @property {number} spectators
 * @property {ChatLine[]} chat
 * @property {Message} [advice] The advice for the next guess.
 * @property {Error} [error] The page cannot show the match: its rules are unknown, or an event
 *     cannot follow.
 *
 * @typedef {{code: string, events: Event[], undone: boolean}} Change New events of a match.
 *     `undone`: the server has gone back to an earlier state, so rows are undone.
 *
 * @typedef {object} Changes The changes that a session reports, by their kinds.
 * @property {Session["state"]} state
 * @property {Player} player
 * @property {undefined} forgotten The server does not know the token's player.
 * @property {{attempts: number}} unopened No WebSocket has opened in so many attempts.
 * @property {{op: string, retryAfter: number}} waiting The session repeats a request later.
 * @property {Message} announcement
 * @property {Message} challenged
 * @property {Message} challenge_ended
 * @property {{code: string, refusal: Refusal}} lost The session cannot follow a match again.
 * @property {Change} match
 * @property {{code: string}} presence
 * @property {{code: string}} spectators
 * @property {{code: string}} chat
 * @property {{code: string}} advice
 *
 * @typedef {object} Pending An unanswered request.
 * @property {Message} message
 * @property {boolean} [repeated] Whether it was repeated after the error `internal`.
 * @property {boolean} [deferred] Whether it waits for the rows of its match: its position may be
 *     undone.
 * @property {(answer: Message) => void} resolve
 * @property {(error: Error) => void} reject
 *
 * @typedef {{id: string, name: string, token: string}} Former A player that this device was before.
 *
 * @typedef {object} Identification A call of `identify` without an answer.
 * @property {{name?: string, transfer?: string, token?: string}} fields
 * @property {() => void} resolve
 * @property {(error: Error) => void} reject
 */

const SUBPROTOCOLS = ["mastermind.v2", "mastermind.v1"]; // the second has no clocks
// In milliseconds:
const LONGEST_SILENCE = 15_000; // until a ping: each wakes the radio of a phone
const SHORTEST_SILENCE = 1_000; // until a ping: most requests are answered sooner
const PARTS_OF_TIME = 4; // while a clock runs, one part of the time left passes until a ping
const PROMPT = 2_000; // for the answer to a ping: enough for a slow phone
const CONNECT_PATIENCE = 10_000; // from the start of a connection to its welcome
const FIRST_PAUSE = 500; // before an attempt to connect, doubled for each earlier one
const LONGEST_PAUSE = 15_000; // before an attempt; also the longest patience for a ping
const LONGEST_WAIT = 10; // seconds until a request is repeated; otherwise it is refused
const REPEATED = ["rate_limited", "storage_failed", "restarting"];
const MOST_FORMER = 5; // players that a device keeps, for one page of names
const VERSIONED = ["secret", "guess", "advise", "resign"];

/**
 * Return a storage of the page, or undefined where the browser blocks it. Its methods may throw
 * too.
 * @param {"localStorage" | "sessionStorage"} kind
 */
export function findStorage(kind) {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}

/**
 * Return the result of `action`, or undefined where the browser blocks the storage: then it calls
 * `onBlocked`.
 * @template T
 * @param {TokenStorage | undefined} storage @param {(storage: TokenStorage) => T} action
 * @param {() => void} [onBlocked]
 */
export function useStorage(storage, action, onBlocked) {
  try {
    return storage && action(storage);
  } catch {
    onBlocked?.();
    return undefined;
  }
}

export class Session {
  /**
   * "connecting": before the first `welcome`, and while the session replaces the connection.
   * "offline": the connection is lost or silent, and the session tries another one. "ended": it
   * does not.
   * @type {"connecting" | "online" | "offline" | "ended"}
   */
  state = "connecting";
  /** @type {Player | undefined} */
  player;
  /** @type {Message | undefined} */
  terms;
  /** @type {Map<string, Followed>} */
  matches = new Map();
  /** Whether only this tab keeps the token, because the browser blocks its storage. */
  isGuest = false;
  /**
   * The players that this device was before it became another one by a transfer code, newest first.
   * @type {Former[]}
   */
  former = [];
  /** Why the session ended: logged_out, banned, closed or bug. @type {Refusal | undefined} */
  ending;

  /** @type {Map<number, Pending>} by id, in the order in which they were sent */
  #pending = new Map();
  /** @type {WebSocket | undefined} on which the server has answered `hello` */
  #socket;
  /** @type {WebSocket | undefined} on which it has not answered yet */
  #attempt;
  /** @type {Identification | undefined} */
  #identification;
  /** @type {string | undefined} */
  #token;
  /** @type {string | undefined} of the server's store */
  #epoch;
  #attempts = 0;
  #unopened = 0; // attempts since the last WebSocket that opened
  #lastMessage = 0; // the time of the last message of the server
  #nextId = randomId();
  /** @type {ReturnType<typeof setTimeout> | undefined} of a ping, an attempt or patience */
  #timer;
  #url;
  #key;
  #formerKey;
  #storage;
  #onChange;

  /**
   * Connect to the server, and reconnect when the connection is lost.
   *
   * The session calls `onChange` after each change.
   * @param {object} options
   * @param {string} options.url
   * @param {TokenStorage} [options.storage] Absent: the player is a guest of this tab.
   * @param {<Kind extends keyof Changes>(kind: Kind, data: Changes[Kind]) => void} options.onChange
   * @param {EventTarget} [options.page]
   */
  constructor({ url, storage, onChange, page = globalThis.window }) {
    this.#url = url;
    this.#key = `mastermind.token ${url}`;
    this.#formerKey = `mastermind.former ${url}`;
    this.#storage = storage;
    this.#onChange = onChange;
    this.isGuest = storage === undefined;
    this.#token = this.#readToken();
    this.former = this.#useStorage((kept) => (
      JSON.parse(kept.getItem(this.#formerKey) ?? "[]")
    )) ?? [];
    for (const kind of ["pageshow", "visibilitychange", "online", "offline"]) {
      page?.addEventListener(kind, () => this.#checkConnection());
    }
    page?.addEventListener("storage", () => this.#adoptToken());
    this.#connect();
  }

  /**
   * Send a request, now or when the session is online. It is sent again after a reconnect.
   *
   * Resolves to the answer, after the last part of a `log` in parts. Rejects with a Refusal.
   * @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  request(op, fields = {}) {
    if (this.ending) return Promise.reject(this.ending);
    return new Promise((resolve, reject) => {
      this.#add({ message: { op, ...fields, id: this.#nextId++ }, resolve, reject });
    });
  }

  /** Follow a match, from the version that the session has. @param {string} code */
  async follow(code) {
    const { again, version = 0 } = this.matches.get(code) ?? {};
    await this.request("follow", { match: code, v: again?.length ?? version });
    return /** @type {Followed} */ (this.matches.get(code));
  }

  /**
   * Return the time that the player to move still has in a match, in milliseconds, or undefined if
   * no clock runs.
   * @param {string} code
   */
  timeLeft(code) {
    const { match, start = Infinity } = this.matches.get(code) ?? {};
    if (!match?.timer) return undefined;
    const at = Math.max(match.at, performance.now() - start);
    return Math.max(0, match.timer.since + match.timer.left - at);
  }

  /** Stop following a match, and forget it. @param {string} code */
  async unfollow(code) {
    this.matches.delete(code);
    this.#release(code);
    await this.request("unfollow", { match: code });
  }

  /**
   * Send a request of a followed match, such as `guess`, with its match code and version. A request
   * with a stale version is sent again if only advice came between.
   * @param {string} code @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  async perform(code, op, fields = {}) {
    const send = () => {
      const v = VERSIONED.includes(op) ? (this.matches.get(code)?.version ?? 0) : undefined;
      return this.request(op, { match: code, v, ...fields });
    };
    const turn = () => {
      const { match, restorations } = this.matches.get(code) ?? {};
      const guesses = match?.current?.turns.length;
      return match && `${restorations} ${match.phase} ${roundNumber(match)} ${guesses}`;
    };
    const before = turn();
    try {
      const answer = await send();
      if (op === "secret" && String(answer.events[0].code) !== String(fields.code)) {
        throw new Error("the server has set another secret");
      }
      return answer;
    } catch (error) {
      const problem = error instanceof Refusal ? error.code : "";
      if (!["stale_version", "not_followed"].includes(problem)) throw error;
      const { match } = await this.follow(code);
      const isSame = turn() === before;
      const due = match && isSame && isAllowed(match, { op, ...fields }, this.player?.id);
      if (problem === "stale_version" && !due) throw error;
      return send();
    }
  }

  /**
   * Say hello again, on a new connection: with a new name, with a transfer code or the token of a
   * former player to become that player, or with none to start an ended session again. Rejects with
   * a Refusal.
   * @param {Identification["fields"]} [fields]
   * @returns {Promise<void>}
   */
  identify(fields = {}) {
    return new Promise((resolve, reject) => {
      this.#identification?.reject(new Refusal({ code: "closed", message: "closed" }));
      this.#identification = { fields, resolve, reject };
      this.ending = undefined;
      this.#replace();
    });
  }

  // The token

  /**
   * Return the result of `action`, or undefined where the browser blocks the storage: then the
   * player is a guest of this tab.
   * @template T @param {(storage: TokenStorage) => T} action
   */
  #useStorage(action) {
    return useStorage(this.#storage, action, () => (this.isGuest = true));
  }

  #readToken() {
    return this.#useStorage((storage) => storage.getItem(this.#key)) ?? undefined;
  }

  /** @param {string | undefined} token */
  #writeToken(token) {
    this.#token = token;
    this.#useStorage((storage) => {
      if (token === undefined) storage.removeItem(this.#key);
      else storage.setItem(this.#key, token);
    });
  }

  /** Replace the former players. @param {Former[]} former */
  #writeFormer(former) {
    this.former = former.slice(0, MOST_FORMER);
    this.#useStorage((storage) => storage.setItem(this.#formerKey, JSON.stringify(this.former)));
  }

  /**
   * Keep the present player, which another one replaces, and forget that one.
   * @param {string} id the other's
   */
  #keepFormer(id) {
    const { player, former } = this;
    const token = this.#token;
    const isKept = player && token && player.id !== id;
    const kept = isKept ? [{ id: player.id, name: player.name, token }] : [];
    this.#writeFormer([...kept, ...former.filter((each) => ![id, player?.id].includes(each.id))]);
  }

  /** Reconnect with the token that another tab has stored, if any. Returns whether there is one. */
  #adoptToken() {
    const stored = this.#readToken();
    if (stored === undefined || stored === this.#token) return false;
    this.#token = stored;
    this.#replace();
    return true;
  }

  // The connection
  //
  // Only a message proves that a connection works: browsers report lost packets after minutes. So
  // the session sends a ping after a silence: of a second while a request is unanswered, of a
  // quarter of the time left while a clock runs in a match with a seat, at most of 15 seconds. If
  // the silence continues for 2 to 4 seconds, the state is "offline", and the session attempts to
  // open another connection. It keeps and uses the old one until the server answers `hello` on the
  // new one, where it repeats its requests. If a message arrives on the old one first, the server
  // was only slow: the attempt ends.
  //
  // The server answers in order, so a ping after a slow request is answered late too. Therefore
  // each attempt doubles the next patience and pause, until a ping is answered promptly.

  /** Open a connection in place of the current one, whose end the session does not wait for. */
  #replace() {
    this.#socket = discard(this.#socket);
    this.#connect();
  }

  /** Open a connection beside the current one, if there is one. */
  #connect() {
    this.#attempt = discard(this.#attempt);
    if (this.state !== "offline") this.#setState("connecting");
    const socket = new WebSocket(this.#url, SUBPROTOCOLS);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#unopened = 0;
      this.#sayHello();
    };
    socket.onmessage = ({ data }) => this.#receive(decode(new Uint8Array(data)), socket);
    socket.onclose = ({ code, reason }) => this.#closed(code, reason, socket);
    this.#attempt = socket;
    this.#unopened++;
    this.#setTimer(CONNECT_PATIENCE, () => this.#reconnect());
  }

  /** Connect after a random growing pause, or `retryAfter` seconds. @param {number} [retryAfter] */
  #reconnect(retryAfter) {
    this.#attempt = discard(this.#attempt);
    this.#setState("offline");
    if (this.#unopened > 0) this.#onChange("unopened", { attempts: this.#unopened });
    const pause = this.#attempts && this.#extend(FIRST_PAUSE); // none before the first
    this.#attempts++;
    this.#setTimer(retryAfter === undefined ? pause : retryAfter * 1000, () => this.#connect());
  }

  /** Double a time for each attempt, and take up to half by chance. @param {number} milliseconds */
  #extend(milliseconds) {
    return Math.min(LONGEST_PAUSE, milliseconds * 2 ** this.#attempts) * (0.5 + Math.random() / 2);
  }

  /** Check the connection, because the page is visible again or the network has changed. */
  #checkConnection() {
    const silence = Date.now() - this.#lastMessage;
    if (this.state === "offline") this.#connect();
    else if (this.state !== "online") return;
    else if (silence > LONGEST_SILENCE + 2 * PROMPT) this.#replace(); // the page was suspended
    else this.#ping();
  }

  /** Send a ping after the next silence. */
  #watch() {
    let silence = this.#pending.size > 0 ? SHORTEST_SILENCE : LONGEST_SILENCE;
    for (const [code, { match }] of this.matches) {
      const left = this.timeLeft(code) ?? Infinity;
      const isPlaying = match && seatOf(match, this.player?.id);
      if (isPlaying) silence = Math.min(silence, left / PARTS_OF_TIME);
    }
    this.#setTimer(Math.max(silence, SHORTEST_SILENCE), () => this.#ping());
  }

  /** Send a ping, and begin an attempt if nothing arrives. */
  #ping() {
    const sent = Date.now();
    this.request("ping").then(() => {
      if (Date.now() - sent < PROMPT) this.#attempts = 0;
    }, () => {}); // a refusal proves no less that the connection works
    this.#setTimer(this.#extend(2 * PROMPT), () => this.#reconnect());
  }

  /** @param {number} milliseconds @param {() => void} action */
  #setTimer(milliseconds, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, milliseconds);
  }

  /** @param {number} code @param {string} reason @param {WebSocket} socket */
  #closed(code, reason, socket) {
    if (socket === this.#socket) this.#socket = undefined;
    const retryAfter = /retry_after=([\d.]+)/.exec(reason)?.[1];
    if (retryAfter !== undefined) this.#reconnect(Number(retryAfter));
    else if (["logged out", "banned"].includes(reason)) {
      this.#refused({ op: "error", code: reason.replace(" ", "_"), message: reason });
    } else if ([1002, 1007, 1009].includes(code) || reason === "too many bad frames") {
      const message = `the server closed the connection: ${code} ${reason}`;
      this.#end(new Refusal({ code: "bug", message }));
    } else if (socket === this.#attempt || this.state === "online") this.#reconnect();
  }

  /** @param {Refusal} ending */
  #end(ending) {
    clearTimeout(this.#timer);
    this.#socket = discard(this.#socket);
    this.#attempt = discard(this.#attempt);
    this.ending = ending;
    this.#identification?.reject(ending);
    this.#identification = undefined;
    for (const { reject } of this.#pending.values()) reject(ending);
    this.#pending.clear();
    this.#setState("ended");
  }

  /** @param {Session["state"]} state */
  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    this.#onChange("state", state);
  }

  // Requests and answers

  /** @param {Pending} pending */
  #add(pending) {
    this.#pending.set(pending.message.id ?? 0, pending);
    this.#transmit(pending);
    if (this.state === "online" && this.#pending.size === 1) this.#watch();
  }

  /** @param {Pending} pending */
  #transmit({ message, deferred }) {
    // While the line closes, the request waits for the next one, like those that are sent.
    const isOpen = this.#socket?.readyState === WebSocket.OPEN;
    if (isOpen && !deferred) this.#socket?.send(encode(message));
  }

  /**
   * Send the deferred moves of a match, or reject them if their position is undone: the match may
   * have their version again in another position.
   * @param {string} code @param {boolean} [undone]
   */
  #release(code, undone = false) {
    for (const pending of [...this.#pending.values()]) {
      const { message, deferred } = pending;
      if (!deferred || message.match !== code) continue;
      pending.deferred = false;
      const undoing = { code: "stale_version", message: "the position is undone" };
      if (undone) this.#refusedRequest(pending, new Refusal(undoing));
      else this.#transmit(pending);
    }
  }

  #sayHello() {
    const fields = this.#identification?.fields ?? {};
    const token = fields.transfer ? undefined : this.#token;
    this.#attempt?.send(encode({ op: "hello", token, ...fields, id: this.#nextId++ }));
  }

  /** @param {any} message @param {WebSocket} socket */
  #receive(message, socket) {
    this.#lastMessage = Date.now();
    if (socket === this.#socket) {
      this.#attempt = discard(this.#attempt);
      this.#setState("online");
    }
    if (message.op === "error") this.#refused(message);
    else if (message.op === "welcome") this.#welcomed(message);
    else {
      this.#handle(message);
      this.#answer(message);
    }
    if (socket === this.#socket) this.#watch();
  }

  /** @param {Message} message the `welcome` */
  #welcomed({ player, terms, token, epoch }) {
    const { transfer, token: former } = this.#identification?.fields ?? {};
    const isReplaced = transfer !== undefined || former !== undefined;
    // Two tabs that visit a server for the first time become one player: that of the stored token.
    if (token && !isReplaced && this.#adoptToken()) return;
    if (isReplaced) this.#keepFormer(player.id);
    const given = token ?? former;
    if (given) this.#writeToken(given);
    discard(this.#socket);
    this.#socket = this.#attempt;
    this.#attempt = undefined;
    const isOther = this.player !== undefined && this.player.id !== player.id;
    this.player = player;
    this.terms = terms ?? this.terms;
    const unanswered = [...this.#pending.values()];
    this.#pending.clear();
    this.#setState("online");
    if (isOther) { // who sees other secrets and chat lines
      for (const [code, { subscribed }] of this.matches) {
        this.matches.set(code, { ...makeFollowed(), subscribed });
      }
    }
    this.#resumeAll(epoch);
    for (const pending of unanswered) {
      const { op, match } = pending.message;
      const isRestored = this.matches.get(match)?.again !== undefined;
      if (isRestored && op === "follow") pending.message.v = 0;
      pending.deferred = isRestored && VERSIONED.includes(op);
      this.#add(pending);
    }
    this.#identification?.resolve();
    this.#identification = undefined;
    this.#onChange("player", player);
  }

  /** Follow all matches again, from their first rows in another epoch. @param {string} [epoch] */
  #resumeAll(epoch) {
    for (const [code, known] of this.matches) {
      if (epoch !== this.#epoch) known.again = [];
      if (known.subscribed) this.#resume(code);
    }
    this.#epoch = epoch;
  }

  /** Follow a match again, or report that the server refuses it. @param {string} code */
  #resume(code) {
    this.follow(code).catch((refusal) => {
      if (this.ending) return;
      this.matches.delete(code);
      this.#release(code);
      this.#onChange("lost", { code, refusal });
    });
  }

  /** Resolve the request that `message` answers. @param {Message} message */
  #answer(message) {
    const pending = this.#pending.get(message.id ?? 0);
    if (!pending) return;
    this.#pending.delete(message.id ?? 0);
    if (message.op === "log" && (this.matches.get(message.match)?.again || message.more)) {
      this.follow(message.match).then(() => pending.resolve(message), pending.reject);
    } else pending.resolve(message);
  }

  /** React to an error, as the table in docs/PROTOCOL.md says. @param {any} message */
  #refused(message) {
    const refusal = new Refusal(message);
    const former = this.#identification?.fields.token;
    if (message.code === "unknown_token" && former) {
      this.#writeFormer(this.former.filter(({ token }) => token !== former));
    }
    else if (["logged_out", "unknown_token"].includes(message.code)) {
      if (this.#adoptToken()) return;
      this.#writeToken(undefined);
    }
    if (["logged_out", "banned"].includes(message.code)) this.#end(refusal);
    else if (this.state !== "online") this.#refusedHello(refusal);
    else if (message.code !== "too_many" || message.id !== undefined) { // otherwise 1013 follows
      const [oldest] = this.#pending.keys();
      const pending = this.#pending.get(message.id ?? oldest);
      if (pending) this.#refusedRequest(pending, refusal);
    }
  }

  /** @param {Refusal} refusal */
  #refusedHello(refusal) {
    if (refusal.code === "unknown_token" && !this.#identification?.fields.token) {
      this.#onChange("forgotten", undefined);
      this.#sayHello();
    } else if (this.#identification && refusal.retryAfter === undefined) {
      this.#identification.reject(refusal);
      this.#identification = undefined;
      this.#sayHello();
    } else this.#reconnect(refusal.retryAfter);
  }

  /** @param {Pending} pending @param {Refusal} refusal */
  #refusedRequest(pending, refusal) {
    const { message } = pending;
    const { code, field, retryAfter = 1 } = refusal;
    if (REPEATED.includes(code) && retryAfter <= LONGEST_WAIT) {
      this.#onChange("waiting", { op: message.op, retryAfter });
      const repeat = () => this.#pending.has(message.id ?? 0) && this.#transmit(pending);
      setTimeout(repeat, retryAfter * 1000);
    } else if (code === "internal" && !pending.repeated) {
      pending.repeated = true;
      this.#transmit(pending);
    } else {
      this.#pending.delete(message.id ?? 0);
      const isStale = code === "stale_version" && message.op === "follow";
      if (isStale) Object.assign(this.matches.get(message.match) ?? {}, { again: [] });
      if (isStale || (code === "invalid_message" && field === "id")) {
        const again = { ...message, ...(isStale && { v: 0 }), id: this.#nextId++ };
        this.#add({ ...pending, message: again });
      } else pending.reject(refusal);
    }
  }

  // Messages of matches

  /** Change the state of the match that `message` is about. @param {Message} message */
  #handle(message) {
    const { op, match: code } = message;
    if (isNews(op)) this.#onChange(op, message);
    if (op === "log" && !this.matches.has(code)) this.matches.set(code, makeFollowed());
    const known = this.matches.get(code);
    if (!known) return;
    switch (op) {
      case "log":
        // The rows were requested in another epoch.
        if (message.epoch !== this.#epoch) return this.#resumeAll(message.epoch);
        if (!message.more) {
          const { present = [], spectators = 0 } = message;
          const start = performance.now() - (message.now ?? 0);
          Object.assign(known, { subscribed: true, present, spectators, start });
        }
        this.#addRows(code, known, message.rows, message.more);
        break;
      case "event":
        known.start = Math.min(known.start, performance.now() - (message.at ?? 0));
        if (!known.again) this.#addRows(code, known, [[message.v, message.events, message.at]]);
        break;
      case "presence":
        known.present = known.present.filter((id) => id !== message.player);
        if (message.here) known.present.push(message.player);
        this.#onChange(op, { code });
        break;
      case "spectators":
        known.spectators = message.count;
        this.#onChange(op, { code });
        break;
      case "said":
      case "chat":
        this.#addLines(code, known, message.lines ?? [message.line]);
        break;
      case "advice":
        if (message.guess - 1 === known.match?.current?.turns.length) known.advice = message;
        this.#onChange(op, { code });
    }
  }

  /**
   * Fold new rows, and skip known rows. Follow the match again if rows are missing. Rows that are
   * read again are compared with those before when all have arrived.
   * @param {string} code @param {Followed} known @param {Row[]} added
   * @param {boolean} [more] Whether other rows of the log follow.
   */
  #addRows(code, known, added, more) {
    const { again, error } = known;
    if (again && added[0]?.[0] !== again.length + 1) return; // requested twice, or in another epoch
    again?.push(...added);
    if (again && more) return;
    known.again = undefined;
    if (error) return this.#release(code); // the server refuses what cannot follow
    let undone = false;
    let events = /** @type {Event[]} */ ([]);
    try {
      if (again) {
        const repeated = fold(again.slice(0, known.version));
        undone = JSON.stringify(repeated) !== JSON.stringify(known.match);
      }
      if (undone) {
        const restorations = known.restorations + 1;
        Object.assign(known, { match: undefined, version: 0, restorations });
      }
      const rows = (again ?? added).filter(([version]) => version > known.version);
      if (rows[0]?.[0] > known.version + 1) this.#resume(code);
      else {
        known.match = fold(rows, known.match);
        known.version += rows.length;
        events = rows.flatMap((row) => row[1]);
      }
    } catch (problem) {
      known.error = /** @type {Error} */ (problem);
    }
    if (undone || events.some(({ event }) => event === "guessed" || event === "round_ended")) {
      known.advice = undefined;
    }
    if (known.match?.left.includes(this.player?.id ?? "")) known.subscribed = false;
    if (again) this.#release(code, undone);
    this.#onChange("match", { code, events: undone ? [] : events, undone });
  }

  /** @param {string} code @param {Followed} known @param {ChatLine[]} all */
  #addLines(code, known, all) {
    // Whole lines, because `n` may be of another epoch.
    const heard = known.chat.map((line) => JSON.stringify(line));
    const lines = all.filter((line) => !heard.includes(JSON.stringify(line)));
    known.chat.push(...lines);
    if (lines.length > 0) this.#onChange("chat", { code });
  }
}

/**
 * Return whether a message is about no followed match.
 * @param {string} op @returns {op is "announcement" | "challenged" | "challenge_ended"}
 */
const isNews = (op) => ["announcement", "challenged", "challenge_ended"].includes(op);

/**
 * Close a socket, and ignore what it still reports.
 * @param {WebSocket} [socket]
 * @returns {undefined}
 */
function discard(socket) {
  if (!socket) return;
  socket.onopen = socket.onmessage = socket.onclose = null;
  socket.close(1000);
}

/** Return a random id of 50 bits: ids are unique for each player, over all connections. */
function randomId() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 18) * 2 ** 32 + low + 1;
}

/** @returns {Followed} */
function makeFollowed() {
  return {
    version: 0, start: Infinity, restorations: 0, subscribed: true, present: [], spectators: 0,
    chat: [],
  };
}
