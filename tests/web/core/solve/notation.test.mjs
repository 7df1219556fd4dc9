import assert from "node:assert/strict";
import test from "node:test";

import { findRules } from "../../../../web/mastermind_web/game/rules.js";
import { readPosition, readRules, writePosition } from "../../../../web/mastermind_web/solve/notation.js";
import { useTexts } from "../../../../web/mastermind_web/texts.js";
import { readTexts } from "../kit.mjs";

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

/** Assert that each text is read as an answer with these numbers of black and white key pegs. */
function expectAnswers(answers) {
  for (const [text, black, white] of answers) {
    assert.deepEqual(read(`1122 ${text}`), [{ code: [0, 0, 1, 1], black, white }], text);
  }
}

test("answers are read in every notation that a terminal reads", () => {
  const usual = [
    "1b2w", "1B2W", "1 black, 2 white", "2 whites and 1 black", "black 1, white 2", "12", "1 2",
    "(1, 2)", "1-2", "KWW", "k w w", "[X][O][O][ ]", "XOO.", "●○○·", "⚫⚪⚪", "black white white",
    "[1, 1, 2]", "1 bull 2 cows", "1B2C", "1b 2w 1e", "1 black, 2 gray, 1 empty", "２ｗ１ｂ",
  ];
  expectAnswers(usual.map((text) => [text, 1, 2]));
  expectAnswers(["-", "–", "00", "0b0w", "[]", "[ ][ ]", "....", "0b"].map((text) => [text, 0, 0]));
  expectAnswers([["2b", 2, 0], ["3 white", 0, 3]]);
});

test("answers are read in the words of the page's language too", () => {
  useTexts(readTexts("pl"));
  try {
    expectAnswers([
      ["1 czarny, 2 białe", 1, 2], ["czarne: 1, białe: 2", 1, 2], ["1 czarny i 2 białe", 1, 2],
      ["2 białe", 0, 2], ["1 byk, 2 krowy", 1, 2], ["2 krowy", 0, 2], ["1 black, 2 white", 1, 2],
    ]);
  } finally {
    useTexts(readTexts("en"));
  }
});

test("a guess is read with its number, as on a board", () => {
  for (const text of ["3. RRGG KW", " 1  R R G G  1 black, 1 white", "RR-GG -> 1b1w # hm"]) {
    assert.deepEqual(read(text), [{ code: [0, 0, 1, 1], black: 1, white: 1 }], text);
  }
});

test("a text that is no game is refused with its line and column", () => {
  assert.deepEqual(
    [
      "RRGG 1b1w\nRRXG 1b", "RRG", "RRGG", "RRGG soon", "RRGG 3b1w", "RRGG 4 1",
      "RRGGB 1b1w", "RR22 1b1w",
      "# mastermind solve --rules 4x99", "RRGG 1b1w\n".repeat(33), "x".repeat(10_001),
    ].map((text) => refuse(text)),
    [
      "line 2, column 3: X is no colour: R G B Y O P",
      "line 1, column 4: 1 more peg",
      "line 1, column 5: the answer is missing or unknown: write 1\u00a0black, 2\u00a0white as 1b2w",
      "line 1, column 6: the answer is missing or unknown: write 1\u00a0black, 2\u00a0white as 1b2w",
      "line 1, column 6: 3 black and 1 white cannot be: if all pegs but one are right, the last is right too, or its colour is wrong",
      "line 1, column 6: 4 black and 1 white are more than the 4 pegs of classic",
      "line 1, column 5: that is no code of these rules",
      "line 1, column 3: a guess has letters or digits, not both",
      "line 1, column 28: the server does not know these rules",
      "line 33, column 1: at most 32 guesses",
      "this text is too long for a game",
    ],
  );
  assert.equal(refuse("0122 1b", findRules("bulls")), "line 1, column 4: 2 comes twice, and no colour may");
  const unreadable = [
    "1b1b", "1b 1", "KWQ", "1", "123", "2 [1]", "11b", "1 foo 2 bar", "1b1w1e", "G 1b1w", "1b1w 2",
    "soon 1, black 2",
  ];
  for (const text of unreadable) {
    assert.match(refuse(`RRGG ${text}`) ?? "", /the answer is missing or unknown/, text);
  }
});

test("the rules of an address are refused if there are none of their name", () => {
  assert.equal(readRules("4x6").pegs, 4);
  for (const name of ["nonsense", "%", "10x2"]) {
    assert.throws(() => readRules(name), { code: "invalid_rules" });
  }
});
