// The session: one player on one server, over a connection that is replaced when it is lost.

import { isAllowed } from "../game/fold.js";
import { seatOf } from "../game/rules.js";
import { Connection } from "./connection.js";
import { addNews, addRows, findTimeLeft, findTurn, makeFollowed } from "./followed.js";
import { Refusal, Requests, VERSIONED } from "./requests.js";
import { Tokens } from "./storage.js";

/**
 * @import {Event, Player, Row} from "../types.js"
 * @import {State} from "./connection.js"
 * @import {Followed, Message} from "./followed.js"
 * @import {TokenStorage} from "./storage.js"
 *
 * @typedef {{code: string, events: Event[], undone: boolean}} Change New events of a match.
 *     `undone`: the server has gone back to an earlier state, so rows are undone.
 *
 * @typedef {object} Changes The changes that a session reports, by their kinds.
 * @property {State} state
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
 * @typedef {object} Identification A call of `identify` without an answer.
 * @property {{name?: string, transfer?: string, token?: string}} fields
 * @property {() => void} resolve
 * @property {(error: Error) => void} reject
 */

/** The messages that are about no followed match. */
const NEWS = ["announcement", "challenged", "challenge_ended"];

export class Session {
  /** @type {Player | undefined} */
  player;
  /** @type {Message | undefined} */
  terms;
  /** @type {Map<string, Followed>} */
  matches = new Map();
  /** Why the session ended: logged_out, banned, closed or bug. @type {Refusal | undefined} */
  ending;

  /** @type {Identification | undefined} */
  #identification;
  /** @type {string | undefined} of the server's store */
  #epoch;
  #requests;
  #connection;
  #onChange;

