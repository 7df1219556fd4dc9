import assert from "node:assert/strict";
import test from "node:test";

import { areRatingsRight, checkRound, feedback, rate } from "../../../../web/mastermind_web/game/checks.js";
import { find, foldAll } from "../kit.mjs";

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

test("a round with another code, nonce or feedback is a fraud, one without both is not", () => {
  const {
    played: [round],
    rules,
  } = foldAll(find("broken after advice, and a rematch"));
  const [first, ...others] = round.turns;
  const kinds = [
    [{ secret: undefined }, { kind: "hidden" }],
    [{ nonce: undefined }, { kind: "hidden" }],
    [{ secret: [0, 1, 2, 4] }, { kind: "changed" }],
    [{ nonce: new Uint8Array(16) }, { kind: "changed" }],
    [{ turns: [{ ...first, black: 1 }, ...others] }, { kind: "feedback", guess: 1 }],
  ];
  assert.equal(checkRound({ ...round, secret: undefined, nonce: undefined }, rules), undefined);
  for (const [changes, fraud] of kinds)
    assert.deepEqual(checkRound({ ...round, ...changes }, rules), fraud);
  const {
    played: [adaptive],
  } = foldAll(find("a codemaker that keeps no code"));
  assert.equal(adaptive.commitment, undefined);
  assert.deepEqual(checkRound({ ...adaptive, secret: [0, 1, 2, 9] }, rules), {
    kind: "illegal",
  });
  assert.deepEqual(checkRound({ ...adaptive, secret: [5, 5, 5, 5] }, rules), {
    kind: "feedback",
    guess: 1,
  });
});

test("feedback counts each peg of the secret once", () => {
  for (const [secret, guess, black, white] of [
    [[0, 0, 2, 2], [0, 0, 0, 2], 3, 0],
    [[0, 1, 2, 3], [0, 0, 1, 1], 1, 1],
    [[0, 1, 2, 3], [3, 2, 1, 0], 0, 4],
  ])
    assert.deepEqual(feedback(secret, guess), { black, white });
});

test("a change of ratings that does not follow from the result is found", () => {
  const match = foldAll(find("a rated match changes ratings"));
  const [first, { after, ...second }] = match.ratings;
  assert(areRatingsRight(match));
  const gained = { ...second, after: { ...after, rating: after.rating + 1 } };
  assert(!areRatingsRight({ ...match, ratings: [first, gained] }));
  assert(!areRatingsRight({ ...match, outcome: { how: "played", winner: second.player } }));
});
