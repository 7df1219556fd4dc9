import assert from "node:assert/strict";
import test from "node:test";

import { rate } from "../../../web/mastermind_web/glicko.js";

const make = ([rating, deviation, volatility = 0.06]) => ({ rating, deviation, volatility });

// The results are those of the server.
for (const [before, opponent, score, after] of [
  [[1900, 80], [1700, 60], 0, [1873.634, 78.531, 0.0600046]],
  [[1200, 60], [2000, 50], 1, [1220.228, 59.964, 0.0600127]],
  [[1500, 350], [1500, 350], 1, [1662.212, 290.231, 0.0599997]],
  [[1500, 45], [1500, 45], 0.5, [1500, 45, 0.0599967]],
  [[400, 350, 0.1], [3600, 45], 1, [1098.083, 350, 0.1]],
]) {
  test(`a rating of ${before} after ${score} against ${opponent}`, () => {
    const changed = Object.values(rate(make(before), make(opponent), score));
    for (const [index, digits] of [3, 3, 7].entries()) {
      assert.equal(Number(changed[index].toFixed(digits)), after[index]);
    }
  });
}
