// Positions as texts: one turn a line, such as `RRGG 1b2w`, as a terminal writes and reads them.
// Also the names of rules in texts and addresses.

import { Refusal } from "../connection/connection.js";
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
const HEAD_RULES = /^\s*#\s*mastermind solve\b.*?--rules[\s=]+(\S+)/;
const ROW_NUMBER = /^\s*\d{1,2}(?:[.)]\s+|\s{2,})/; // of a guess, as a terminal's board has it
const SEPARATOR = /[\s,;:|=>-]/;
const PARTS = /\d|\p{L}+|\S/gu; // of an answer
const DIGIT = /^\d$/;
const IGNORED = ",;:/|&+()[]{}-\ufe0f";
const LIST = /^\[[12,;\s]*\]$/; // of `lab`: 2 for each black key peg, 1 for each white
const NOTHING = /^(?:[-–]|(?:\[\s*\])+)$/; // in notations without a sign for it
const NAME_LENGTH = 4; // letters of a key peg's name that distinguish it
/** The signs of key pegs, and the starts of their English names. */
const KNOWN = {
  black: { signs: "bkx●⚫", names: ["blac", "bull"] },
  white: { signs: "wgco○⚪", names: ["whit", "gray", "cow"] },
  empty: { signs: "e._·", names: ["empt"] },
};
/** @typedef {keyof typeof KNOWN} Kind */

/** Return the name of the rules in texts and addresses. @param {Rules} rules */
export const nameOfRules = (rules) => (
  Object.hasOwn(texts.presets, rules.name) ? rules.name : writeSize(rules)
);

/** Return the rules of an address. Throws a Refusal. @param {string} name */
export function readRules(name) {
  try {
    return findRules(decodeURIComponent(name));
  } catch {
    throw new Refusal({ code: "invalid_rules", message: `unknown rules: ${name}` });
  }
}

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
  const lines = text.split("\n");
  const refuse = (/** @type {number} */ index) => (
    (/** @type {number} */ column, /** @type {string} */ reason) => {
      const values = { line: index + 1, column: column + 1, reason };
      return new RangeError(t("line {line}, column {column}: {reason}", values));
    }
  );
  let used = rules;
  const head = lines.findIndex((line) => HEAD_RULES.test(line));
  if (head >= 0) {
    const [, name] = /** @type {RegExpExecArray} */ (HEAD_RULES.exec(lines[head]));
    try {
      used = findRules(name);
    } catch {
      throw refuse(head)(lines[head].indexOf(name), texts.codes.invalid_rules);
    }
  }
  /** @type {Turn[]} */
  const turns = [];
  for (const [index, line] of lines.entries()) {
    const [typed] = line.split("#");
    if (!typed.trim()) continue;
    if (turns.length === MOST_TURNS) {
      throw refuse(index)(0, t("at most {most} guesses", { most: MOST_TURNS }));
    }
    turns.push(readTurn(typed, used, refuse(index)));
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
  const { letters } = spell(rules);
  const [number = ""] = ROW_NUMBER.exec(line) ?? [];
  let column = number.length;
  const isNumeric = /^\W*\d/.test(line.slice(column));
  for (; column < line.length && code.length < rules.pegs; column++) {
    const text = line[column];
    if (SEPARATOR.test(text)) continue;
    const colour = parseSymbol(text, rules);
    if (colour === undefined) {
      throw at(column, t("{text} is no colour: {letters}", { text, letters: letters.join(" ") }));
    }
    if (DIGIT.test(text) !== isNumeric) { // the number of a row, or a part of the answer
      throw at(column, t("a guess has letters or digits, not both"));
    }
    code.push(colour);
    if (rules.unique && hasRepeat(code)) {
      throw at(column, t("{text} comes twice, and no colour may", { text }));
    }
  }
  if (code.length < rules.pegs) {
    const missing = rules.pegs - code.length;
    throw at(line.trimEnd().length, n("{number} more peg", "{number} more pegs", missing));
  }
  if (column < line.length && !SEPARATOR.test(line[column])) {
    throw at(column, texts.codes.invalid_code);
  }
  const rest = line.slice(column);
  const answer = rest.replace(/^[\s,;:|=]*(?:-*>\s*)?/, "");
  const start = column + rest.length - answer.length;
  const found = readFeedback(answer.trim(), rules.pegs);
  if (!found) {
    const example = describeFeedback({ black: 1, white: 2 }, rules);
    throw at(start, t("the answer is missing or unknown: write {example} as 1b2w", { example }));
  }
  const problem = findProblem(found, rules);
  if (problem) throw at(start, problem);
  return { code, ...found };
}

