import assert from "node:assert/strict";
import test from "node:test";

import { Refusal } from "../../../../web/mastermind_web/connection/connection.js";
import { ask, readRules } from "../../../../web/mastermind_web/solve/requests.js";
import "../kit.mjs";

/** Return a session whose server refuses every request with a code. */
const refuseWith = (code) => ({
  request: async () => {
    throw new Refusal({ code, message: code });
  },
});

test("a server of an earlier version is named as the reason, and other refusals stay", async () => {
  await assert.rejects(ask(refuseWith("unknown_message"), "puzzle", {}), {
    code: "unsupported",
    message: "This server has no helper and no puzzles: its version is older.",
  });
  await assert.rejects(ask(refuseWith("rate_limited"), "analyse", {}), { code: "rate_limited" });
});

test("the rules of an address are refused if there are none of their name", () => {
  assert.equal(readRules("4x6").pegs, 4);
  for (const name of ["nonsense", "%", "10x2"]) {
    assert.throws(() => readRules(name), { code: "invalid_rules" });
  }
});
