import assert from "node:assert/strict";
import test from "node:test";

import { readCode } from "../../../web/mastermind_web/pages/home.js";
import { fill, n, t, useTexts } from "../../../web/mastermind_web/texts.js";
import { readTexts } from "./kit.mjs";

test("placeholders are replaced, and unknown ones stay", () => {
  assert.equal(fill("{a} and {b}", { a: "{b}", b: 0 }), "{b} and 0");
  assert.equal(fill("{toString}", {}), "{toString}");
  assert.equal(fill("{a}", { a: ["x", "y"] }), "x (or y)");
  assert.equal(fill("{a} of {b}", { a: 1296, b: 5159780352 }), "1296 of 5,159,780,352");
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
