import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../../web/mastermind_web/game/rules.js";
import { countFitting, findExcluding, writeCount, writeMean } from "../../../../web/mastermind_web/match/candidates.js";
import "../kit.mjs";

test("the codes that fit all answers are counted, and the first answer against a code is found", () => {
  const turns = [
    { code: [0, 0, 1, 1], black: 0, white: 2 },
    { code: [1, 2, 3, 3], black: 1, white: 1 },
  ];
  const unique = [{ code: [0, 1, 2, 3], black: 0, white: 2 }];
  const classic = findRules("classic");
  assert.deepEqual([0, 1, 2].map((number) => countFitting(classic, turns.slice(0, number))), [1296, 96, 18]);
  assert.equal(countFitting(findRules("9x12/12"), []), undefined);
  const bulls = [0, 1].map((number) => countFitting(findRules("bulls"), unique.slice(0, number)));
  assert.deepEqual(bulls, [5040, 1260]);
  assert.deepEqual([[0, 0, 1, 1], [1, 4, 0, 5], [1, 4, 0, 2]].map((code) => findExcluding(code, turns)), [1, 2, undefined]);
});

test("an estimated number of codes, or a mean of them, has two digits", () => {
  const means = [writeMean(41_237.4, true), writeMean(2), writeMean(41_237.4)];
  assert.deepEqual(means, ["about 41,000", "2.0", 41_237]);
  assert.deepEqual([writeCount(41_237, true), writeCount(7, true), writeCount(1296)], ["about 41,000", "about 7", 1296]);
});
