import assert from "node:assert/strict";
import test from "node:test";

import {
  explain,
  fill,
  n,
  t,
  texts,
  useTexts,
} from "../../../web/mastermind_web/texts.js";
import { readTexts } from "./kit.mjs";

test("placeholders are replaced, and unknown ones stay", () => {
  assert.equal(fill("{a} and {b}", { a: "{b}", b: 0 }), "{b} and 0");
  assert.equal(fill("{toString}", {}), "{toString}");
  assert.equal(fill("{a}", { a: ["x", "y"] }), "x (or y)");
});

test("a refusal is explained by its reason, its message or its code", () => {
  const refusal = {
    code: "invalid_code",
    message: "Not so.",
    reason: "too_long",
    values: { number: 1 },
  };
  try {
    assert.equal(explain(refusal), "Not so.");
    useTexts({ ...readTexts("pl"), reasons: { too_long: "{number} za dużo" } });
    assert.equal(explain(refusal), "1 za dużo");
    assert.equal(explain({ ...refusal, values: {} }), texts.codes.invalid_code);
    assert.equal(explain({ ...refusal, reason: "later" }), texts.codes.invalid_code);
    assert.equal(explain({ ...refusal, code: "later", reason: undefined }), "Not so.");
  } finally {
    useTexts(readTexts("en"));
  }
});

test("sentences and plural forms are those of the language", () => {
  assert.equal(t("{name} waits", { name: "Ann" }), "Ann waits");
  const count = (number) => n("{count} guess", "{count} guesses", number);
  assert.deepEqual([0, 1, 2].map(count), ["0 guesses", "1 guess", "2 guesses"]);
  try {
    useTexts({
      ...readTexts("pl"),
      sentences: { "{name} waits": "{name} czeka" },
      plurals: {
        "{count} guess": { one: "{count} próba", few: "{count} próby", many: "{count} prób" },
      },
    });
    assert.equal(t("{name} waits", { name: "Ann" }), "Ann czeka");
    assert.deepEqual([1, 2, 5, 22].map(count), ["1 próba", "2 próby", "5 prób", "22 próby"]);
  } finally {
    useTexts(readTexts("en"));
  }
});
