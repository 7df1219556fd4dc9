import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { sha256 } from "../../../../web/mastermind_web/game/sha256.js";
import { toHex } from "../kit.mjs";

test("SHA-256 is that of Node for all lengths of padding", () => {
  for (let length = 0; length < 130; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7);
    assert.equal(toHex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});
