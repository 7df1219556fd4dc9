// The codes that fit all answers of a round, and the answers that rule a guess out. Pure functions.

import { feedback } from "../game/checks.js";
import { countCodes, hasRepeat } from "../game/rules.js";
import { t, texts } from "../texts.js";

/**
 * @import {Code, Turn} from "../types.js"
 * @import {Rules} from "../texts.js"
 */

const MOST_CODES = 5040; // counting more would delay a drawing, as at a terminal
const LARGE_MEAN = 1000; // the least mean without a decimal, as at a terminal
/** The last count: a page draws the same answers many times. */
let last = { key: "", count: /** @type {number | undefined} */ (undefined) };

/** Return the number of all codes. @param {Rules} rules */
export const countAll = ({ pegs, palette, unique }) => countCodes(pegs, palette.length, unique);

/**
 * Return the number of codes that fit the answers, or undefined if there are too many codes.
 * @param {Rules} rules @param {Turn[]} turns
 */
export function countFitting(rules, turns) {
  if (countAll(rules) > MOST_CODES) return undefined;
  const key = JSON.stringify([rules.name, turns]);
  if (key !== last.key) {
    const fitting = listCodes(rules).filter((code) => findExcluding(code, turns) === undefined);
    last = { key, count: fitting.length };
  }
  return last.count;
}

/**
 * Return a number of codes for a text. An estimate is rounded to two digits.
 * @param {number} number @param {boolean} [estimated]
 */
export const writeCount = (number, estimated) => (
  estimated ? t("about {number}", { number: roundEstimate(number) }) : number
);

/**
 * Return a mean number of codes for a text. An estimate, and a large mean, is written like a count.
 * @param {number} size @param {boolean} [estimated]
 */
export const writeMean = (size, estimated) => (
  estimated || size >= LARGE_MEAN ? writeCount(Math.round(size), estimated)
    : size.toLocaleString(texts.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
);

/** Round an estimate to two digits. @param {number} number */
export const roundEstimate = (number) => Number(number.toPrecision(2));

/** @param {Rules} rules @returns {Code[]} */
function listCodes({ pegs, palette, unique }) {
  let codes = /** @type {Code[]} */ ([[]]);
  for (let peg = 0; peg < pegs; peg++) {
    codes = codes.flatMap((code) => palette.map((_, colour) => [...code, colour]))
      .filter((code) => !(unique && hasRepeat(code)));
  }
  return codes;
}

/**
 * Return the number, from 1, of the first guess whose answer rules `code` out, or undefined.
 * @param {Code} code @param {Turn[]} turns
 */
export function findExcluding(code, turns) {
  const index = turns.findIndex((turn) => {
    const { black, white } = feedback(code, turn.code);
    return black !== turn.black || white !== turn.white;
  });
  return index < 0 ? undefined : index + 1;
}
