// How statistics and records of matches are written: means, days, results and distributions.

import { join } from "../elements.js";
import { n, t, texts } from "../texts.js";

/** The browser's variant of the page's language. */
const locale = () => (
  navigator.languages.find((name) => name.startsWith(texts.language)) ?? texts.language
);

/** Return a mean. @param {number} [mean] */
export const writeMean = (mean) => (
  mean?.toLocaleString(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 })
);

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
