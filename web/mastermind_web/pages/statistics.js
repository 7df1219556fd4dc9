// The visitor's statistics, which the server computes, with opponents and last matches.

import { button, el, join, link, nameOf, note } from "../elements.js";
import { field, makeForm, select, submitButton } from "../fields.js";
import {
  describeAdvised, describeBars, describeMeasured, describeNumbers, describeOmission,
  describeResults, meanOf, resultsOf, writeMean,
} from "../figures.js";
import { describeRecord } from "../solve/record.js";
import { n, t, texts } from "../texts.js";
import { openArchive } from "./archive.js";
import { challenge } from "./challenges.js";
import { playerField } from "./players.js";

/**
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../elements.js").Child} Child
 * @typedef {import("../figures.js").Figures} Figures
 * @typedef {{rules: string, figures: Figures}} RulesFigures
 * @typedef {{opponent?: string, player?: string, bot?: boolean, figures: Figures}} OpponentFigures
 */

const USUAL = "classic"; // the rules of a challenge if the visitor has played no other preset

/** @param {App} app */
export async function statistics(app) {
  const archive = openArchive(app);
  const [answer] = await Promise.all([app.session.request("statistics"), archive.load()]);
  const { total } = answer;
  /** @type {RulesFigures[]} */
  const byRules = answer.by_rules ?? [];
  /** @type {OpponentFigures[]} */
  const byOpponent = answer.by_opponent ?? [];
  let shown = byRules[0];
  const onchange = (/** @type {any} */ { target }) => {
    shown = byRules.find((each) => each.rules === target.value) ?? shown;
    app.draw();
  };
  const rules = byRules.map((each) => each.rules).find(isRanked) ?? USUAL;
  const ask = (/** @type {OpponentFigures} */ { player, opponent = "" }) => (
    app.attempt("challenge", () => challenge(app, opponent, rules, player))
  );
  const asking = makeForm(app, ({ name }) => challenge(app, name.trim(), rules));
  app.show(t("Statistics"), () => [
    el(
      "div", { className: "two even" },
      el(
        "div", { className: "col" },
        part(t("Your games"), ...describeTotal(total)),
        shown && part(
          join(" · ", t("Codes you broke"), byRules.length === 1 && shown.rules),
          ...describeRules(byRules, shown, onchange),
          describeOmission(byRules, total),
        ),
        describeRecord(link("/#puzzle", t("Next puzzle"), "entry")),
      ),
      el(
        "div", { className: "col" },
        part(
          t("Opponents"),
          el(
            "ul", { className: "list rows" },
            ...byOpponent.map((each) => describeOpponent(each, ask)),
          ),
          describeOmission(byOpponent, total),
          link("/#people", t("People"), "entry"),
          el("div", { className: "inline" }, asking.view(
            playerField(app), submitButton(t("Challenge"), "btn"),
          )),
        ),
        part(t("Last games"), ...archive.view(t("You have finished no match yet."))),
      ),
    ),
  ]);
}

/** Return a part of the page with its title. @param {string} title @param {Child[]} children */
const part = (title, ...children) => (
  el("section", { className: "card part" }, el("h2", {}, title), ...children)
);

/** Return whether the rules have a leaderboard. @param {string} rules */
const isRanked = (rules) => (
  Object.hasOwn(texts.presets, rules) && texts.presets[rules].guesses !== null
);

/** @param {Figures} total @returns {Child[]} */
function describeTotal(total) {
  const { matches = 0, wins = 0, streak = 0, longest = 0 } = total;
  if (!matches) {
    const way = link("/#bot", t("Play a bot"), "btn main");
    return [note(t("You have finished no match yet.")), el("p", {}, way)];
  }
  const mean = writeMean(meanOf(total));
  return [
    describeNumbers([
      [matches, t("matches played")],
      [wins, t("matches won")],
      [streak, t("won in a row")],
      ...(mean ? /** @type {[string, string][]} */ ([[mean, t("guesses on average")]]) : []),
    ]),
    note(join(
      ". ", describeResults(resultsOf(total)),
      longest > streak && t("Longest winning streak: {longest}.", { longest }),
    )),
    describeMeasured(total),
  ];
}

/**
 * @param {RulesFigures[]} byRules @param {RulesFigures} shown
 * @param {(event: any) => unknown} onchange
 * @returns {Child[]}
 */
function describeRules(byRules, { rules, figures }, onchange) {
  const { distribution = [] } = figures;
  const best = distribution.findIndex((codes) => codes > 0) + 1;
  const mean = writeMean(meanOf(figures));
  const options = byRules.map((each) => /** @type {[string, string]} */ ([each.rules, each.rules]));
  return [
    options.length > 1 && field(t("Game"), select("rules", options, { value: rules, onchange })),
    describeBars(figures),
    note(join(
      ", ", describeResults(resultsOf(figures)), mean && t("{mean} guesses", { mean }),
      best > 0 && t("best {number}", { number: best }),
    )),
    describeAdvised(figures),
    describeMeasured(figures),
  ];
}

/**
 * @param {OpponentFigures} found @param {(opponent: OpponentFigures) => unknown} ask
 */
function describeOpponent(found, ask) {
  const { opponent, player, bot, figures } = found;
  const { matches = 0 } = figures;
  const name = nameOf(opponent);
  const label = t("Challenge");
  const played = n("{number} match", "{number} matches", matches);
  const others = { ariaLabel: `${label} ${name}` };
  return el(
    "li", {},
    el("span", {}, el("b", {}, name), " ", el("small", {}, join(" · ", bot && t("bot"), played))),
    el(
      "span", { className: "end" },
      el("span", { "aria-hidden": "true" }, resultsOf(figures).join(" – ")),
      el("span", { className: "unseen" }, describeResults(resultsOf(figures))),
      player && !bot && button(label, () => ask(found), "btn", others),
    ),
  );
}
