// Positions as texts: one turn a line, such as `RRGG 1b2w`, as a terminal writes and reads them.

import { findRules, hasRepeat, parseSymbol, writeSize } from "../game/rules.js";
import { describeFeedback, spell } from "../match/sentences.js";
import { n, t, texts } from "../texts.js";
import { findProblem } from "./answer.js";

/**
 * @import {Code, Feedback, Turn} from "../types.js"
 * @import {Rules} from "../texts.js"
 * @typedef {{rules: Rules, turns: Turn[]}} Position
 */

export const MOST_TURNS = 32; // of a position, as in the protocol
const MOST_CHARACTERS = 10_000; // of a text: 32 turns have fewer than 1,000
const HEAD = "# mastermind solve --rules ";
/** The marks of key pegs that are not counted, in the notations of the presets. */
const MARKS = /^[kbx●wo○.\-_·,[\]\s]+$/;
const BLACK = /[kbx●]/g;
const WHITE = /[wo○]/g;
/** The key pegs of `lab`, such as [1,2]. */
const LIST = /^\[[012,\s]*\]$/;

/** Return the name of the rules in texts and addresses. @param {Rules} rules */
export const nameOfRules = (rules) => (
  Object.hasOwn(texts.presets, rules.name) ? rules.name : writeSize(rules)
);

/** Return the text of a position. @param {Position} position */
export function writePosition({ rules, turns }) {
  const { letters } = spell(rules);
  const lines = turns.map(({ code, black, white }) => (
    `${code.map((colour) => letters[colour]).join("")} ${black}b${white}w`
  ));
  return [HEAD + nameOfRules(rules), ...lines, ""].join("\n");
}

/**
 * Return the position of a text, by the rules that it names or else `rules`. Throws a RangeError
 * with a sentence for users.
 * @param {string} text @param {Rules} rules
 * @returns {Position}
 */
export function readPosition(text, rules) {
  if (text.length > MOST_CHARACTERS) {
    throw new RangeError(t("this text is too long for a game"));
  }
  let used = rules;
  /** @type {Turn[]} */
  const turns = [];
  for (const [index, line] of text.split("\n").entries()) {
    const at = (/** @type {number} */ column, /** @type {string} */ reason) => {
      const values = { line: index + 1, column: column + 1, reason };
      return new RangeError(t("line {line}, column {column}: {reason}", values));
    };
    if (line.startsWith(HEAD)) {
      try {
        used = findRules(line.slice(HEAD.length));
      } catch {
        throw at(HEAD.length, texts.codes.invalid_rules);
      }
    } else if (line.trim() && !line.trim().startsWith("#")) {
      if (turns.length === MOST_TURNS) {
        throw at(0, t("at most {most} guesses", { most: MOST_TURNS }));
      }
      turns.push(readTurn(line, used, at));
    }
  }
  return { rules: used, turns };
}

/**
 * @param {string} line @param {Rules} rules
 * @param {(column: number, reason: string) => RangeError} at
 * @returns {Turn}
 */
function readTurn(line, rules, at) {
  /** @type {Code} */
  const code = [];
  let column = 0;
  for (; column < line.length && code.length < rules.pegs; column++) {
    if (/[\s,]/.test(line[column])) continue;
    const colour = parseSymbol(line[column], rules);
    if (colour === undefined) {
      const { letters } = spell(rules);
      const values = { text: line[column], letters: letters.join(" ") };
      throw at(column, t("{text} is no colour: {letters}", values));
    }
    code.push(colour);
    if (rules.unique && hasRepeat(code)) {
      const text = line[column];
      throw at(column, t("{text} comes twice, and no colour may", { text }));
    }
  }
  if (code.length < rules.pegs) {
    const missing = rules.pegs - code.length;
    throw at(line.trimEnd().length, n("{number} more peg", "{number} more pegs", missing));
  }
  const rest = line.slice(column);
  const answer = rest.replace(/^[\s:;,=]+/, "");
  const start = column + rest.length - answer.length;
  const found = readFeedback(answer.trim());
  if (!found) {
    const example = describeFeedback({ black: 1, white: 2 }, rules);
    throw at(start, t("the answer is missing or unknown: write {example} as 1b2w", { example }));
  }
  const problem = findProblem(found, rules);
  if (problem) throw at(start, problem);
  return { code, ...found };
}

/**
 * Return the feedback of a text, such as `1b2w`, `1 black, 2 white`, `12`, `KWW` or `-`.
 * @param {string} text
 * @returns {Feedback | undefined}
 */
function readFeedback(text) {
  const words = text.toLowerCase();
  const count = (/** @type {RegExp} */ marks) => words.match(marks)?.length ?? 0;
  if (LIST.test(words)) return { black: count(/2/g), white: count(/1/g) };
  const numbers = words.match(/\d+/g)?.map(Number) ?? [];
  if (numbers.length > 2) return undefined;
  if (numbers.length === 2) {
    const isWhiteFirst = /^\d+\s*[wc]/.test(words);
    const [black, white] = isWhiteFirst ? numbers.reverse() : numbers;
    return { black, white };
  }
  if (numbers.length === 0) {
    return MARKS.test(words) ? { black: count(BLACK), white: count(WHITE) } : undefined;
  }
  const [, first, second] = /^(\d)(\d)$/.exec(words) ?? [];
  if (first) return { black: Number(first), white: Number(second) };
  if (/^\d+\s*b/.test(words)) return { black: numbers[0], white: 0 };
  if (/^\d+\s*[wc]/.test(words)) return { black: 0, white: numbers[0] };
  return undefined;
}
