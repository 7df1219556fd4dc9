// The review of a finished match: how good each guess was, and the score against the opponent.

import { el, join, link, nameOf, note, tile } from "../elements.js";
import { describeBars, describeNumbers, resultsOf } from "../figures.js";
import { playersOf } from "../game/rules.js";
import { n, t } from "../texts.js";
import { writeMean } from "./candidates.js";
import { findName, spell } from "./sentences.js";

/**
 * @import {Code, Match, Player, Round} from "../types.js"
 * @import {Child} from "../elements.js"
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../connection/followed.js").Message} Message
 * @typedef {{code: Code, possible: boolean, worst: number, size: number, bits: number}} Measures
 * @typedef {{guess: Measures, best: Measures, before: number, after: number,
 *     estimated?: boolean}} Reviewed
 */

// As at a terminal: the least share of the best guess's expected bits, and bits above expectation.
const [EXCELLENT, GOOD, WEAK] = [0.97, 0.85, 0.1];
const LUCKY = 0.5;

/**
 * Return the share of a guess in the expected bits of the best one, from 0 to 1.
 * @param {Reviewed} reviewed @param {boolean} isFound whether it was the code
 */
export function findWorth({ guess, best }, isFound) {
  if (isFound) return 1;
  return best.bits > 0 ? Math.min(1, guess.bits / best.bits) : 0;
}

/** @param {number} worth @param {boolean} isFound */
export function describeVerdict(worth, isFound) {
  if (isFound) return t("found it");
  if (worth >= EXCELLENT) return t("excellent");
  if (worth >= GOOD) return t("good");
  return worth >= WEAK ? t("weak") : t("wasted");
}

/** Return whether the feedback gave more, or less, than expected. @param {Reviewed} reviewed */
export function describeLuck({ guess, before, after }) {
  const luck = Math.log2(before / after) - guess.bits;
  return luck >= LUCKY ? t("lucky") : luck <= -LUCKY ? t("unlucky") : "";
}

/**
 * Return the reviews of the guesses of a round.
 * @param {App["session"]} session @param {string} code @param {number} index of the round, from 0
 */
export async function loadReview(session, code, index) {
  /** @type {Reviewed[]} */
  const turns = [];
  for (let more = true; more;) {
    const request = { match: code, round: index + 1, start: turns.length + 1 };
    const answer = await session.request("review", request);
    turns.push(...answer.turns);
    more = answer.more === true;
  }
  return turns;
}

/**
 * Load the reviews of a finished match; return their view.
 * @param {App} app @param {string} code @param {Match} match
 */
export function openReview(app, code, match) {
  const { session } = app;
  const me = session.player?.id;
  const opponent = playersOf(match).find(({ id }) => id !== me);
  const isPlayer = playersOf(match).some(({ id }) => id === me);
  const counts = isPlayer && opponent && !match.opened.contest
    && session.terms?.can.includes("statistics");
  /** @type {(Reviewed[] | undefined)[]} */
  const reviews = [];
  let refusal = ""; // such as of a busy server
  /** @type {Message | undefined} */
  let counted;
  const rounds = match.played.map((round, index) => ({ round, index }));
  const shown = rounds.filter(({ round }) => round.turns.length > 0 && round.secret);
  app.attempt("review", async () => {
    for (const { index } of shown) {
      reviews[index] = await loadReview(session, code, index);
      app.draw();
    }
  }, (sentence) => (refusal = sentence));
  if (counts) {
    app.attempt("statistics", async () => {
      counted = await session.request("statistics");
    });
  }
  return () => el(
    "div", { className: "two even" },
    ...shown.map(({ round, index }) => (
      (reviews[index] || !refusal) && describeRound(match, round, reviews[index], me)
    )),
    refusal && el("p", { className: "dim" }, refusal),
    ...(counted && opponent ? describeCounted(counted, opponent, match.rules.name) : []),
    shown.length > 0 && !refusal && el("p", {}, link(`/#review/${code}`, t("Step by step"))),
  );
}

/**
 * @param {Match} match @param {Round} round @param {Reviewed[] | undefined} reviewed
 * @param {string} [me]
 */
function describeRound(match, round, reviewed, me) {
  const title = round.breaker === me
    ? t("Your guesses")
    : t("The guesses of {name}", { name: findName(match, round.breaker) });
  const { pegs } = match.rules;
  const found = round.turns.map(({ black }) => black === pegs);
  return el(
    "section", { className: "card review" },
    el("h3", {}, title),
    describeAdvice(round),
    ...(reviewed ?? []).flatMap((guess, index) => describeGuess(match, guess, index, found[index])),
    !reviewed && el("p", { className: "dim" }, t("One moment …")),
  );
}

/** Return the number of guesses with advice, if any. @param {Round} round */
export const describeAdvice = ({ advised }) => advised.length > 0 && note(
  n("{number} guess advised", "{number} guesses advised", advised.length),
);

/**
 * @param {Match} match @param {Reviewed} reviewed @param {number} index @param {boolean} isFound
 * @returns {Child[]}
 */
function describeGuess({ rules }, reviewed, index, isFound) {
  const { guess, best, estimated } = reviewed;
  const { write, letters } = spell(rules);
  const worth = findWorth(reviewed, isFound);
  const verdict = join(", ", describeVerdict(worth, isFound), describeLuck(reviewed));
  const kind = worth >= GOOD ? "rise" : worth < WEAK ? "fall" : "";
  const isBest = isFound || guess.bits >= best.bits;
  const size = writeMean(best.size, estimated);
  const better = t("Better: {code}, which leaves {size}.", { code: write(best.code), size });
  const pegs = guess.code.map((colour) => tile(rules.palette[colour], letters[colour]));
  return [
    el(
      "div", { className: "verdict" },
      el("span", { className: "dim" }, String(index + 1)),
      el("span", { className: "pegs small", style: { "--pegs": rules.pegs } }, ...pegs),
      el("span", { className: "meter", "aria-hidden": "true", style: { "--part": worth } }),
      el("span", { className: join(" ", "chip", kind) }, verdict),
    ),
    !isBest && el("p", { className: "dim" }, better),
  ];
}

/**
 * Return the visitor's results against the opponent, and the codes broken by these rules.
 * @param {Message} counted the statistics @param {Player} opponent @param {string} rules
 * @returns {Child[]}
 */
function describeCounted(counted, opponent, rules) {
  const { by_opponent: byOpponent = [], by_rules: byRules = [] } = counted;
  const met = byOpponent.find((/** @type {any} */ each) => (
    each.player ? each.player === opponent.id : each.bot && each.opponent === opponent.name
  ));
  const own = byRules.find((/** @type {any} */ each) => each.rules === rules);
  const labels = [t("won"), t("drawn"), t("lost")];
  const results = resultsOf(met?.figures ?? {});
  const bars = own && describeBars(own.figures);
  return [
    met && el(
      "section", { className: "card" },
      el("h3", {}, t("You against {name}", { name: nameOf(opponent.name) })),
      describeNumbers(results.map((number, index) => [number, labels[index]])),
    ),
    bars && bars.children.length > 0 && el(
      "section", { className: "card" },
      el("h3", {}, join(" · ", t("Codes you broke"), rules)),
      bars,
    ),
  ];
}