  /**
   * Connect to the server, and reconnect when the connection is lost. The session calls `onChange`
   * after each change.
   * @param {object} options
   * @param {string} options.url
   * @param {TokenStorage} [options.storage] Absent: the player is a guest of this tab.
   * @param {<Kind extends keyof Changes>(kind: Kind, data: Changes[Kind]) => void} options.onChange
   * @param {EventTarget} [options.page]
   */
  constructor({ url, storage, onChange, page = globalThis.window }) {
    this.#onChange = onChange;
    this.tokens = new Tokens(url, storage);
    page?.addEventListener("storage", () => this.#adoptToken());
    this.#requests = new Requests({
      send: (message) => this.#connection.send(message),
      reportWaiting: (op, retryAfter) => onChange("waiting", { op, retryAfter }),
      readAgain: (code) => Object.assign(this.matches.get(code) ?? {}, { again: [] }),
    });
    this.#connection = new Connection(url, page, {
      sayHello: () => this.#sayHello(),
      receive: (message) => this.#receive(message),
      changeState: (state) => onChange("state", state),
      reportUnopened: (attempts) => onChange("unopened", { attempts }),
      refuse: (error) => this.#refused(error),
      isWaiting: () => this.#requests.size > 0,
      findTimeLeft: () => this.#findTimeLeft(),
      ping: () => this.request("ping"),
    });
  }

  /** @type {State} */
  get state() {
    return this.#connection.state;
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
      const message = { op, ...fields, id: this.#requests.makeId() };
      this.#requests.add({ message, resolve, reject });
      if (this.state === "online" && this.#requests.size === 1) this.#connection.watch();
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
    return findTimeLeft(this.matches.get(code));
  }

  /** Stop following a match, and forget it. @param {string} code */
  async unfollow(code) {
    this.matches.delete(code);
    this.#requests.release(code);
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
    const turn = () => findTurn(this.matches.get(code));
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
      this.#connection.replace();
    });
  }

  /** Reconnect with the token that another tab has stored, if any. Returns whether there is one. */
  #adoptToken() {
    const isAdopted = this.tokens.adopt();
    if (isAdopted) this.#connection.replace();
    return isAdopted;
  }

  /** Return the shortest time left of the player's matches, in milliseconds, or Infinity. */
  #findTimeLeft() {
    const known = [...this.matches.values()];
    const own = known.filter(({ match }) => match && seatOf(match, this.player?.id));
    return Math.min(...own.map((each) => findTimeLeft(each) ?? Infinity));
  }

  /** @param {Refusal} ending */
  #end(ending) {
    this.ending = ending;
    this.#identification?.reject(ending);
    this.#identification = undefined;
    for (const { reject } of this.#requests.takeAll()) reject(ending);
    this.#connection.end();
  }

  // Requests and answers

  #sayHello() {
    const fields = this.#identification?.fields ?? {};
    const token = fields.transfer ? undefined : this.tokens.token;
    this.#connection.greet({ op: "hello", token, ...fields, id: this.#requests.makeId() });
  }

  /** @param {any} message */
  #receive(message) {
    if (message.op === "error") this.#refused(message);
    else if (message.op === "welcome") this.#welcomed(message);
    else {
      this.#handle(message);
      this.#answer(message);
    }
  }

  /** @param {Message} message the `welcome` */
  #welcomed({ player, terms, token, epoch }) {
    const { transfer, token: former } = this.#identification?.fields ?? {};
    const isReplaced = transfer !== undefined || former !== undefined;
    // Two tabs that visit a server for the first time become one player: that of the stored token.
    if (token && !isReplaced && this.#adoptToken()) return;
    if (isReplaced) this.tokens.keepFormer(this.player, player.id);
    const given = token ?? former;
    if (given) this.tokens.write(given);
    const isOther = this.player !== undefined && this.player.id !== player.id;
    this.player = player;
    this.terms = terms ?? this.terms;
    const unanswered = this.#requests.takeAll();
    this.#connection.accept();
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
      this.#requests.add(pending);
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
      this.#requests.release(code);
      this.#onChange("lost", { code, refusal });
    });
  }

  /** Resolve the request that `message` answers. @param {Message} message */
  #answer(message) {
    const pending = this.#requests.take(message.id);
    if (!pending) return;
    if (message.op === "log" && (this.matches.get(message.match)?.again || message.more)) {
      this.follow(message.match).then(() => pending.resolve(message), pending.reject);
    } else pending.resolve(message);
  }

  /** React to an error, as the table in docs/PROTOCOL.md says. @param {any} message */
  #refused(message) {
    const refusal = new Refusal(message);
    const former = this.#identification?.fields.token;
    if (message.code === "unknown_token" && former) this.tokens.forgetFormer(former);
    else if (["logged_out", "unknown_token"].includes(message.code)) {
      if (this.#adoptToken()) return;
      this.tokens.write(undefined);
    }
    if (["logged_out", "banned", "bug"].includes(message.code)) this.#end(refusal);
    else if (this.state !== "online") this.#refusedHello(refusal);
    else if (message.code !== "too_many" || message.id !== undefined) { // otherwise 1013 follows
      this.#requests.refuse(message.id, refusal);
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
    } else this.#connection.reconnect(refusal.retryAfter);
  }

  // Messages of matches

  /** Change the state of the match that `message` is about. @param {Message} message */
  #handle(message) {
    const { op, match: code } = message;
    if (NEWS.includes(op)) this.#onChange(/** @type {"announcement"} */ (op), message);
    if (op === "log" && !this.matches.has(code)) this.matches.set(code, makeFollowed());
    const known = this.matches.get(code);
    if (!known) return;
    if (op === "log") {
      // The rows were requested in another epoch.
      if (message.epoch !== this.#epoch) return this.#resumeAll(message.epoch);
      if (!message.more) {
        const { present = [], spectators = 0 } = message;
        const start = performance.now() - (message.now ?? 0);
        Object.assign(known, { subscribed: true, present, spectators, start });
      }
      this.#addRows(code, known, message.rows, message.more);
    } else if (op === "event") {
      known.start = Math.min(known.start, performance.now() - (message.at ?? 0));
      if (!known.again) this.#addRows(code, known, [[message.v, message.events, message.at]]);
    } else {
      const kind = addNews(known, message);
      if (kind) this.#onChange(kind, { code });
    }
  }

  /**
   * Add rows to a match. Follow the match again if earlier rows are missing.
   * @param {string} code @param {Followed} known @param {Row[]} added
   * @param {boolean} [more] Whether other rows of the log follow.
   */
  #addRows(code, known, added, more) {
    const { isRead, isMissing, undone = false, events } = addRows(known, added, more) ?? {};
    if (isMissing) this.#resume(code);
    if (known.match?.left.includes(this.player?.id ?? "")) known.subscribed = false;
    if (isRead) this.#requests.release(code, undone);
    if (events) this.#onChange("match", { code, events, undone });
  }
}
