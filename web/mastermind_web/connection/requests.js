// The requests without an answer: sent, repeated, deferred and refused.

/**
 * @import {Values} from "../types.js"
 * @import {Message} from "./followed.js"
 *
 * @typedef {object} Pending An unanswered request.
 * @property {Message} message
 * @property {boolean} [repeated] Whether it was repeated after the error `internal`.
 * @property {boolean} [deferred] Whether it waits for the rows of its match: its position may be
 *     undone.
 * @property {(answer: Message) => void} resolve
 * @property {(error: Error) => void} reject
 *
 * @typedef {object} Owner The session of the requests.
 * @property {(message: Message) => void} send Send a message, unless the connection is not open.
 * @property {(op: string, retryAfter: number) => void} reportWaiting A request is repeated later.
 * @property {(code: string) => void} readAgain Read all rows of a match again.
 */

const LONGEST_WAIT = 10; // seconds until a request is repeated; otherwise it is refused
const REPEATED = ["rate_limited", "storage_failed", "restarting"];
/** Requests of a position of a match. */
export const VERSIONED = ["secret", "guess", "advise", "resign"];

/**
 * A refused request. `message` is in English: explain.js has the player's language.
 */
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

  /** @param {Owner} owner */
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
    const [oldest] = this.#pending.keys();
    const pending = this.#pending.get(id ?? oldest);
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
