// The session: one player on one server, over a connection that is replaced when it is lost.
// followed.js has its matches: it loads with the first, because home shows none.

import { Connection, Refusal, Requests, VERSIONED } from "./connection.js";

/**
 * @import {Event, Player} from "../types.js"
 * @import {State} from "./connection.js"
 * @import {FollowedMatches, Message} from "./followed.js"
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
  /**
   * Absent until `matchesOf` of followed.js makes them: then messages of matches have no effect.
   * @type {FollowedMatches | undefined}
   */
  matches;
  /** Why the session ended: logged_out, banned, closed or bug. @type {Refusal | undefined} */
  ending;
  /** Of the server's store. @type {string | undefined} */
  epoch;

  /** @type {Identification | undefined} */
  #identification;
  #connection;
  #url;

  /**
   * Connect to the server, and reconnect when the connection is lost. The session calls `onChange`
   * after each change.
   * @param {object} options
   * @param {string} options.url of the server, with a slash at the end
   * @param {string} [options.match] the match at whose address the session connects first
   * @param {TokenStorage} [options.storage] Absent: the player is a guest of this tab.
   * @param {<Kind extends keyof Changes>(kind: Kind, data: Changes[Kind]) => void} options.onChange
   * @param {EventTarget} [options.page]
   */
  constructor({ url, match, storage, onChange, page = globalThis.window }) {
    /** Reports a change, also of the matches. */
    this.report = onChange;
    this.tokens = new Tokens(url, storage);
    page?.addEventListener("storage", () => this.#adoptToken());
    this.requests = new Requests({
      send: (message) => this.#connection.send(message),
      reportWaiting: (op, retryAfter) => onChange("waiting", { op, retryAfter }),
      readAgain: (code) => Object.assign(this.matches?.get(code) ?? {}, { again: [] }),
    });
    this.#url = url;
    this.#connection = new Connection(url, this.#makeAddress(match), page, {
      sayHello: () => this.#sayHello(),
      receive: (message) => this.#receive(message),
      changeState: (state) => onChange("state", state),
      reportUnopened: (attempts) => onChange("unopened", { attempts }),
      refuse: (error) => this.#refused(error),
      isWaiting: () => this.requests.size > 0,
      findTimeLeft: () => this.matches?.findShortestTimeLeft() ?? Infinity,
      ping: () => this.request("ping"),
    });
  }

  /** @type {State} */
  get state() {
    return this.#connection.state;
  }

  /** The player who has closed the game that their program serves. @type {string | undefined} */
  get awayHost() {
    return this.#connection.isStopped ? this.terms?.host : undefined;
  }

  /**
   * Send a request, now or when the session is online. It is sent again after a reconnect.
   *
   * Resolves to the answer, with `matches` after the last part of a `log`. Rejects with a Refusal.
   * @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  request(op, fields = {}) {
    if (this.ending) return Promise.reject(this.ending);
    return new Promise((resolve, reject) => {
      const message = { op, ...fields, id: this.requests.makeId() };
      this.requests.add({ message, resolve, reject });
      if (this.state === "online" && this.requests.size === 1) this.#connection.watch();
    });
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

  /** Connect at the address of a match, if the server has several nodes. @param {string} match */
  move(match) {
    if (this.terms?.match_addresses) this.#connection.move(this.#makeAddress(match));
  }

  /** Return the address of a match, which leads to one node. @param {string} [match] */
  #makeAddress(match) {
    return match ? `${this.#url}m/${match.slice(-2)}` : this.#url;
  }

  /** @param {Refusal} ending */
  #end(ending) {
    this.ending = ending;
    this.#identification?.reject(ending);
    this.#identification = undefined;
    for (const { reject } of this.requests.takeAll()) reject(ending);
    this.#connection.end();
  }

  // Requests and answers

  #sayHello() {
    const fields = this.#identification?.fields ?? {};
    const token = fields.transfer ? undefined : this.tokens.token;
    this.#connection.greet({ op: "hello", token, ...fields, id: this.requests.makeId() });
  }

  /** @param {any} message */
  #receive(message) {
    if (message.op === "error") this.#refused(message);
    else if (message.op === "welcome") this.#welcomed(message);
    else {
      if (NEWS.includes(message.op)) this.report(message.op, message);
      else this.matches?.receive(message);
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
    const unanswered = this.requests.takeAll();
    this.#connection.accept();
    if (isOther) this.matches?.forget(); // who sees other secrets and chat lines
    this.matches?.resumeAll(epoch);
    this.epoch = epoch;
    for (const pending of unanswered) {
      const { op, match } = pending.message;
      const isRestored = this.matches?.get(match)?.again !== undefined;
      if (isRestored && op === "follow") pending.message.v = 0;
      pending.deferred = isRestored && VERSIONED.includes(op);
      this.requests.add(pending);
    }
    this.#identification?.resolve();
    this.#identification = undefined;
    this.report("player", player);
  }

  /** Resolve the request that `message` answers. @param {Message} message */
  #answer(message) {
    const pending = this.requests.take(message.id);
    if (!pending) return;
    const rest = this.matches?.readRest(message);
    if (rest) rest.then(() => pending.resolve(message), pending.reject);
    else pending.resolve(message);
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
      this.requests.refuse(message.id, refusal);
    }
  }

  /** @param {Refusal} refusal */
  #refusedHello(refusal) {
    if (refusal.code === "unknown_token" && !this.#identification?.fields.token) {
      this.report("forgotten", undefined);
      this.#sayHello();
    } else if (this.#identification && refusal.retryAfter === undefined) {
      this.#identification.reject(refusal);
      this.#identification = undefined;
      this.#sayHello();
    } else this.#connection.reconnect(refusal.retryAfter);
  }
}

