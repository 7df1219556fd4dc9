// A followed match: its rows, chat and players as the server has reported them.

import { fold } from "../game/fold.js";
import { roundNumber } from "../game/rules.js";

/**
 * @import {Event, Match, Row} from "../types.js"
 *
 * @typedef {{op: string, id?: number, [field: string]: any}} Message
 * @typedef {{room: string, n: number, by: string, name: string, text?: string, phrase?: number}}
 *     ChatLine
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
 * @typedef {object} Folded What new rows have changed.
 * @property {boolean} isRead Whether all rows have been read again.
 * @property {boolean} [isMissing] Whether rows before the new ones have not arrived.
 * @property {boolean} [undone] Whether the server has gone back to an earlier state.
 * @property {Event[]} [events] Absent if the match is not folded.
 */

/** @returns {Followed} */
export function makeFollowed() {
  return {
    version: 0, start: Infinity, restorations: 0, subscribed: true, present: [], spectators: 0,
    chat: [],
  };
}

/** Return a text that differs between the turns of a match. @param {Followed} [known] */
export function findTurn({ match, restorations } = makeFollowed()) {
  const guesses = match?.current?.turns.length;
  return match && `${restorations} ${match.phase} ${roundNumber(match)} ${guesses}`;
}

/**
 * Return the time that the player to move still has, in milliseconds, or undefined if no clock
 * runs.
 * @param {Followed} [known]
 */
export function findTimeLeft({ match, start } = makeFollowed()) {
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
export function addRows(known, added, more) {
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
      const repeated = fold(again.slice(0, known.version));
      undone = JSON.stringify(repeated) !== JSON.stringify(known.match);
    }
    if (undone) {
      const restorations = known.restorations + 1;
      Object.assign(known, { match: undefined, version: 0, restorations });
    }
    const rows = (again ?? added).filter(([version]) => version > known.version);
    isMissing = rows[0]?.[0] > known.version + 1;
    if (!isMissing) {
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
  return { isRead, isMissing, undone, events: undone ? [] : events };
}

/**
 * Change what a match has beside its rows. Returns the kind of the change, if any.
 * @param {Followed} known @param {Message} message
 */
export function addNews(known, message) {
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
  // Whole lines, because `n` may be of another epoch.
  const heard = known.chat.map((line) => JSON.stringify(line));
  const lines = all.filter((line) => !heard.includes(JSON.stringify(line)));
  known.chat.push(...lines);
  return lines.length;
}
