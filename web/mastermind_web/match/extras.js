// The parts of the match page that no first guess needs: advice, playback, and other requests.

import { matchesOf } from "../connection/followed.js";
import { button, el, find } from "../elements.js";
import { isAllowed } from "../game/fold.js";
import { allowsAids } from "../game/rules.js";
import { linkOf, share } from "../sharing.js";
import { n, t, texts } from "../texts.js";
import { countAll, countFitting, findExcluding, writeCount } from "./candidates.js";
import { leave, resign } from "./ends.js";
import { countFree, enterCode, moveCursor } from "./entry.js";
import { spell } from "./sentences.js";

/**
 * @import {Playback} from "./playback.js"
 * @import {Actions, Shown} from "./view.js"
 * @typedef {import("../visit.js").App} App
 */

/**
 * Return the parts in their order; `others` follows the requests of a player.
 * @param {App} app @param {Shown} shown @param {Actions} actions @param {Playback} playback
 * @param {import("../elements.js").Child} [others]
 */
export const describeExtras = (app, shown, actions, playback, others) => [
  describeCandidates(shown),
  describeAdvice(shown, actions),
  describePlayback(app, shown, playback),
  describeRequests(app, shown, others),
];

/** Return the advice for the due guess. @param {Shown} shown @param {Actions} actions */
function describeAdvice({ match, known, move, entry }, { enter }) {
  const { advice } = known;
  const shown = advice && move === "guess";
  const { write } = spell(match.rules);
  const copy = (/** @type {number[]} */ code) => {
    enter(moveCursor(enterCode(entry, code), code.length));
    find("board").focus(); // Enter sends
  };
  const words = shown
    ? n("{number} code is possible. Try:", "{number} codes are possible. Try:", advice.left, {
      number: writeCount(advice.left, advice.estimated), // "about 41,000" can begin the sentence
    })
    : "";
  return el(
    "div", { className: "buttons advice" },
    shown && el("span", {}, words[0].toUpperCase() + words.slice(1)),
    ...(shown ? advice.guesses : []).map((/** @type {{code: number[]}} */ { code }) => (
      button(write(code), () => copy(code))
    )),
  );
}

/** Take advice, whose button is hidden then. @param {App} app @param {string} code of the match */
async function advise(app, code) {
  const matches = matchesOf(app.session);
  await app.attempt("advise", () => matches.perform(code, "advise", { most: 3 }));
  const advice = /** @type {HTMLElement | null} */ (document.querySelector(".advice"));
  if (!advice?.textContent) return;
  const [number, ...codes] = [...advice.children].map(({ textContent }) => textContent);
  app.say(`${number} ${codes.join(", ")}.`, t("Your turn"));
  const board = find("board");
  const isFull = !board.querySelector(".now .empty");
  if (document.activeElement === board && !isFull) advice.querySelector("button")?.focus();
}

/**
 * Return the buttons of the playback.
 * @param {App} app @param {Shown} shown @param {Playback} playback
 */
function describePlayback(app, shown, playback) {
  const { match, moment, seat, entering, isLast, over, paced, playing, moments } = shown;
  const held = moment?.ended && seat && !match.outcome;
  const isShown = !entering && !held && moments > 1 && !(seat && isLast && !over && !paced);
  const setPace = (/** @type {number} */ by) => {
    playback.accelerate(by);
    const seconds = playback.pace.toLocaleString(texts.language);
    app.say(t("{seconds} seconds a guess.", { seconds }));
  };
  /** @type {[sign: string, label: string, act: () => unknown][]} */
  const controls = [
    ["«", t("To the start"), () => playback.show(0, false)],
    ["‹", t("One guess back"), () => playback.show(playback.at - 1, false)],
    [
      playing ? "❚❚" : "▶", playing ? t("Pause") : t("Play back"),
      () => playback.show(playback.at, !playback.playing),
    ],
    ["›", t("One guess on"), () => playback.show(playback.at + 1, false)],
    ["»", t("To the end"), () => playback.show(playback.last, true)],
    ["−", t("Slower"), () => setPace(-1)],
    ["+", t("Faster"), () => setPace(1)],
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
  const isHidden = moment && !moment.ended && !(isLast && phase === "setting");
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
 * Say which peg of the row has the colour that `pegs`, which are refused, have twice.
 * @param {App} app @param {Shown} shown @param {(number | undefined)[]} pegs
 */
export function sayRepeat(app, { match, move, entry }, pegs) {
  const colour = pegs.find((each, peg) => each !== undefined && pegs.indexOf(each) < peg) ?? 0;
  const symbol = spell(match.rules).letters[colour];
  const peg = entry.pegs.indexOf(colour) + 1;
  const sentence = t("{symbol} is on peg {peg} already: no repeats.", { symbol, peg });
  app.say(sentence, move && t("Your turn"));
}

/**
 * Return the other requests of a player.
 * @param {App} app @param {Shown} shown @param {import("../elements.js").Child} others
 */
function describeRequests(app, { match, code, me, isLast }, others) {
  const offer = (/** @type {string} */ op) => (
    isLast && match.outcome === undefined && isAllowed(match, { op }, me)
  );
  return el(
    "div", { className: "buttons actions" },
    offer("advise") && button(t("Advice"), () => advise(app, code)),
    offer("resign") && button(t("Give up"), () => app.attempt("resign", () => resign(app, code, match))),
    offer("leave") && !match.opened.contest && button(
      t("Leave"), () => app.attempt("leave", () => leave(app, code, match)),
    ),
    button(t("Help"), () => app.help(match.rules)),
    !match.opened.contest && button(t("Share"), () => share(app, { url: linkOf(app, code) })),
    others,
  );
}
