import assert from "node:assert/strict";
import test from "node:test";

const kept = new Map();
globalThis.window = {
  localStorage: {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
  },
};
const { count, readRecord } = await import("../../../../web/mastermind_web/solve/record.js");
const figures = ({ solved, streak, best }) => [solved, streak, best];

test("a puzzle counts once, and a row of puzzles ends with a wrong answer or with giving up", () => {
  kept.clear();
  const steps = [
    ["4x6/1/1", "right", [1, 1, 1]],
    ["4x6/1/1", "right", [1, 1, 1]], // again
    ["4x6/1/1", "wrong", [1, 1, 1]],
    ["4x6/1/2", "right", [2, 2, 2]],
    ["4x6/1/3", "wrong", [2, 0, 2]],
    ["4x6/1/3", "right", [3, 0, 2]],
    ["4x6/1/4", "right", [4, 1, 2]],
    ["4x6/1/5", "given up", [4, 0, 2]],
    ["4x6/1/5", "right", [4, 0, 2]],
  ];
  for (const [name, what, expected] of steps) {
    assert.deepEqual(figures(count(name, what)), expected, `${name} ${what}`);
  }
  assert.deepEqual(figures(readRecord()), [4, 0, 2]);
});

test("a record has the names of the latest thousand puzzles", () => {
  kept.clear();
  for (let seed = 0; seed < 1002; seed++) count(`4x6/1/${seed}`, "right");
  const { solved, finished } = readRecord();
  assert.deepEqual([solved, finished.length, finished[0]], [1002, 1000, "4x6/1/2"]);
});
