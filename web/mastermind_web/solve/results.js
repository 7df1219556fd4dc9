// What an analysis tells: the number of codes left, the best next guesses, the codes, what is known
// of each place and colour, and which answer may be wrong.

import { alarm, button, el, join, note, tile } from "../elements.js";
import { select } from "../fields.js";
import { roundEstimate, writeCount, writeMean } from "../match/candidates.js";
import { describeFeedback, spell } from "../match/sentences.js";
import { makeTable } from "../tables.js";
import { n, t } from "../texts.js";
import { writeSentence } from "./answer.js";
import { nameOfRules } from "./notation.js";

/**
 * @import {Child} from "../elements.js"
 * @import {Code, Feedback} from "../types.js"
 * @import {Rules} from "../texts.js"
 *
 * @typedef {{code: Code, possible: boolean, worst: number, size: number, bits: number,
 *     parts: number}} Measures
 * @typedef {{turn: number, left: number} & Feedback} Correction
 *
 * @typedef {object} Analysis As docs/PROTOCOL.md describes it. Absent arrays are empty.
 * @property {number} left
 * @property {Code[]} [codes]
 * @property {Measures[]} [guesses]
 * @property {Code} [choice]
 * @property {number[][]} [places]
 * @property {number[]} [colours]
 * @property {Correction[]} [corrections]
 * @property {boolean} [estimated]
 */

const MOST_LISTED = 1_000_000; // codes: with more, numbers are estimates, as at the server
export const PAGE_OF_CODES = 100; // in one answer of the server
const MOST_CORRECTIONS = 3; // that are offered at a time; more would confuse

/** The measures of guesses, with their names. @returns {[value: string, label: string][]} */
const listMeasures = () => [
  ["bits", t("information")],
  ["size", t("expected size")],
  ["worst", t("worst case")],
  ["parts", t("number of parts")],
];

/** Return whether `by` is a measure. @param {unknown} by */
export const isMeasure = (by) => listMeasures().some(([value]) => value === by);

/** Return the number of codes left. @param {Analysis} analysis */
export const describeLeft = ({ left, estimated }) => n(
  "{number} code left", "{number} codes left", estimated ? roundEstimate(left) : left,
  { number: writeCount(left, estimated) },
);

/**
 * Return the sentence about answers that no code fits.
 * @param {Rules} rules @param {Analysis} analysis
 */
function describeContradiction(rules, { estimated, corrections = [] }) {
  if (estimated) return t("No code was found that fits.");
  const [best] = corrections;
  return best
    ? t("No code fits. {change}", { change: describeCorrection(rules, best) })
    : t("No code fits, and changing one answer is not enough.");
}

/** @param {Rules} rules @param {Correction} correction */
const describeCorrection = (rules, { turn, left, ...answer }) => writeSentence(n(
  "guess {turn} may be {answer}: then {number} code fits",
  "guess {turn} may be {answer}: then {number} codes fit", left,
  { turn, answer: describeFeedback(answer, rules) },
));

/**
 * Return the sentence about wrong answers, with buttons that take the best corrections.
 * @param {Rules} rules @param {Analysis} analysis @param {(correction: Correction) => void} take
 */
export function describeCorrections(rules, analysis, take) {
  const { corrections = [] } = analysis;
  const buttons = corrections.slice(0, MOST_CORRECTIONS).map((each, index) => button(
    t("Guess {turn}: {answer}", { turn: each.turn, answer: describeFeedback(each, rules) }),
    () => take(each), index ? "btn" : "btn main",
  ));
  return el(
    "div", { className: "wrong" }, alarm(describeContradiction(rules, analysis)),
    buttons.length > 0 && el("div", { className: "buttons" }, ...buttons),
  );
}

/**
 * Return the best next guesses: a tap on one takes it.
 * @param {Rules} rules @param {Analysis} analysis @param {string} by the measure
 * @param {{take: (code: Code) => void, rank: (by: string) => void}} actions
 */
export function describeGuesses(rules, { left, guesses = [], estimated }, by, { take, rank }) {
  const onchange = (/** @type {any} */ { target }) => rank(target.value);
  const items = guesses.map((guess) => {
    const chance = left === 1 && guess.possible ? t("the only code")
      : guess.possible ? t("may be the code") : t("cannot be the code");
    return el(
      "li", {},
      button(
        /** @type {any} */ (describePegs(rules, guess.code)), () => take(guess.code), "btn guess",
        { "aria-label": t("Take {code}", { code: spell(rules).write(guess.code) }) },
      ),
      el("span", {}, join(", ", left > 1 && describeEffect(guess, by, estimated), chance)),
    );
  });
  return el(
    "section", { className: "card part" },
    el("h2", {}, t("Best next guesses")),
    el("ul", { className: "list" }, ...items),
    left > 1 && el(
      "label", { className: "field" }, el("span", {}, t("Best by")),
      select("by", listMeasures(), { value: by, onchange }),
    ),
  );
}

