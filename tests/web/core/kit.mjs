// The test vectors of docs/protocol, the texts of the page, and a clock, a socket and a storage that
// a test controls. Node 18, which Debian has, lacks the clock of later versions.

import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";

import { decode, encode } from "../../../web/mastermind_web/msgpack.js";
import { useTexts } from "../../../web/mastermind_web/texts.js";

const ROOT = new URL("../../../", import.meta.url);
const readJson = (path, reviver) => JSON.parse(readFileSync(new URL(path, ROOT), "utf-8"), reviver);

export const fromHex = (hex) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const toHex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return the vectors of a file, with bytes in place of maps such as {"$hex": "00ff"}. */
export function readVectors(name) {
  return readJson(`docs/protocol/vectors/${name}.json`, (_key, value) =>
    value?.$hex === undefined ? value : fromHex(value.$hex),
  );
}

export const readTexts = (language) => readJson(`web/mastermind_web/texts/${language}.json`);
useTexts(readTexts("en"));
globalThis.crypto ??= webcrypto; // Node 18

/** Return `value` with the usual prototypes in place of none, for deep comparisons. */
export function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plain(of)]));
}

/** The connections that sessions have opened: the test plays the server on them. */
export const sockets = [];

export class ScriptedSocket {
  static OPEN = 1;
  readyState = 0;
  sent = [];
  closed = false;

  constructor(url, subprotocol) {
    Object.assign(this, { url, subprotocol });
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

/** A clock in place of that of Node, until `restore`. */
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
  }
}