/**
 * Return the feedback of a text in any notation that a terminal reads, such as `1b2w`,
 * `1 black, 2 white`, `12`, `KWW` or `-`, or undefined.
 * @param {string} text @param {number} pegs
 * @returns {Feedback | undefined}
 */
function readFeedback(text, pegs) {
  const typed = text.normalize("NFKC").toLowerCase();
  const occurrences = (/** @type {string} */ sign) => typed.split(sign).length - 1;
  if (LIST.test(typed)) return { black: occurrences("2"), white: occurrences("1") };
  if (NOTHING.test(typed)) return { black: 0, white: 0 };
  const skipped = ["and", t("and"), ...IGNORED];
  const parts = (typed.match(PARTS) ?? []).filter((part) => !skipped.includes(part));
  const digits = parts.filter((part) => DIGIT.test(part));
  if (digits.length === parts.length) {
    const [black, white] = digits.map(Number);
    return digits.length === 2 && !typed.includes("[") ? { black, white } : undefined;
  }
  const counts = digits.length > 0
    ? !typed.includes("[") && countNamed(parts)
    : countSigns(parts);
  if (!counts) return undefined;
  const { black = 0, white = 0, empty = 0 } = counts;
  return empty > 0 && black + white + empty !== pegs ? undefined : { black, white };
}

/**
 * Return the numbers of pairs of parts, a number and a name or a sign, or undefined.
 * @param {string[]} parts
 * @returns {{[kind in Kind]?: number} | undefined}
 */
function countNamed(parts) {
  /** @type {{[kind in Kind]?: number}} */
  const counts = {};
  for (let index = 0; index < parts.length; index += 2) {
    const pair = parts.slice(index, index + 2);
    const [number, name = ""] = DIGIT.test(pair[0]) ? pair : pair.reverse();
    const kind = findKind(name);
    if (!DIGIT.test(number) || !kind || kind in counts) return undefined;
    counts[kind] = Number(number);
  }
  return counts;
}

/**
 * Return the numbers of names and signs, one for each key peg, or undefined.
 * @param {string[]} parts
 * @returns {{[kind in Kind]?: number} | undefined}
 */
function countSigns(parts) {
  /** @type {{[kind in Kind]?: number}} */
  const counts = {};
  for (const kind of parts.flatMap((part) => findKind(part) ?? [...part].map(findKind))) {
    if (!kind) return undefined;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Return the kind of the key pegs with this name or sign, or undefined. @param {string} name */
function findKind(name) {
  const kinds = /** @type {Kind[]} */ (Object.keys(KNOWN));
  if (name.length === 1) return kinds.find((kind) => KNOWN[kind].signs.includes(name));
  const translated = listTranslated();
  return kinds.find((kind) => (
    [...KNOWN[kind].names, ...translated[kind]].some((start) => name.startsWith(start))
  ));
}

/** Return the starts of the names of key pegs in the language of the page. */
function listTranslated() {
  const one = { number: 1 };
  const [bull, bulls] = [1, 5].map((number) => n("{number} bull", "{number} bulls", number));
  const [cow, cows] = [1, 5].map((number) => n("{number} cow", "{number} cows", number));
  const starts = (/** @type {string[]} */ ...words) => (
    words.map((each) => (/\p{L}+/u.exec(each) ?? [each])[0].slice(0, NAME_LENGTH))
  );
  return {
    black: starts(t("{number} black", one), bull, bulls),
    white: starts(t("{number} white", one), t("{number} gray", one), cow, cows),
    empty: starts(t("{number} empty", one)),
  };
}
