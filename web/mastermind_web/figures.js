// How statistics and records of matches are written: means, days, results and distributions.

import { el, join, note } from "./elements.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./elements.js").Child} Child
 * @typedef {object} Figures Sums of finished matches. Absent numbers are 0.
 * @property {number} [matches]
 * @property {number} [wins]
 * @property {number} [draws]
 * @property {number} [losses]
 * @property {number} [streak] Wins since the last match that was not won.
 * @property {number} [longest] The largest number of wins in a row.
 * @property {number[]} [distribution] The numbers of codes broken with 1, 2, 3 guesses and so on.
 * @property {number} [unbroken]
 * @property {number} [measured] Codes hidden from bots in matches of one round.
 * @property {number} [measured_guesses] The bots' guesses in them.
 * @property {number} [advised] Codes with advice, which no other number of codes includes.
 */

const MOST_BARS = 10; // of a distribution, so that it fits on a phone; the last one sums the rest

/** The browser's variant of the page's language. */
export const locale = () => (
  navigator.languages.find((name) => name.startsWith(texts.language)) ?? texts.language
);

/** Return a mean. @param {number} [mean] @param {number} [digits] after the decimal point */
export const writeMean = (mean, digits = 2) => (
  mean?.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits })
);

/** Return the note on codes with advice. @param {Figures} figures */
export const describeAdvised = ({ advised = 0 }) => advised > 0 && note(n(
  "{number} code with advice: not counted in best and average.",
  "{number} codes with advice: not counted in best and average.", advised,
));

/**
 * Return the note on codes hidden from bots, which were neither won nor lost.
 * @param {Figures} figures
 */
export function describeMeasured({ measured = 0, measured_guesses: guesses = 0 }) {
  const values = { mean: measured > 0 && writeMean(guesses / measured, 1) };
  return measured > 0 && note(n(
    "{number} code hidden from a bot: {mean} guesses needed.",
    "{number} codes hidden from bots: {mean} guesses needed on average.", measured, values,
  ));
}

/**
 * Return a day.
 * @param {number} time in milliseconds since 1970
 * @param {string} [timeZone] by default the reader's
 */
export const writeDay = (time, timeZone) => (
  new Date(time).toLocaleDateString(locale(), { dateStyle: "medium", timeZone })
);

/** @param {number[]} [results] wins, draws and losses */
export function describeResults(results = [0, 0, 0]) {
  const [won, drawn, lost] = results;
  return join(
    ", ",
    n("{number} won", "{number} won", won),
    n("{number} drawn", "{number} drawn", drawn),
    n("{number} lost", "{number} lost", lost),
  );
}

/**
 * Return wins, draws and losses.
 * @param {Figures} figures
 */
export const resultsOf = ({ wins = 0, draws = 0, losses = 0 }) => [wins, draws, losses];

/**
 * Return numbers in large type with their labels.
 * @param {[number: Child, label: string][]} rows
 */
export const describeNumbers = (rows) => el(
  "div", { className: "figures" },
  ...rows.map(([number, label]) => (
    el("span", {}, el("b", {}, number), el("small", {}, label))
  )),
);

/**
 * Return the mean number of guesses over the broken codes, or undefined without one.
 * @param {Figures} figures
 */
export function meanOf({ distribution = [] }) {
  const broken = distribution.reduce((sum, codes) => sum + codes, 0);
  const guesses = distribution.reduce((sum, codes, index) => sum + codes * (index + 1), 0);
  return broken > 0 ? guesses / broken : undefined;
}

/**
 * Return a note if a list has fewer matches than there are: the server sends a limited number of
 * rules and opponents.
 * @param {{figures: Figures}[]} listed @param {Figures} total
 */
export function describeOmission(listed, { matches = 0 }) {
  const count = listed.reduce((sum, { figures }) => sum + (figures.matches ?? 0), 0);
  return count < matches && note(t("Only those with the most matches are listed."));
}

/**
 * Return the bars of a distribution, the longest one marked, or that of the number `own`.
 * @param {Figures} figures @param {number} [own] Infinity for a code that was not broken
 */
export function describeBars({ distribution = [], unbroken = 0 }, own) {
  const first = distribution.findIndex((codes) => codes > 0);
  const counted = first < 0 ? [] : distribution.slice(first);
  const rest = counted.splice(MOST_BARS - 1);
  const bars = counted.map((codes, index) => ({ sign: `${first + index + 1}`, codes }));
  const others = rest.reduce((sum, codes) => sum + codes, 0);
  if (rest.length > 0) bars.push({ sign: `${first + MOST_BARS}+`, codes: others });
  if (unbroken > 0) bars.push({ sign: "X", codes: unbroken });
  const most = Math.max(...bars.map(({ codes }) => codes));
  const limit = first + MOST_BARS; // the bar of this number has all the following ones
  const mine = own === Infinity ? "X" : own && own >= limit ? `${limit}+` : String(own);
  return el("ul", { className: "list bars" }, ...bars.map(({ sign, codes }) => (
    el(
      "li", { className: (own ? sign === mine : codes === most) ? "most" : "" },
      el("span", { "aria-hidden": "true" }, sign),
      el("b", { "aria-hidden": "true", style: { "--part": codes / most } }, codes),
      el("span", { className: "unseen" }, join(" ", `${nameBar(sign)}: ${codes}`, sign === mine && t("(you)"))),
    )
  )));
}

/** @param {string} sign */
function nameBar(sign) {
  if (sign === "X") return t("not broken");
  const number = parseInt(sign, 10);
  return n("{number} guess", "{number} guesses", number, { number: sign });
}
