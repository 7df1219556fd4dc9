// The checks of a finished match: its codes, its feedback, and its ratings. Pure functions.

import { awaitsProof, isCode, isCommitment, playersOf } from "./rules.js";

/**
 * @import {Code, Feedback, Match, Rating, Round} from "../types.js"
 * @import {Rules} from "../texts.js"
 *
 * @typedef {{kind: "hidden" | "changed" | "illegal" | "feedback", guess?: number}} Fraud
 *     No code, nonce or commitment; a code that does not match the commitment; a code that does not
 *     fit the rules; a false feedback to the guess with this number, from 1.
 */

/**
 * Return the feedback to `guess`, if `code` is the secret.
 * @param {Code} code @param {Code} guess
 * @returns {Feedback}
 */
export function feedback(code, guess) {
  /** @param {Code} pegs @param {number} colour */
  const count = (pegs, colour) => pegs.filter((peg) => peg === colour).length;
  const black = code.filter((colour, peg) => colour === guess[peg]).length;
  const colours = [...new Set(code)];
  const common = colours.map((one) => Math.min(count(code, one), count(guess, one)));
  return { black, white: common.reduce((sum, number) => sum + number, 0) - black };
}

/**
 * Return the first contradiction in an ended round, or undefined if it was fair, or waits for the
 * proof of its contest. A codemaker that keeps no code has no commitment: then only the code and
 * the feedback are checked.
 * @param {Round} round @param {Rules} rules
 * @returns {Fraud | undefined}
 */
export function checkRound(round, rules) {
  if (awaitsProof(round)) return undefined;
  const { secret, nonce, commitment, turns } = round;
  if (!secret || !nonce !== !commitment) return { kind: "hidden" };
  if (nonce && commitment && !isCommitment(commitment, nonce, secret)) return { kind: "changed" };
  if (!isCode(secret, rules)) return { kind: "illegal" };
  const guess = turns.findIndex(({ code, black, white }) => {
    const right = feedback(secret, code);
    return right.black !== black || right.white !== white;
  });
  return guess < 0 ? undefined : { kind: "feedback", guess: guess + 1 };
}

/**
 * Return whether the code of a closed day is the one that was sealed before all tries, and the one
 * that the try `round` had.
 * @param {{code: Code, nonce?: Uint8Array, commitment?: Uint8Array}} day @param {Round} [round]
 */
export function isSealed({ code, nonce, commitment }, round) {
  if (!nonce || !commitment || !isCommitment(commitment, nonce, code)) return false;
  return !round || String(round.commitment) === String(commitment);
}

/** Return whether the ratings of a match changed as its outcome says. @param {Match} match */
export function areRatingsRight(match) {
  const { outcome, ratings = [] } = match;
  return ratings.every(({ player, before, after }, index) => {
    const score = outcome?.winner === undefined ? 0.5 : Number(outcome.winner === player);
    const expected = rate(before, ratings[1 - index].before, score);
    /** @type {(keyof Rating)[]} */
    const fields = ["rating", "deviation", "volatility"];
    return fields.every((field) => Math.abs(after[field] - expected[field]) <= 0.01);
  });
}

// The change of a rating by one match: Glicko-2, as docs/PROTOCOL.md describes it.

const SCALE = 173.7178; // points of the shown scale in one unit of Glicko-2
const TAU = 0.5; // how fast the volatility changes
const TOLERANCE = 1e-9; // of the logarithm of the squared volatility

/** @param {number} least @param {number} value @param {number} most */
const limit = (least, value, most) => Math.max(least, Math.min(value, most));

/**
 * Return `rating` after a match against `opponent`: 1 for a win, 0.5 for a draw, 0 for a loss.
 * @param {Rating} rating @param {Rating} opponent @param {number} score
 * @returns {Rating}
 */
export function rate(rating, opponent, score) {
  const phi = rating.deviation / SCALE;
  const weight = 1 / Math.sqrt(1 + 3 * (opponent.deviation / SCALE / Math.PI) ** 2);
  const expected = 1 / (1 + Math.exp((-weight * (rating.rating - opponent.rating)) / SCALE));
  const variance = 1 / (weight ** 2 * expected * (1 - expected));
  const surprise = weight * (score - expected);
  const volatility = findVolatility(rating.volatility, phi, variance, variance * surprise);
  const reduced = 1 / (1 / phi ** 2 + 1 / variance);
  return {
    rating: limit(0, rating.rating + reduced * surprise * SCALE, 4000),
    deviation: limit(45, Math.sqrt(reduced) * SCALE, 350),
    volatility: limit(0.001, volatility, 0.1),
  };
}

/**
 * Return the new volatility by bisection, with the symbols of Glickman's paper.
 * @param {number} before @param {number} phi @param {number} variance @param {number} delta
 */
function findVolatility(before, phi, variance, delta) {
  const start = Math.log(before ** 2);
  /** @param {number} x */
  const slope = (x) => {
    const spread = phi ** 2 + variance + Math.exp(x);
    return (Math.exp(x) * (delta ** 2 - spread)) / (2 * spread ** 2) - (x - start) / TAU ** 2;
  };
  let [one, other] = [start, start - TAU]; // the slope is zero between them
  if (delta ** 2 > phi ** 2 + variance) other = Math.log(delta ** 2 - phi ** 2 - variance);
  else while (slope(other) < 0) other -= TAU;
  while (Math.abs(other - one) > TOLERANCE) {
    const middle = (one + other) / 2;
    if (slope(middle) > 0 === slope(one) > 0) one = middle;
    else other = middle;
  }
  return Math.exp(one / 2);
}
