import assert from "node:assert/strict";
import test from "node:test";

import { Refusal } from "../../../web/mastermind_web/game.js";
import {
  explain,
  fill,
  n,
  t,
  texts,
  useTexts,
} from "../../../web/mastermind_web/texts.js";
import { readCode } from "../../../web/mastermind_web/pages/home.js";
import { readTexts } from "./kit.mjs";

test("placeholders are replaced, and unknown ones stay", () => {
  assert.equal(fill("{a} and {b}", { a: "{b}", b: 0 }), "{b} and 0");
  assert.equal(fill("{toString}", {}), "{toString}");
  assert.equal(fill("{a}", { a: ["x", "y"] }), "x (or y)");
});

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

test("a match code is read from links as the server and the terminal read it", () => {
  const ends = ["", "/", ".", ")", ",", "!", "%20", "%E2%80%9D", "_", "*/?fbclid=1", ")./", "...", "%2F", "-", " \u201d"];
  for (const end of ends) {
    for (const start of ["", " ", "http://game.test/", "(https://[::1]:80/"]) {
      assert.equal(readCode(`${start}k7m2qx${end}`), "K7M2QX", `${start} ${end}`);
    }
  }
  assert.deepEqual(["soon", "?", ""].map(readCode), ["SOON", "", ""]);
});
