import assert from "node:assert/strict";
import test from "node:test";

import { describeOmission, meanOf } from "../../../web/mastermind_web/figures.js";
import "./kit.mjs";

const list = (...matches) => matches.map((number) => ({ figures: { matches: number } }));

test("a list with fewer matches than there are says that it is cut", () => {
  assert.equal(describeOmission(list(3, 2), { matches: 5 }), false);
  assert.equal(describeOmission([], {}), false);
  const { children } = describeOmission(list(3, 2), { matches: 6 });
  assert.deepEqual(children, ["Only those with the most matches are listed."]);
});

test("the mean number of guesses is that of the broken codes", () => {
  assert.equal(meanOf({ distribution: [0, 1, 0, 3], unbroken: 5 }), 3.5);
  assert.equal(meanOf({ unbroken: 5 }), undefined);
});
