import assert from "node:assert/strict";
import test from "node:test";

import { fold } from "../../../../web/mastermind_web/game/fold.js";
import { describeCostOfLeaving, describeVerdict } from "../../../../web/mastermind_web/match/ends.js";
import "../kit.mjs";

globalThis.navigator ??= { languages: ["en"] }; // Node 18

const ADA = { id: "ADA", name: "Ada" };
const HARD = { id: "bot-hard-breaker", name: "hard", bot: "optimal" };

/** Return a finished match in which Ada hides 1234 and `breaker` breaks it. */
const hideFrom = (breaker, { rules = "classic", how = "broken", rounds = 1 } = {}) => {
  const match = fold([
    [1, [{ event: "opened", rules, rounds }]],
    [2, [{ event: "joined", player: ADA, seat: "maker" }]],
    [3, [{ event: "joined", player: breaker, seat: "breaker" }]],
  ]);
  const round = { maker: "ADA", breaker: breaker.id, turns: [{}, {}], how };
  return { ...match, played: [round], outcome: { how: how === "left" ? how : "played", winner: breaker.id } };
};

test("a code hidden from a bot ends with the bot's guesses, and nobody wins", () => {
  for (const [match, verdict] of [
    [hideFrom(HARD), "hard needed 2 guesses; it usually needs 4.3."],
    [hideFrom(HARD, { rules: "4x9/12" }), "hard needed 2 guesses."],
    [hideFrom(HARD, { how: "exhausted" }), "hard did not break the code; it usually needs 4.3 guesses."],
    [hideFrom({ id: "EVE", name: "Eve", program: true }, { how: "exhausted" }), "Eve did not break the code."],
    [hideFrom(HARD, { how: "left" }), "Nobody has won or lost."],
    [hideFrom({ id: "BOB", name: "Bob" }), "Bob wins."],
    [hideFrom(HARD, { rounds: 2 }), "hard wins."],
  ]) {
    assert.equal(describeVerdict(match, "ADA"), verdict);
  }
});

test("leaving costs the match, except where a bot breaks the only code", () => {
  for (const [match, cost] of [
    [hideFrom(HARD), /^Nobody wins or loses\. To go on later/],
    [{ ...hideFrom(HARD), clock: { live: true } }, /^Nobody wins or loses\.$/],
    [hideFrom(HARD, { rounds: 2 }), /^The other player wins\./],
    [hideFrom({ id: "BOB", name: "Bob" }), /^The other player wins\./],
  ]) {
    assert.match(describeCostOfLeaving(match), cost);
  }
});
