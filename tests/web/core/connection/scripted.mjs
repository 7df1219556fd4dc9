// A session with a server, a storage and a clock that the test plays.

import test, { mock } from "node:test";

import { matchesOf } from "../../../../web/mastermind_web/connection/followed.js";
import { Refusal } from "../../../../web/mastermind_web/connection/connection.js";
import { decode, encode } from "../../../../web/mastermind_web/connection/msgpack.js";
import { Session } from "../../../../web/mastermind_web/connection/session.js";
import { plain } from "../kit.mjs";

export const SERVER = "wss://game.test/";
export const KEY = `mastermind.token ${SERVER}`;
export const TOKEN = "t".repeat(43);

/** The connections that sessions have opened: the test plays the server on them. */
export const sockets = [];

export class ScriptedSocket {
  static OPEN = 1;
  readyState = 0;
  sent = [];
  closed = false;

  constructor(url, subprotocols) {
    Object.assign(this, { url, subprotocols });
    sockets.push(this);
  }

  send(bytes) {
    this.sent.push(plain(decode(bytes)));
  }

  close() {
    this.closed = true;
    this.readyState = 3;
  }

  /** Accept the connection, and return the `hello`. */
  accept() {
    this.readyState = 1;
    this.onopen();
    return this.sent.shift();
  }

  reply(message) {
    this.onmessage({ data: encode(message).buffer });
  }

  /** Accept the connection and welcome a player. */
  welcome(fields = {}) {
    const { id } = this.accept();
    this.reply({ op: "welcome", id, player: { id: "p-cat", name: "Cat" }, ...fields });
  }

  lose(code = 1006, reason = "") {
    this.readyState = 3;
    this.onclose({ code, reason });
  }
}

/** A storage that two tabs may share. */
export class Store extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => void this.set(key, value);
  removeItem = (key) => void this.delete(key);
}

/** A clock in place of that of Node, until `restore`. Node 18, which Debian has, offers none. */
export class Clock {
  #timers = new Map();
  #real = [globalThis.setTimeout, globalThis.clearTimeout, Date.now];

  constructor() {
    let number = 0;
    this.now = 1_000_000;
    globalThis.setTimeout = (action, pause) => (
      this.#timers.set(++number, [this.now + pause, action]),
      number
    );
    globalThis.clearTimeout = (timer) => void this.#timers.delete(timer);
    Date.now = () => this.now;
    performance.now = () => this.now;
  }

  /** Let `milliseconds` pass, with all timers that are due in them. */
  tick(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, [time]]) => time <= end);
      const [[number, [time, action]] = [0, [0, undefined]]] = due.sort(
        ([, [a]], [, [b]]) => a - b,
      );
      if (!action) break;
      this.#timers.delete(number);
      this.now = time;
      action();
    }
    this.now = end;
  }

  restore() {
    [globalThis.setTimeout, globalThis.clearTimeout, Date.now] = this.#real;
    delete performance.now; // the method of the prototype is left
  }
}

globalThis.WebSocket = ScriptedSocket;
/** The clock of the running test. @type {Clock} */
export let clock;
export const settle = () => new Promise((resolve) => setImmediate(resolve));
export const last = () => sockets.at(-1);

/**
 * Run a test with its own session and clock. `changes` has what the session reports. `matches` are
 * made when the test reads them.
 */
export function scenario(name, play, { token, match, firstId = 1, ...options } = {}) {
  test(name, async () => {
    const { storage } = { storage: new Store(token && [[KEY, token]]), ...options };
    clock = new Clock();
    const random = mock.method(
      crypto,
      "getRandomValues",
      (words) => words.set([0, firstId - 1]) ?? words,
    );
    mock.method(Math, "random", () => 1);
    const changes = [];
    const page = new EventTarget();
    const session = new Session({
      url: SERVER,
      match,
      storage,
      page,
      onChange: (kind, data) => changes.push([kind, data]),
    });
    const report = (kind) => page.dispatchEvent(new Event(kind));
    try {
      await play({
        session, changes, storage, report, random,
        get matches() {
          return matchesOf(session);
        },
      });
    } finally {
      mock.restoreAll();
      clock.restore();
    }
  });
}

/** Let the session follow a match of which the server has one row. */
export async function followLobby(session, code = "72S54M", terms = {}) {
  const followed = matchesOf(session).follow(code);
  const { id } = last().sent.pop();
  const first = { event: "opened", rules: "classic", rounds: 1, ...terms };
  const opened = [first, joined("p-ann", "maker")];
  last().reply({
    op: "log",
    id,
    match: code,
    rows: [[1, opened]],
    present: ["p-ann"],
    spectators: 1,
  });
  return followed;
}
export const joined = (id, seat) => ({ event: "joined", player: { id, name: id }, seat });

export const refuse = (id, code, fields = {}) =>
  last().reply({ op: "error", id, code, message: "Not so.", ...fields });
export const isRefusal = (code) => (error) => error instanceof Refusal && error.code === code;

/** Follow a match in which Cat has just to guess: version 3. */
export async function followGuessing(session) {
  await followLobby(session);
  last().reply({ op: "event", match: "72S54M", v: 2, events: [joined("p-cat", "breaker")] });
  const secret = { event: "secret", by: "p-ann", commitment: new Uint8Array(32) };
  last().reply({ op: "event", match: "72S54M", v: 3, events: [secret] });
}
