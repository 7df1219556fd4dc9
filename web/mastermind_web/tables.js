// Tables of players and days.

import { el } from "./elements.js";

/**
 * @typedef {import("./elements.js").Child} Child
 * @typedef {{title: string, cell: (row: any) => Child}} Column A column of a table.
 */

/**
 * Return a table.
 * @param {Column[]} columns @param {any[]} rows
 * @param {any} [last] a row at the foot @param {(row: any) => boolean} [isOwn]
 */
export function makeTable(columns, rows, last, isOwn = () => false) {
  const titles = columns.map(({ title }) => el("th", { scope: "col" }, title));
  const describeRow = (/** @type {any} */ row) => el(
    "tr", { "aria-current": isOwn(row) && "true" },
    ...columns.map(({ cell }) => el("td", {}, cell(row))),
  );
  return el(
    "table", {},
    el("thead", {}, el("tr", {}, ...titles)),
    el("tbody", {}, ...rows.map(describeRow)),
    last && el("tfoot", {}, describeRow(last)),
  );
}
