// The parts of the match page that no first guess needs: advice, playback, and other requests.

import { button, el } from "../elements.js";
import { isAllowed } from "../game/fold.js";
import { allowsAids } from "../game/rules.js";
import { linkOf, share } from "../sharing.js";
import { n, t } from "../texts.js";
import { countAll, countFitting, findExcluding } from "./candidates.js";
import { countFree } from "./entry.js";
import { spell } from "./sentences.js";

/**
 * @import {Actions, Shown} from "./view.js"
 * @typedef {import("../main.js").App} App
 */

/**
 * Return the parts in their order.
 * @param {App} app @param {Shown} shown @param {Actions} actions
 */
export const describeExtras = (app, shown, actions) => [
  describeCandidates(shown),
  describeAdvice(shown, actions),
  describePlayback(shown, actions),
  describeRequests(app, shown, actions),
];

/** Return the advice for the due guess. @param {Shown} shown @param {Actions} actions */
function describeAdvice({ match, known, move }, actions) {
  const { advice } = known;
  const shown = advice && move === "guess";
  const { write } = spell(match.rules);
  return el(
    "div", { className: "buttons advice" },
    shown && el(
      "span", {},
      n("{number} code is possible. Try:", "{number} codes are possible. Try:", advice.left),
    ),
    ...(shown ? advice.guesses : []).map((/** @type {{code: number[]}} */ { code }) => (
      button(write(code), () => actions.copyAdvice(code))
    )),
  );
}

/** Return the buttons of the playback. @param {Shown} shown @param {Actions} actions */
function describePlayback(shown, actions) {
  const { match, moment, seat, entering, isLast, over, paced, playing, moments } = shown;
  const held = moment?.ended && seat && !match.outcome;
  const isShown = !entering && !held && moments > 1 && !(seat && isLast && !over && !paced);
  /** @type {[sign: string, label: string, act: () => unknown][]} */
  const controls = [
    ["«", t("To the start"), actions.start],
    ["‹", t("One guess back"), actions.back],
    [playing ? "❚❚" : "▶", playing ? t("Pause") : t("Play back"), actions.play],
    ["›", t("One guess on"), actions.forth],
    ["»", t("To the end"), actions.end],
    ["−", t("Slower"), actions.slower],
    ["+", t("Faster"), actions.faster],
  ];
  return isShown && el(
    "div", { className: "buttons replay", role: "group", "aria-label": t("Playback") },
    ...controls.map(([sign, label, act]) => button(sign, act, "btn", { "aria-label": label })),
  );
}

/**
 * Return the number of the codes that fit, for all but the codebreaker.
 * @param {Shown} shown
 * @returns {import("../elements.js").Child}
 */
function describeCandidates({ match, seat, moment, isLast }) {
  const { rules, phase } = match;
  const isHidden = moment && !(isLast && phase === "setting");
  if (seat === "breaker" || !allowsAids(match) || !isHidden) return false;
  const number = countFitting(rules, moment.round.turns.slice(0, moment.turns));
  const all = countAll(rules);
  if (number === undefined) return false;
  const words = number === all
    ? t("all {all} codes fit", { all })
    : n("{number} of {all} codes fits", "{number} of {all} codes fit", number, { all });
  const width = { "--part": number > 1 ? Math.log(number) / Math.log(all) : 0 };
  return el(
    "p", { className: "candidates" }, words,
    el("span", { className: "meter", "aria-hidden": "true", style: width }),
  );
}

/**
 * Return the number of the guess whose answer rules the entered code out, if the player may know.
 * @param {Shown} shown
 */
export function findRuledOut({ match, moment, move, entry }) {
  if (move !== "guess" || !moment || !allowsAids(match) || countFree(entry) > 0) return undefined;
  const code = /** @type {number[]} */ (entry.pegs);
  return findExcluding(code, moment.round.turns);
}

/**
 * Return the other requests of a player.
 * @param {App} app @param {Shown} shown @param {Actions} actions
 */
function describeRequests(app, { match, code, me, isLast }, actions) {
  const offer = (/** @type {string} */ op) => (
    isLast && match.outcome === undefined && isAllowed(match, { op }, me)
  );
  return el(
    "div", { className: "buttons actions" },
    offer("advise") && button(t("Advice"), actions.advise),
    offer("resign") && button(t("Give up"), actions.resign),
    offer("leave") && button(t("Leave"), actions.leave),
    button(t("Help"), () => app.help(match.rules)),
    button(t("Share"), () => share(app, { url: linkOf(app, code) })),
  );
}