// What the browser keeps: its storages, and the tokens of the players of a server. A module of its
// own would be one more request of each first visit.

/**
 * @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} TokenStorage
 * @typedef {{id: string, name: string, token: string}} Former A player that this device was before.
 */

/** The key of the settings. main.js loads device/settings.js only if `localStorage` has it. */
export const SETTINGS = "mastermind.settings";
const MOST_FORMER = 5; // players that a device keeps, for one page of names

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

/** The tokens of this device for a server. */
export class Tokens {
  /** Whether only this tab keeps the token, because the browser blocks its storage. */
  isGuest = false;
  /** The present player's. @type {string | undefined} */
  token;
  /**
   * The players that this device was before it became another one by a transfer code, newest first.
   * @type {Former[]}
   */
  former = [];
  #key;
  #formerKey;
  #storage;

  /** @param {string} url of the server @param {TokenStorage} [storage] */
  constructor(url, storage) {
    this.#key = `mastermind.token ${url}`;
    this.#formerKey = `mastermind.former ${url}`;
    this.#storage = storage;
    this.isGuest = storage === undefined;
    this.token = this.#read();
    this.former = this.#use((kept) => JSON.parse(kept.getItem(this.#formerKey) ?? "[]")) ?? [];
  }

  /** Replace the token. @param {string | undefined} token */
  write(token) {
    this.token = token;
    this.#use((storage) => {
      if (token === undefined) storage.removeItem(this.#key);
      else storage.setItem(this.#key, token);
    });
  }

  /** Use the token that another tab has stored, if any. Returns whether there is one. */
  adopt() {
    const stored = this.#read();
    if (stored === undefined || stored === this.token) return false;
    this.token = stored;
    return true;
  }

  /**
   * Keep the present player, which another one replaces, and forget that one.
   * @param {{id: string, name: string} | undefined} player @param {string} id the other's
   */
  keepFormer(player, id) {
    const { token, former } = this;
    const isKept = player && token && player.id !== id;
    const kept = isKept ? [{ id: player.id, name: player.name, token }] : [];
    this.#writeFormer([...kept, ...former.filter((each) => ![id, player?.id].includes(each.id))]);
  }

  /** Forget a former player. @param {string} token its token */
  forgetFormer(token) {
    this.#writeFormer(this.former.filter((each) => each.token !== token));
  }

  /** @param {Former[]} former */
  #writeFormer(former) {
    this.former = former.slice(0, MOST_FORMER);
    this.#use((storage) => storage.setItem(this.#formerKey, JSON.stringify(this.former)));
  }

  #read() {
    return this.#use((storage) => storage.getItem(this.#key)) ?? undefined;
  }

  /**
   * Return the result of `action`, or undefined where the browser blocks the storage: then the
   * player is a guest of this tab.
   * @template T @param {(storage: TokenStorage) => T} action
   */
  #use(action) {
    return useStorage(this.#storage, action, () => (this.isGuest = true));
  }
}
