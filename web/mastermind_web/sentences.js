// The sentences about matches: their terms, players, times and moments. ends.js has those of their ends.

import { DAY, MINUTE, SECOND, join, nameOf, writeTime } from "./elements.js";
import { findClock, findRules, playersOf } from "./game.js";
import { n, t } from "./texts.js";

/**
 * @typedef {import("./game.js").Match} Match
 * @typedef {import("./board.js").Moment} Moment
 */

/** @param {Match} match @param {string} [id] */
export const findName = (match, id) => nameOf(playersOf(match).find((player) => player.id === id)?.name);

/** @param {{black: number, white: number}} feedback */
export const describeFeedback = ({ black, white }) => [t("{number} black", { number: black }), t("{number} white", { number: white })]
  .map((words) => words.replaceAll(" ", "\u00a0")).join(", ");

const PROVISIONAL = 110; // a rating with this deviation or more has a question mark

/** Return a rating, with a question mark if it is provisional. @param {import("./game.js").Rating} rating */
export const writeRating = ({ rating, deviation }) => `${Math.round(rating)}${deviation >= PROVISIONAL ? "?" : ""}`;

/** Return a rounded change of a rating with its sign. @param {number} change */
export const writeChange = (change) => (change > 0 ? "+" : "") + String(change).replace("-", "−");

/** Return a sentence about the size of a game. @param {string} rules */
export function describeRules(rules) {
  const { name, pegs: rowLength, palette, guesses: limit } = findRules(rules);
  const pegs = n("{number} peg", "{number} pegs", rowLength);
  const colours = n("{number} colour", "{number} colours", palette.length);
  const guesses = limit === null ? t("as many guesses as it takes") : n("{number} guess", "{number} guesses", limit);
  return t("{rules}: {pegs}, {colours}, {guesses}.", { rules: name, pegs, colours, guesses });
}

/**
 * Return the sentences about the terms of a match.
 * @param {{rules: string, rounds: number, clock?: string, rated?: boolean}} offered
 */
export function describeOffer({ rules, rounds, clock, rated }) {
  const sentences = [
    describeRules(rules),
    rounds > 1 && n("{number} round; you swap seats after each.", "{number} rounds; you swap seats after each.", rounds),
    clock && describeClock(clock),
    rated && t("Rated: no advice, no bots."),
  ];
  return /** @type {string[]} */ (sentences.filter(Boolean));
}

/** Return a sentence about the time that players have. @param {string} clock */
export function describeClock(clock) {
  const { base, increment, move, live } = findClock(clock);
  if (!live) return n("Each move has {number} day.", "Each move has {number} days.", move / DAY);
  if (move) return t("Each guess has {seconds} seconds.", { seconds: move / SECOND });
  const time = n("The codebreaker has {number} minute a round.", "The codebreaker has {number} minutes a round.", base / MINUTE);
  return join(" ", time, increment && n("Each guess adds {number} second.", "Each guess adds {number} seconds.", increment / SECOND));
}

/** Return a sentence about the time that is left, for screen readers. @param {number} left @param {boolean} live */
export function speakTime(left, live) {
  const [minutes, seconds] = [Math.floor(left / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  const time = join(" ", minutes && n("{number} minute", "{number} minutes", minutes), (seconds || !minutes) && describeSeconds(seconds));
  return t("{time} left.", { time: live ? time : writeTime(left, live) });
}

/** @param {number} number */
export const describeSeconds = (number) => n("{number} second", "{number} seconds", number);

/** Return the sentences about events that no state of the match shows. @param {import("./game.js").Event[]} events */
export function describeNews(events) {
  return join(" ", ...events.map(({ event, lost, late }) => {
    if (event === "resumed") return t("The server lost time: the clock gets {time} back.", { time: describeSeconds(Math.ceil(lost / 1000)) });
    return event === "declined" && (late ? t("The challenge has expired: there was no answer.") : t("The challenge was declined."));
  }));
}

/** Return the sentence about a moment of a running round. @param {Match} match @param {Moment | undefined} moment @param {boolean} isLast @param {string | undefined} me @param {(code: number[]) => string} write */
export function describeMoment(match, moment, isLast, me, write) {
  if (!moment) return t("Waiting for the second player.");
  const { round, turns } = moment;
  const [maker, breaker] = [findName(match, round.maker), findName(match, round.breaker)];
  const turn = round.turns[turns - 1];
  if (turn) return t("Guess {number}, {pegs}: {answer}.", { number: turns, pegs: write(turn.code), answer: describeFeedback(turn) });
  if (isLast && match.phase === "setting") return round.maker === me ? t("Hide a code for {name}.", { name: breaker }) : t("{name} is hiding a code.", { name: maker });
  if (round.drawn) return t("The time to set a secret is over: the server has drawn one.");
  if (round.maker === me) return t("Your code is hidden. {name} looks for it.", { name: breaker });
  if (!round.commitment) return t("{name} keeps no fixed code: each answer only has to fit its earlier ones.", { name: maker });
  return round.breaker === me ? t("{name} has hidden a code. Find it!", { name: maker }) : t("{breaker} looks for the code of {maker}.", { breaker, maker });
}
