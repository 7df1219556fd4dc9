import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../../web/mastermind_web/game/rules.js";
import { readPosition, writePosition } from "../../../../web/mastermind_web/solve/notation.js";
import "../kit.mjs";

const CLASSIC = findRules("classic");
const read = (text, rules = CLASSIC) => readPosition(text, rules).turns;

/** Return the sentence with which a text is refused. */
function refuse(text, rules = CLASSIC) {
  try {
    readPosition(text, rules);
  } catch (error) {
    assert.ok(error instanceof RangeError);
    return error.message;
  }
  return undefined;
}

test("a position is written as text, one turn a line, and read back with its rules", () => {
  const turns = [
    { code: [0, 0, 1, 1], black: 0, white: 2 },
    { code: [1, 2, 3, 3], black: 1, white: 1 },
  ];
  const text = writePosition({ rules: CLASSIC, turns });
  assert.equal(text, "# mastermind solve --rules classic\nRRGG 0b2w\nGBYY 1b1w\n");
  const bulls = findRules("bulls");
  assert.deepEqual(readPosition(text, bulls), { rules: CLASSIC, turns });
  const unique = findRules("4x8u");
  const position = { rules: unique, turns: [{ code: [0, 1, 2, 7], black: 1, white: 2 }] };
  assert.deepEqual(readPosition(writePosition(position), CLASSIC), position);
});

test("comments, blank lines and other line ends are skipped", () => {
  assert.deepEqual(read("# my game\r\n\r\n r r g g   1b1w\r\n"), [{ code: [0, 0, 1, 1], black: 1, white: 1 }]);
});

test("answers are read in the notations of all presets", () => {
  const answers = {
    "1b2w": [1, 2], "1 black, 2 white": [1, 2], "1 bull 2 cows": [1, 2], "1B2C": [1, 2],
    "2w1b": [1, 2], 12: [1, 2], "1,2": [1, 2], "1 2": [1, 2], KWW: [1, 2], "[X][O][ ]": [1, 1],
    "[1,1,2]": [1, 2], "[]": [0, 0], "-": [0, 0], "2b": [2, 0], "3 white": [0, 3],
    "czarne: 1, białe: 2": [1, 2], "0b0w": [0, 0],
  };
  for (const [text, [black, white]] of Object.entries(answers)) {
    assert.deepEqual(read(`1122 ${text}`), [{ code: [0, 0, 1, 1], black, white }], text);
  }
});

test("a text that is no game is refused with its line and column", () => {
  assert.deepEqual(
    [
      "RRGG 1b1w\nRRXG 1b", "RRG", "RRGG", "RRGG soon", "RRGG 3b1w", "RRGG 4 1",
      "# mastermind solve --rules 4x99", "RRGG 1b1w\n".repeat(33), "x".repeat(10_001),
    ].map((text) => refuse(text)),
    [
      "line 2, column 3: X is no colour: R G B Y O P",
      "line 1, column 4: 1 more peg",
      "line 1, column 5: the answer is missing or unknown: write 1\u00a0black, 2\u00a0white as 1b2w",
      "line 1, column 6: the answer is missing or unknown: write 1\u00a0black, 2\u00a0white as 1b2w",
      "line 1, column 6: 3 black and 1 white cannot be: if all pegs but one are right, the last is right too, or its colour is wrong",
      "line 1, column 6: 4 black and 1 white are more than the 4 pegs of classic",
      "line 1, column 28: the server does not know these rules",
      "line 33, column 1: at most 32 guesses",
      "this text is too long for a game",
    ],
  );
  assert.equal(refuse("0122 1b", findRules("bulls")), "line 1, column 4: 2 comes twice, and no colour may");
});
