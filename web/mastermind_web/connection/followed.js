// The followed matches of a session: their rows, chat and players as the server has reported them.

import { fold, isAllowed, reveal } from "../game/fold.js";
import { roundNumber, seatOf } from "../game/rules.js";
import { Refusal, VERSIONED } from "./connection.js";

/**
 * @import {Event, Match, Proof, Row} from "../types.js"
 * @import {Session} from "./session.js"
 *
 * @typedef {{op: string, id?: number, [field: string]: any}} Message
 * @typedef {{room: string, n: number, by: string, name: string, text?: string, phrase?: number,
 *     v?: number, at?: number}} ChatLine
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
 * @property {Proof} [proof] What the contest of this entry has revealed.
 * @property {Error} [error] The page cannot show the match: its rules are unknown, or an event
 *     cannot follow.
 *
 * @typedef {object} Folded What new rows have changed.
 * @property {boolean} isRead Whether all rows have been read again.
 * @property {boolean} [isMissing] Whether rows before the new ones have not arrived.
 * @property {boolean} [undone] Whether the server has gone back to an earlier state.
 * @property {Event[]} [events] Absent if the match is not folded.
 */

const LONGEST_LIVE = 3_600_000; // milliseconds; live clocks have less, others days

/**
 * Return the followed matches of a session. Makes them for the first caller.
 * @param {Session} session
 */
export const matchesOf = (session) => (session.matches ??= new FollowedMatches(session));

/**
 * The followed matches by their codes.
 * @extends {Map<string, Followed>}
 */
export class FollowedMatches extends Map {
  #session;

  /** @param {Session} session */
  constructor(session) {
    super();
    this.#session = session;
  }

  // Requests

  /** Follow a match, from the version that the session has. @param {string} code */
  async follow(code) {
    const { again, version = 0 } = this.get(code) ?? {};
    await this.#session.request("follow", { match: code, v: again?.length ?? version });
    return /** @type {Followed} */ (this.get(code));
  }

  /**
   * Move to the node of the server at which the players of a match meet. The session stays while a
   * live clock runs.
   * @param {string} code
   */
  meet(code) {
    if ((this.findTimeLeft(code) ?? Infinity) > LONGEST_LIVE) this.#session.move(code);
  }

  /** Stop following a match, and forget it. @param {string} code */
  async unfollow(code) {
    this.#drop(code);
    await this.#session.request("unfollow", { match: code });
  }

  /**
   * Send a request such as `open` or `join`. If its answer is the `log` of a match, the session
   * follows that match.
   * @param {string} op @param {{[field: string]: any}} fields
   */
  enter(op, fields) {
    return this.#session.request(op, fields);
  }

  /**
   * Send a request of a followed match, such as `guess`, with its match code and version. A request
   * with a stale version is sent again if only advice came between.
   * @param {string} code @param {string} op @param {{[field: string]: any}} [fields]
   * @returns {Promise<Message>}
   */
  async perform(code, op, fields = {}) {
    const send = () => {
      const v = VERSIONED.includes(op) ? (this.get(code)?.version ?? 0) : undefined;
      return this.#session.request(op, { match: code, v, ...fields });
    };
    const turn = () => findTurn(this.get(code));
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
      const due = match && isSame && isAllowed(match, { op, ...fields }, this.#session.player?.id);
      if (problem === "stale_version" && !due) throw error;
      return send();
    }
  }

  // Time

  /**
   * Return the time that the player to move still has in a match, in milliseconds, or undefined if
   * no clock runs.
   * @param {string} code
   */
  findTimeLeft(code) {
    return measureTimeLeft(this.get(code));
  }

  /** Return the shortest time left of the player's matches, in milliseconds, or Infinity. */
  findShortestTimeLeft() {
    const me = this.#session.player?.id;
    const own = [...this.values()].filter(({ match }) => match && seatOf(match, me));
    return Math.min(...own.map((each) => measureTimeLeft(each) ?? Infinity));
  }

  // For the session

  /** Forget what the server has reported, and follow the same matches. */
  forget() {
    for (const [code, { subscribed }] of this) this.set(code, { ...makeFollowed(), subscribed });
  }

  /** Follow all matches again, from their first rows in another epoch. @param {string} [epoch] */
  resumeAll(epoch) {
    for (const [code, known] of this) {
      if (epoch !== this.#session.epoch) known.again = [];
      if (known.subscribed) this.#resume(code);
    }
    this.#session.epoch = epoch;
  }

  /**
   * Read the rows that an answer lacks. Returns undefined if it lacks none.
   * @param {Message} answer
   */
  readRest({ op, match, more }) {
    return op === "log" && (this.get(match)?.again || more) ? this.follow(match) : undefined;
  }

  /** Change the state of the match that `message` is about. @param {Message} message */
  receive(message) {
    const { op, match: code } = message;
    if (op === "day" && message.nonce) return this.#reveal(message);
    if (op === "log" && !this.has(code)) this.set(code, makeFollowed());
    const known = this.get(code);
    if (!known) return;
    if (op === "log") {
      // The rows were requested in another epoch.
      if (message.epoch !== this.#session.epoch) return this.resumeAll(message.epoch);
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
      if (kind) this.#session.report(kind, { code });
    }
  }

  /** Add the code of a closed day to the followed tries at it. @param {Message} message */
  #reveal({ day, rules, code: secret, nonce }) {
    for (const [code, known] of this) {
      const { opened, rules: own } = known.match ?? {};
      if (opened?.contest !== `day/${day}` || own?.name !== rules) continue;
      known.proof = { secret, nonce };
      this.#addRows(code, known, []);
    }
  }

  /**
   * Add rows to a match. Follow the match again if earlier rows are missing.
   * @param {string} code @param {Followed} known @param {Row[]} added
   * @param {boolean} [more] Whether other rows of the log follow.
   */
  #addRows(code, known, added, more) {
    const { player, requests, report } = this.#session;
    const { isRead, isMissing, undone = false, events } = addRows(known, added, more) ?? {};
    if (isMissing) this.#resume(code);
    if (known.match?.left.includes(player?.id ?? "")) known.subscribed = false;
    if (isRead) requests.release(code, undone);
    if (events) report("match", { code, events, undone });
  }

