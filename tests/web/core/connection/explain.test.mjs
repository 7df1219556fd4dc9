import assert from "node:assert/strict";
import test from "node:test";

import { Refusal } from "../../../../web/mastermind_web/connection/connection.js";
import { explain } from "../../../../web/mastermind_web/connection/explain.js";
import { texts, useTexts } from "../../../../web/mastermind_web/texts.js";
import { readTexts } from "../kit.mjs";

test("a field of a wrong form has the sentence of what it should be", () => {
  const refusal = { code: "invalid_message", message: "Expected `str` matching regex", values: {} };
  assert.equal(explain({ ...refusal, field: "transfer" }), texts.codes.unknown_transfer);
  assert.equal(explain({ ...refusal, field: "seed" }), texts.codes.invalid_message);
});

test("a stale version is explained without its number", () => {
  const details = { reason: "stale_version", given: 3 };
  const refusal = new Refusal({ code: "stale_version", message: "version 4", details, limit: 4 });
  assert.match(explain(refusal), /has changed meanwhile/);
});

test("the time to wait is in whole seconds", () => {
  const details = { reason: "too_many_lines" };
  const refusal = new Refusal({ code: "rate_limited", message: "", details, retry_after: 1.234 });
  assert.match(explain(refusal), /wait 2 s/);
});

test("a refusal is explained by its reason, its code or its message", () => {
  const refusal = {
    code: "invalid_code",
    message: "Not so.",
    reason: "too_long",
    values: { number: 1 },
  };
  try {
    assert.equal(explain(refusal), texts.codes.invalid_code);
    useTexts({ ...readTexts("pl"), reasons: { too_long: "{number} za dużo" } });
    assert.equal(explain(refusal), "1 za dużo");
    assert.equal(explain({ ...refusal, values: {} }), texts.codes.invalid_code);
    assert.equal(explain({ ...refusal, reason: "later" }), texts.codes.invalid_code);
    assert.equal(explain({ ...refusal, code: "later", reason: undefined }), "Not so.");
  } finally {
    useTexts(readTexts("en"));
  }
});
