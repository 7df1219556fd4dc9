import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../../web/mastermind_web/game/rules.js";
import { putPeg } from "../../../../web/mastermind_web/match/entry.js";
import { fillAnswer, findRefusal } from "../../../../web/mastermind_web/solve/answer.js";
import {
  add, correct, edit, enter, insert, isAnswering, isFound, leave, remove, replace, start, take,
} from "../../../../web/mastermind_web/solve/row.js";
import "../kit.mjs";

const CLASSIC = findRules("classic");
const play = (row, code, black, white) => add({ ...take(row, code), answer: { black, white } });
const two = play(play(start(4), [0, 0, 1, 1], 1, 1), [2, 2, 3, 3], 0, 1);
const codes = ({ turns }) => turns.map(({ code }) => code.join(""));
const undo = (row) => enter(row, row.entry.before);

test("a guess is added once its answer is complete", () => {
  let row = start(4);
  for (const colour of [0, 0, 1, 1]) row = enter(row, putPeg(row.entry, colour));
  assert.ok(isAnswering(row));
  assert.equal(add({ ...row, answer: { black: 1 } }).turns.length, 0);
  assert.deepEqual(add({ ...row, answer: { black: 1, white: 0 } }).turns, [
    { code: [0, 0, 1, 1], black: 1, white: 0 },
  ]);
});

test("any guess can be changed, deleted, or have another one inserted before it", () => {
  const first = edit(two, 0);
  assert.deepEqual([first.entry.pegs, first.answer], [[0, 0, 1, 1], { black: 1, white: 1 }]);
  assert.deepEqual(codes(add({ ...first, entry: take(first, [5, 5, 5, 5]).entry })), ["5555", "2233"]);
  assert.deepEqual(codes(remove(first)), ["2233"]);
  assert.deepEqual(codes(play(insert(edit(two, 1)), [4, 4, 4, 4], 0, 0)), ["0011", "4444", "2233"]);
  assert.deepEqual(codes(play(leave(first), [4, 4, 4, 4], 0, 0)), ["0011", "2233", "4444"]);
});

test("a correction changes one answer", () => {
  const { turns } = correct(two, { turn: 2, black: 1, white: 2 });
  assert.deepEqual(turns.map(({ black, white }) => [black, white]), [[1, 1], [1, 2]]);
});

test("undoing leads back over pegs and turns, one by one", () => {
  const row = enter(two, putPeg(two.entry, 5));
  const steps = [undo(row), undo(undo(row))];
  assert.deepEqual(steps.map(codes), [["0011", "2233"], ["0011"]]);
  assert.deepEqual(steps[1].answer, { black: 0, white: 1 });
  assert.deepEqual(codes(undo(replace(two, []))), ["0011", "2233"]);
  assert.equal(undo(undo(undo(undo(row)))).turns.length, 0);
});

test("a guess with all pegs right has found the code", () => {
  assert.ok(!isFound(two));
  assert.ok(isFound(play(two, [0, 0, 1, 1], 4, 0)));
});

test("an answer that no guess can get is refused, and a number that follows is filled in", () => {
  const problems = [[3, 1], [4, 1], [0, 0]].map(([black, white]) => (
    findRefusal({ black, white }, findRules("4x6u")) !== undefined
  ));
  assert.deepEqual(problems, [true, true, true]);
  const allowed = [{ black: 0, white: 0 }, { black: 0 }, { white: 4 }];
  assert.deepEqual(allowed.map((answer) => findRefusal(answer, CLASSIC)), [undefined, undefined, undefined]);
  assert.equal(findRefusal({ black: 0 }, findRules("4x6u")), undefined);
  assert.equal(findRefusal({ black: 7 }, CLASSIC), "7 black and 0 white are more than the 4 pegs of classic");
  assert.deepEqual(fillAnswer({ black: 3 }, CLASSIC), { black: 3, white: 0 });
  assert.deepEqual(fillAnswer({ black: 2 }, CLASSIC), { black: 2 });
});
