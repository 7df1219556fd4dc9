import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../../web/mastermind_web/game/rules.js";
import * as row from "../../../../web/mastermind_web/match/entry.js";
import "../kit.mjs"; // the texts

const fill = (...colours) => colours.reduce((entry, colour) => row.putPeg(entry, colour), row.emptyEntry(4));

test("pegs go to the free places in their order, and the last change is undone", () => {
  const entry = row.putPeg(row.putPeg(fill(0, 1), 2, 3), 3);
  assert.deepEqual([entry.pegs, entry.cursor], [[0, 1, 3, 2], 3]);
  assert.deepEqual(entry.before.pegs, [0, 1, undefined, 2]);
  const full = row.moveCursor(entry, 9);
  assert.equal(full.cursor, 4);
  assert.equal(row.putPeg(full, 5), full);
  const taken = row.takePeg(entry);
  assert.deepEqual([taken.pegs, taken.cursor], [[0, 1, 3, undefined], 3]);
  assert.equal(taken.before, entry);
  assert.equal(row.takePeg(row.emptyEntry(4)).cursor, 0);
});

test("pegs change places, and free places take the colour before them", () => {
  assert.deepEqual(row.swapPegs(fill(0, 1), 1, 2).pegs, [0, undefined, 1, undefined]);
  assert.deepEqual(row.fillRow(fill(0, 1)).pegs, [0, 1, 1, 1]);
  assert.deepEqual(row.fillRow(row.emptyEntry(4)).pegs, row.emptyEntry(4).pegs);
});

test("a copied code is changed from its first peg", () => {
  const entry = row.putPeg(row.enterCode(row.emptyEntry(4), [3, 3, 4, 4]), 0);
  assert.deepEqual([entry.pegs, entry.cursor], [[0, 3, 4, 4], 1]);
});

const type = (key, code) => row.findColour({ key, code }, findRules("classic"));

test("a letter or digit of another layout is the colour of its key", () => {
  assert.deepEqual([type("r", "KeyR"), type("B", "KeyB"), type("6", "Digit6")], [0, 2, 5]);
  assert.deepEqual([type("к", "KeyR"), type("Β", "KeyB"), type("٦", "Digit6")], [0, 2, 5]);
  assert.deepEqual([type("é", "Digit2"), type("ｇ", "KeyG")], [1, 1]);
  for (const code of ["KeyQ", "Semicolon", "Digit9", ""]) assert.equal(type("й", code), undefined);
});

test("a Latin letter is itself at any place", () => {
  assert.deepEqual([type("r", "KeyO"), type("x", "KeyB")], [0, undefined]); // as with Dvorak
});
