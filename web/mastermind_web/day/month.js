// The days of a month with the visitor's results.

import { el, join, link, note } from "../elements.js";
import { describeNumbers, writeMean } from "../figures.js";
import { findRules } from "../game/rules.js";
import { nameRules } from "../match/sentences.js";
import { makeTable } from "../tables.js";
import { n, t, texts } from "../texts.js";
import { changeMonth, findStart, monthOf, writeMonth, writeShortDate } from "./times.js";

/** @typedef {import("../visit.js").App} App */

/**
 * Show the days of a month.
 * @param {App} app @param {string} [rules]
 * @param {string} [wanted] such as `2026-11`, by default this month
 */
export async function days(app, rules = texts.days.rules[0], wanted) {
  const answer = await app.session.request("days", { rules, month: wanted });
  const { month: shown, days: listed = [], played = 0, broken = 0, mean } = answer;
  const path = (/** @type {number} */ step) => `/#days/${rules}/${changeMonth(shown, step)}`;
  const hasEarlier = shown > monthOf(findStart(0));
  const hasLater = shown < monthOf(Date.now());
  app.show(writeMonth(shown), () => [
    describeRules("days", rules, shown),
    played === 0 ? note(t("You have not played in this month.")) : el(
      "section", { className: "card part" },
      describeNumbers([
        [played, n("day played", "days played", played)],
        [broken, n("code cracked", "codes cracked", broken)],
        [writeMean(mean), t("guesses on average")], [writeMean(answer.without_luck), t("less luck")],
      ]),
    ),
    listed.length > 0 && makeTable(columns(rules), listed),
    el(
      "nav", { className: "buttons", "aria-label": t("Months") },
      hasEarlier && link(path(-1), writeMonth(changeMonth(shown, -1)), "btn"),
      hasLater && link(path(1), writeMonth(changeMonth(shown, 1)), "btn"),
      link(`/#day/${rules}`, t("Today's code"), "btn"),
    ),
  ]);
}

/**
 * Return the links to a page of each of the rules.
 * @param {string} page @param {string} shown the present rules @param {string} [about] the day
 */
export function describeRules(page, shown, about) {
  const links = texts.days.rules.map((rules) => {
    const path = join("/", `/#${page}`, rules, about);
    const described = link(path, nameRules(findRules(rules)), "btn");
    Object.assign(described.properties, { "aria-current": rules === shown && "page" });
    return described;
  });
  return el("nav", { className: "buttons", "aria-label": t("Game") }, ...links);
}

/** @param {string} rules @returns {import("../tables.js").Column[]} */
const columns = (rules) => [
  { title: t("No."), cell: ({ day }) => day },
  { title: t("Day"), cell: ({ day }) => link(`/#day/${rules}/${day}`, writeShortDate(day)) },
  { title: t("Your guesses"), cell: ({ state, guesses, match }) => (
    state === "withdrawn" ? t("withdrawn") : guesses ?? (match ? "…" : "–")
  ) },
  { title: t("Players"), cell: ({ players = 0 }) => players },
];