/** @param {Measures} guess @param {string} by @param {boolean} [estimated] */
function describeEffect({ worst, parts, size }, by, estimated) {
  if (by === "worst") return t("at most {number} left", { number: writeCount(worst, estimated) });
  if (by === "parts") return n("{number} part", "{number} parts", parts);
  return t("{number} left", { number: writeMean(size, estimated) });
}

/** Return a code as small pegs. @param {Rules} rules @param {Code} code */
export function describePegs(rules, code) {
  const { letters, label } = spell(rules);
  return el(
    "span", {
      className: "pegs small", style: { "--pegs": rules.pegs }, role: "img",
      "aria-label": code.map(label).join(", "),
    },
    ...code.map((colour) => tile(rules.palette[colour], letters[colour])),
  );
}

/** The titles of the parts that the visitor has opened. @type {Set<string>} */
const unfolded = new Set();

/**
 * Return a part that the visitor unfolds. It stays so, also while its content is requested.
 * @param {string} title @param {string} className @param {Child[]} children
 */
export const describeFolded = (title, className, ...children) => el(
  "details", {
    className: `card ${className}`, open: unfolded.has(title),
    ontoggle: (/** @type {any} */ { target }) => (
      target.open ? unfolded.add(title) : unfolded.delete(title)
    ),
  },
  el("summary", {}, title), ...children,
);

/**
 * Return the codes that are left, page by page.
 * @param {Rules} rules @param {Analysis} analysis @param {number} after the number of codes before
 *     the shown ones
 * @param {(after: number) => void} turnTo
 */
export function describeCodes(rules, { left, codes = [], estimated }, after, turnTo) {
  if (estimated || left < 2) return undefined;
  const { letters } = spell(rules);
  const last = after + codes.length;
  const items = codes.map((code) => el("li", {}, code.map((colour) => letters[colour]).join("")));
  const values = { first: after + 1, last, left };
  return describeFolded(
    t("The codes that are left"), "",
    el("ol", { className: "list codes" }, ...items),
    left > PAGE_OF_CODES && el(
      "div", { className: "buttons" },
      after > 0 && button(t("Back"), () => turnTo(Math.max(0, after - PAGE_OF_CODES))),
      last < left && button(t("More"), () => turnTo(last)),
      el("span", { className: "dim" }, t("{first} to {last} of {left}", values)),
    ),
  );
}

/**
 * Return for how many of the codes each colour is on each place, and on any.
 * @param {Rules} rules @param {Analysis} analysis
 */
export function describePlaces(rules, { left, places = [], colours = [] }) {
  if (places.length === 0 || left < 2) return undefined;
  const { letters, label } = spell(rules);
  const write = (/** @type {number} */ number) => (
    number === 0 ? el("span", { className: "dim" }, "–")
      : number === left ? el("b", {}, "✓", el("span", { className: "unseen" }, t("always")))
      : writeCount(number)
  );
  const rows = rules.palette.map((name, colour) => ({ name, colour }));
  const columns = [
    {
      title: t("Colours"),
      cell: (/** @type {any} */ { name, colour }) => el(
        "span", { className: "pegs small", role: "img", "aria-label": label(colour) },
        tile(name, letters[colour]),
      ),
    },
    ...places.map((counts, peg) => ({
      title: String(peg + 1), cell: (/** @type {any} */ { colour }) => write(counts[colour]),
    })),
    { title: t("anywhere"), cell: (/** @type {any} */ { colour }) => write(colours[colour]) },
  ];
  return describeFolded(
    t("Places and colours"), "places",
    note(t("In how many of the codes a colour is on a place.")),
    el("div", { className: "wide" }, makeTable(columns, rows)),
  );
}

/** Return why numbers are estimates, if they are. @param {Rules} rules @param {number} codes */
export const describeLimit = (rules, codes) => codes > MOST_LISTED && note(t(
  "{rules} has more than {most} codes: numbers are estimates, and codes are not listed.",
  { rules: nameOfRules(rules), most: MOST_LISTED },
));
