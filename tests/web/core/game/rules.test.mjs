import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";

import { fold } from "../../../../web/mastermind_web/game/fold.js";
import {
  describeColours, findClock, findRules, isCode, parseSymbol, sha256, writeSize,
} from "../../../../web/mastermind_web/game/rules.js";
import { find, toHex } from "../kit.mjs";

test("rules are found by name", () => {
  assert.equal(findRules(" Classic").pegs, 4);
  assert.equal(findRules("4X6").name, "4x6/12");
  const { name, pegs, guesses, palette } = findRules("5x8/10");
  assert.deepEqual([name, pegs, guesses, palette.length], ["5x8/10", 5, 10, 8]);
  const wrong = ["", "constructor", "10x6", "4x13", "4x1", "4x6/0", "4x6/100", "04x6", "5x4u", "4ux6"];
  for (const unknown of wrong) {
    assert.throws(() => findRules(unknown), RangeError, unknown);
  }
});

test("a u forbids a colour twice, as bulls do", () => {
  const rules = findRules("4X10u");
  assert.deepEqual([rules.name, rules.alphabets], ["4x10u/12", ["RGBYOPCMLT", "1234567890"]]);
  assert.deepEqual(findRules("4x11u").alphabets, ["RGBYOPCMLTN"]);
  for (const each of [rules, findRules("bulls")]) {
    assert.equal(writeSize(each), "4x10u");
    assert.deepEqual([[0, 9, 1, 8], [0, 9, 0, 8]].map((code) => isCode(code, each)), [true, false]);
  }
  assert.ok(isCode([0, 5, 0, 5], findRules("classic")));
  assert.deepEqual(["bulls", "4x10"].map((name) => findRules(name).bulls), [true, undefined]);
});

test("rules without letters have digits instead of colours", () => {
  const names = ["bulls", "4x10u", "lab", "classic"];
  const told = names.map((name) => describeColours(findRules(name)));
  assert.deepEqual(told, ["10 digits, no repeats", "10 colours, no repeats", "6 digits", "6 colours"]);
});

test("codes are typed in any alphabet", () => {
  const rules = findRules("classic");
  assert.deepEqual(
    ["1", "r", "R", "P", "7", "", "12"].map((symbol) => parseSymbol(symbol, rules)),
    [0, 0, 0, 5, undefined, undefined, undefined],
  );
});

test("lost time is given back, with a clock of days, too", () => {
  const { rows } = find("a clock with increments, credited latency and time given back");
  for (const clock of ["5+3", "3d/move"]) {
    const [opened, ...joined] = rows.slice(0, 3).flatMap(({ events }) => events);
    const match = fold([[1, [{ ...opened, clock }, ...joined]]]);
    const resumed = fold([[2, [{ event: "resumed", lost: 9000 }], 10]], match);
    assert.equal(resumed.timer.left, match.timer.left + 9000);
  }
});

test("a clock has a name of three forms", () => {
  const times = { base: 0, increment: 0, move: 0, live: true };
  assert.deepEqual(findClock(" 5+3"), { ...times, base: 300_000, increment: 3000 });
  assert.deepEqual(findClock("60/move"), { ...times, move: 60_000 });
  assert.deepEqual(findClock("3D/move"), { ...times, move: 259_200_000, live: false });
  for (const wrong of ["", "5", "5+", "1h", "5+3/move"]) {
    assert.throws(() => findClock(wrong), RangeError);
  }
});

test("SHA-256 is that of Node for all lengths of padding", () => {
  for (let length = 0; length < 130; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7);
    assert.equal(toHex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});
