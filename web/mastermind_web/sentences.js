// The sentences about a running match. ends.js has those of its ends.

import { describeSeconds } from "./clock.js";
import { nameOf } from "./elements.js";
import { playersOf } from "./game.js";
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

/** Return the sentences about events that no state of the match shows. @param {import("./game.js").Event[]} events */
export function describeNews(events) {
  return events.map(({ event, lost, late }) => {
    if (event === "resumed") return t("The server lost time: the clock gets {time} back.", { time: describeSeconds(Math.ceil(lost / 1000)) });
    return event === "declined" && (late ? t("The challenge has expired: there was no answer.") : t("The challenge was declined."));
  }).filter(Boolean).join(" ");
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