  /** Follow a match again, or report that the server refuses it. @param {string} code */
  #resume(code) {
    this.follow(code).catch((refusal) => {
      if (this.#session.ending) return;
      this.#drop(code);
      this.#session.report("lost", { code, refusal });
    });
  }

  /** @param {string} code */
  #drop(code) {
    this.delete(code);
    this.#session.requests.release(code);
  }
}

/** @returns {Followed} */
function makeFollowed() {
  return {
    version: 0, start: Infinity, restorations: 0, subscribed: true, present: [], spectators: 0,
    chat: [],
  };
}

/** Return a text that differs between the turns of a match. @param {Followed} [known] */
function findTurn({ match, restorations } = makeFollowed()) {
  const guesses = match?.current?.turns.length;
  return match && `${restorations} ${match.phase} ${roundNumber(match)} ${guesses}`;
}

/**
 * Return the time that the player to move still has, in milliseconds, or undefined if no clock
 * runs.
 * @param {Followed} [known]
 */
function measureTimeLeft({ match, start } = makeFollowed()) {
  if (!match?.timer) return undefined;
  const at = Math.max(match.at, performance.now() - start);
  return Math.max(0, match.timer.since + match.timer.left - at);
}

/**
 * Fold new rows, and skip known rows. Rows that are read again are compared with those before when
 * all have arrived. Returns undefined until then.
 * @param {Followed} known @param {Row[]} added
 * @param {boolean} [more] Whether other rows of the log follow.
 * @returns {Folded | undefined}
 */
function addRows(known, added, more) {
  const { again } = known;
  if (again && added[0]?.[0] !== again.length + 1) return undefined; // requested twice
  again?.push(...added);
  if (again && more) return undefined;
  known.again = undefined;
  const isRead = again !== undefined;
  if (known.error) return { isRead }; // the server refuses what cannot follow
  let isMissing = false;
  let undone = false;
  let events = /** @type {Event[]} */ ([]);
  try {
    if (again) {
      const repeated = reveal(fold(again.slice(0, known.version)), known.proof);
      undone = JSON.stringify(repeated) !== JSON.stringify(known.match);
    }
    if (undone) {
      const restorations = known.restorations + 1;
      Object.assign(known, { match: undefined, version: 0, restorations });
    }
    const rows = (again ?? added).filter(([version]) => version > known.version);
    isMissing = rows[0]?.[0] > known.version + 1;
    if (!isMissing) {
      known.match = reveal(fold(rows, known.match), known.proof);
      known.version += rows.length;
      events = rows.flatMap((row) => row[1]);
    }
  } catch (problem) {
    known.error = /** @type {Error} */ (problem);
  }
  if (undone || events.some(({ event }) => event === "guessed" || event === "round_ended")) {
    known.advice = undefined;
  }
  return { isRead, isMissing, undone, events: undone ? [] : events };
}

/**
 * Change what a match has beside its rows. Returns the kind of the change, if any.
 * @param {Followed} known @param {Message} message
 */
function addNews(known, message) {
  switch (message.op) {
    case "presence":
      known.present = known.present.filter((id) => id !== message.player);
      if (message.here) known.present.push(message.player);
      return "presence";
    case "spectators":
      known.spectators = message.count;
      return "spectators";
    case "said":
    case "chat":
      return addLines(known, message.lines ?? [message.line]) ? "chat" : undefined;
    case "advice":
      if (message.guess - 1 === known.match?.current?.turns.length) known.advice = message;
      return "advice";
  }
  return undefined;
}

/**
 * Add the lines that are new. Returns their number.
 * @param {Followed} known @param {ChatLine[]} all
 */
function addLines(known, all) {
  // Not the number alone, because it may be of another epoch; an old server sends no time. Lines
  // without a time keep their places.
  const write = (/** @type {ChatLine} */ line) => JSON.stringify({ ...line, v: 0, at: 0 });
  const heard = known.chat.map(write);
  const lines = all.filter((line) => !heard.includes(write(line)));
  known.chat.push(...lines);
  known.chat.sort((a, b) => (a.at ?? b.at ?? 0) - (b.at ?? a.at ?? 0));
  return lines.length;
}
