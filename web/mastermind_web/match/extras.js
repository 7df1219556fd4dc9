// The parts of the match page that no first guess needs: advice, playback, and other requests.

import { button, el } from "../elements.js";
import { isAllowed } from "../game.js";
import { linkOf, share } from "../sharing.js";
import { n, t } from "../texts.js";
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
