import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../web/mastermind_web/game.js";
import { countFitting, findExcluding } from "../../../web/mastermind_web/match/candidates.js";
import * as row from "../../../web/mastermind_web/match/entry.js";
import "./kit.mjs";

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

test("the codes that fit all answers are counted, and the first answer against a code is found", () => {
  const turns = [
    { code: [0, 0, 1, 1], black: 0, white: 2 },
    { code: [1, 2, 3, 3], black: 1, white: 1 },
  ];
  const classic = findRules("classic");
  assert.deepEqual([0, 1, 2].map((number) => countFitting(classic, turns.slice(0, number))), [1296, 96, 18]);
  assert.equal(countFitting(findRules("9x12/12"), []), undefined);
  assert.deepEqual([[0, 0, 1, 1], [1, 4, 0, 5], [1, 4, 0, 2]].map((code) => findExcluding(code, turns)), [1, 2, undefined]);
});
