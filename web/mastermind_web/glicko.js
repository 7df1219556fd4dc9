// The change of a rating by one match: Glicko-2, as docs/PROTOCOL.md describes it.

/** @typedef {import("./game.js").Rating} Rating */

const SCALE = 173.7178; // points of the shown scale in one unit of Glicko-2
const TAU = 0.5; // how fast the volatility changes
const TOLERANCE = 1e-6; // of the logarithm of the squared volatility

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
 * Return the new volatility by the Illinois algorithm, with the symbols of Glickman's paper.
 * @param {number} before @param {number} phi @param {number} variance @param {number} delta
 */
function findVolatility(before, phi, variance, delta) {
  const start = Math.log(before ** 2);
  /** @param {number} x */
  const slope = (x) => {
    const spread = phi ** 2 + variance + Math.exp(x);
    return (Math.exp(x) * (delta ** 2 - spread)) / (2 * spread ** 2) - (x - start) / TAU ** 2;
  };
  let [low, high] = [start, start - TAU];
  if (delta ** 2 > phi ** 2 + variance) high = Math.log(delta ** 2 - phi ** 2 - variance);
  else while (slope(high) < 0) high -= TAU;
  let [atLow, atHigh] = [slope(low), slope(high)];
  while (Math.abs(high - low) > TOLERANCE) {
    const middle = low + ((low - high) * atLow) / (atHigh - atLow);
    const atMiddle = slope(middle);
    if (atMiddle * atHigh <= 0) [low, atLow] = [high, atHigh];
    else atLow /= 2;
    [high, atHigh] = [middle, atMiddle];
  }
  return Math.exp(low / 2);
}
