// The results of the code of a day: the visitor's try, and those of all players.

import { alarm, button, el, join, keys, link, note, tile } from "../elements.js";
import { describeBars, describeNumbers } from "../figures.js";
import { checkRound, isSealed } from "../game/checks.js";
import { findRules } from "../game/rules.js";
import { describeProof, writeResult } from "../match/ends.js";
import { sharePicture } from "../match/picture.js";
import { describeCode } from "../match/result.js";
import { describeFeedback, spell } from "../match/sentences.js";
import { share } from "../sharing.js";
import { n, t } from "../texts.js";
import { findReveal, writeDuration, writeHour, writePlace } from "./times.js";

/**
 * @import {Match} from "../types.js"
 * @typedef {import("../visit.js").App} App
 */

/**
 * Return the visitor's try that has ended, or only the code if there was none.
 * @param {App} app @param {any} found the answer @param {Match | undefined} match of the try
 */
export function describeOwn(app, found, match) {
  const { own, rules: name, code, day } = found;
  const rules = findRules(name);
  const round = match?.played[0];
  const isBroken = own?.how === "broken";
  const shown = code ?? (isBroken ? round?.turns.at(-1)?.code : undefined);
  const values = { number: own?.guesses, limit: rules.guesses };
  const title = !own ? t("You did not play")
    : isBroken ? t("Cracked in {number} of {limit}", values)
    : own.how === "resigned" ? t("Given up") : t("Not cracked");
  return el(
    "section", { className: "hero", "aria-label": t("Result") },
    el("h2", {}, title),
    describeCode(rules, shown),
    code && describeSeal(found, match),
    own && el("p", { className: "dim" }, join(" · ", ...writeStanding(found))),
    own && !shown && note(t("The code stays hidden until {time}.", { time: writeHour(findReveal(day)) })),
    round && round.turns.length > 0 && el(
      "div", { className: "card" },
      el(
        "ol", { className: "list snapshot" },
        ...round.turns.map((turn) => el("li", {}, describeTurn(rules, turn))),
      ),
    ),
    match && describeWays(app, found, match),
  );
}

/**
 * Return the result of the check of the code.
 * @param {any} found @param {Match | undefined} match
 */
function describeSeal(found, match) {
  const round = match?.played[0];
  if (!isSealed(found, round)) {
    const fraud = t("this was not the locked code");
    return alarm(t("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.", { fraud }));
  }
  if (match && round && checkRound(round, match.rules)) return describeProof(match, round);
  return el("p", { className: "seal" }, t("as it was sealed"), " ✓");
}

/** Return what is known of the place of a try that has ended. @param {any} found */
function writeStanding({ own }) {
  const { place, counted, better, milliseconds = 0, guesses: number = 0 } = own;
  const values = place && {
    place: writePlace(place), time: writeDuration(milliseconds),
    guesses: n("{number} guess", "{number} guesses", number),
  };
  return [
    better > 0 && t("better than {number} %", { number: better }),
    values && (counted
      ? t("{place}: {guesses} in {time}", values)
      : t("would be {place}: {guesses} in {time}", values)),
  ];
}

/** @param {import("../texts.js").Rules} rules @param {import("../types.js").Turn} turn */
function describeTurn(rules, { code, black, white }) {
  const { letters, label } = spell(rules);
  const { palette, pegs } = rules;
  const words = `${code.map(label).join(", ")}: ${describeFeedback({ black, white }, rules)}`;
  return el(
    "div", { className: "line", role: "img", "aria-label": words },
    el(
      "span", { className: "pegs small", style: { "--pegs": pegs } },
      ...code.map((colour) => tile(palette[colour], letters[colour])),
    ),
    keys(black, white, pegs),
  );
}

/**
 * Return what the visitor can do with the result.
 * @param {App} app @param {any} found @param {Match} match
 */
function describeWays(app, { own, code }, match) {
  const text = writeResult(match);
  const picture = () => app.attempt("picture", () => sharePicture(match));
  const hasGuesses = match.played.some(({ turns }) => turns.length > 0);
  return el(
    "div", { className: "buttons center" },
    hasGuesses && button(t("Share"), () => share(app, { text }), "btn main big"),
    hasGuesses && button(t("As a picture"), picture, "btn big"),
    code && hasGuesses && link(`/#review/${own.match}`, t("How good was it?"), "btn big"),
    hasGuesses && note(t("The number of guesses and their marks: no pegs in it.")),
  );
}

/** Return the distribution of the ended tries. @param {any} found */
export function describePlayers({ distribution = [], ended, players, own }) {
  const broken = distribution.slice(0, -1);
  while (broken.at(-1) === 0) broken.pop();
  const unbroken = distribution[distribution.length - 1];
  const mine = !own ? undefined : own.how === "broken" ? own.guesses : Infinity;
  return ended > 0 && el(
    "section", { className: "card part" },
    el("h2", {}, t("All players")),
    describeBars({ distribution: broken, unbroken }, mine),
    note(
      n("{number} player", "{number} players", players), ", ",
      n("{number} try has ended", "{number} tries have ended", ended), ".",
    ),
  );
}

/** Return the totals of the visitor's tries. @param {any} found */
export function describeTotals({ streak }) {
  const { current = 0, longest = 0, days = 0, broken = 0 } = streak;
  return days > 0 && el(
    "section", { className: "card part" },
    el("h2", {}, t("Your days")),
    describeNumbers([
      [current, n("day in a row", "days in a row", current)],
      [longest, t("longest")],
      [days, n("day played", "days played", days)],
      [broken, n("code cracked", "codes cracked", broken)],
    ]),
  );
}
