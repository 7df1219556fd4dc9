// The sentences about a running match. ends.js has those of its ends.

import { join, nameOf } from "../elements.js";
import { describeColours, playersOf } from "../game/rules.js";
import { n, t, texts } from "../texts.js";

/**
 * @import {Feedback, Match, Round} from "../types.js"
 * @import {Rules} from "../texts.js"
 * @typedef {{round: Round, index: number, turns: number, ended: boolean}} Moment A position of the
 *     playback: a round with its first guesses.
 */

/** Return the name of the rules for a title. @param {Rules} rules */
export function nameRules(rules) {
  const { name } = rules;
  return Object.hasOwn(texts.presets, name) ? name[0].toUpperCase() + name.slice(1) : sizeOf(rules);
}

/** Return the size of the codes. @param {Rules} rules */
export const sizeOf = (rules) => (
  join(", ", n("{number} peg", "{number} pegs", rules.pegs), describeColours(rules))
);

/**
 * Return how codes are written: their `letters`, which say more than digits, `write` for a code,
 * and `label` for a colour, its name with its letter or digit.
 * @param {Rules} rules
 */
export function spell({ alphabets, palette }) {
  const letters = [...[...alphabets].sort()[alphabets.length - 1]];
  return {
    letters,
    write: (/** @type {number[]} */ code) => code.map((colour) => letters[colour]).join(" "),
    label(/** @type {number} */ colour) {
      const letter = letters[colour];
      return texts.colours[palette[colour]] + (letter > "9" ? ` (${letter})` : ` ${letter}`);
    },
  };
}

/** @param {Match} match @param {string} [id] */
export const findName = (match, id) => (
  nameOf(playersOf(match).find((player) => player.id === id)?.name)
);

/** @param {Feedback} feedback @param {Rules} rules */
export function describeFeedback({ black, white }, { bulls }) {
  const parts = bulls
    ? [n("{number} bull", "{number} bulls", black), n("{number} cow", "{number} cows", white)]
    : [t("{number} black", { number: black }), t("{number} white", { number: white })];
  return parts.map((words) => words.replaceAll(" ", "\u00a0")).join(", ");
}

/**
 * Return the sentence about a moment of a running round.
 * @param {Match} match @param {Moment | undefined} moment @param {boolean} isLast
 * @param {string | undefined} me
 */
export function describeMoment(match, moment, isLast, me) {
  if (!moment) return match.outcome ? "" : t("Waiting for the second player.");
  const { round, turns: number } = moment;
  const turn = round.turns[number - 1];
  if (!turn) return moment.ended ? "" : describeStart(match, round, isLast, me);
  const pegs = spell(match.rules).write(turn.code);
  const answer = describeFeedback(turn, match.rules);
  return t("Guess {number}, {pegs}: {answer}.", { number, pegs, answer });
}

/**
 * Return the sentence about a round before its first guess.
 * @param {Match} match @param {Round} round @param {boolean} isLast @param {string} [me]
 */
export function describeStart(match, round, isLast, me) {
  const [maker, breaker] = [findName(match, round.maker), findName(match, round.breaker)];
  const mine = round.maker === me;
  if (isLast && match.phase === "setting") {
    return mine
      ? t("Hide a code for {name}.", { name: breaker })
      : t("{name} is hiding a code.", { name: maker });
  }
  if (match.opened.contest) return t("One code for everybody, one try.");
  if (round.drawn) return t("The time to set a secret is over: the server has drawn one.");
  if (mine) return t("Your code is hidden. {name} looks for it.", { name: breaker });
  if (!round.commitment) {
    return t("{name} keeps no fixed code: each answer only has to fit its earlier ones.", { name: maker });
  }
  return round.breaker === me
    ? t("{name} has hidden a code. Find it!", { name: maker })
    : t("{breaker} looks for the code of {maker}.", { breaker, maker });
}
