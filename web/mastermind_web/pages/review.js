// The review of a finished match, step by step: each guess with its verdict, its luck, the number
// of codes that it left, and a better guess.

import { matchesOf } from "../connection/followed.js";
import { button, el, join, keys, link, note, tile } from "../elements.js";
import { playersOf, pointsOf } from "../game/rules.js";
import { findExcluding, writeCount, writeMean } from "../match/candidates.js";
import { describeEnd } from "../match/ends.js";
import { askForCode } from "../match/result.js";
import {
  describeAdvice, describeLuck, describeVerdict, findWorth, loadReview,
} from "../match/review.js";
import { describeFeedback, findName, nameRules, sizeOf, spell } from "../match/sentences.js";
import { n, t } from "../texts.js";

/**
 * @import {Code, Match, Round} from "../types.js"
 * @import {Child} from "../elements.js"
 * @import {Reviewed} from "../match/review.js"
 * @typedef {import("../visit.js").App} App
 * @typedef {{round: Round, index: number}} Reviewable A round with guesses.
 */

/**
 * Show the review of a match.
 * @param {App} app @param {string} [code] of the match
 */
export async function review(app, code = "") {
  const { session, signal } = app;
  const matches = matchesOf(session);
  const known = await matches.follow(code);
  signal.addEventListener("abort", () => matches.unfollow(code).catch(() => {})); // or offline
  if (known.match) await askForCode(app, known.match);
  const { match } = known;
  const rounds = (match?.played ?? [])
    .map((round, index) => ({ round, index }))
    .filter(({ round }) => round.turns.length > 0);
  if (!match || rounds.length === 0) {
    const problem = known.error?.message ?? t("No round was played.");
    app.show(t("Review"), () => [note(problem), describeWay(code)]);
    return;
  }
  /** @type {Map<Reviewable, Reviewed[]>} */
  const reviews = new Map();
  let shown = rounds[0];
  let at = 0; // the displayed guess
  const open = (/** @type {Reviewable} */ wanted) => app.attempt("review", async () => {
    if (!reviews.has(wanted)) reviews.set(wanted, await loadReview(session, code, wanted.index));
    [shown, at] = [wanted, 0];
  });
  const step = (/** @type {number} */ index) => {
    at = Math.max(0, Math.min(index, shown.round.turns.length - 1));
    app.draw();
  };
  const onkeydown = (/** @type {KeyboardEvent} */ { key, altKey, ctrlKey, metaKey, target }) => {
    const types = /** @type {Element} */ (target).matches("select, input");
    if (altKey || ctrlKey || metaKey || types) return;
    if (key === "ArrowRight") step(at + 1);
    if (key === "ArrowLeft") step(at - 1);
  };
  document.addEventListener("keydown", onkeydown, { signal });
  reviews.set(shown, await loadReview(session, code, shown.index));
  app.show(t("Review"), () => {
    const turns = reviews.get(shown) ?? [];
    return [
      note(describeMatch(match)),
      rounds.length > 1 && el(
        "div", { className: "buttons" },
        ...rounds.map((each) => button(nameRound(match, each), () => open(each), "btn", {
          ariaPressed: String(each === shown),
        })),
      ),
      el(
        "div", { className: "two" },
        describeBoard(match, shown.round, turns, at),
        el(
          "div", { className: "col" },
          describeSteps(at, turns.length, step),
          turns[at] && describeGuess(match, shown.round, turns[at], at),
          note(describeOutcome(match, shown.round, session.player?.id)),
          describeAdvice(shown.round),
          describeWay(code),
        ),
      ),
    ];
  });
}

/** Return a link to the board of the match. @param {string} code */
const describeWay = (code) => el("p", {}, link(`/${code}`, t("To the match")));

/**
 * Return the players with their points, and the game. The points of one round are those of the
 * codemaker, who may have lost.
 * @param {Match} match
 */
function describeMatch(match) {
  const [one, other] = playersOf(match);
  const points = match.opened.rounds > 1
    ? [one, other].map(({ id }) => pointsOf(match, id)).join(":")
    : "–";
  const players = `${findName(match, one.id)} ${points} ${findName(match, other.id)}`;
  const size = sizeOf(match.rules);
  return join(" · ", players, nameRules(match.rules) !== size && nameRules(match.rules), size);
}

/** @param {Match} match @param {Reviewable} reviewable */
const nameRound = (match, { round, index }) => (
  `${index + 1}: ${t("The guesses of {name}", { name: findName(match, round.breaker) })}`
);

/** @param {Match} match @param {Round} round @param {string} [me] */
const describeOutcome = (match, round, me) => (
  describeEnd(match, { round, index: 0, turns: round.turns.length, ended: true }, me)
);

/**
 * Return the code, and the guesses up to the displayed one.
 * @param {Match} match @param {Round} round @param {Reviewed[]} reviewed @param {number} at
 */
function describeBoard(match, { secret, turns }, reviewed, at) {
  const { rules } = match;
  const rows = turns.map(({ code, black, white }, index) => {
    const isShown = index <= at;
    const isCurrent = index === at;
    const isFound = black === rules.pegs;
    const verdict = isShown && reviewed[index] && join(
      ", ", describeVerdict(findWorth(reviewed[index], isFound), isFound),
      describeLuck(reviewed[index]),
    );
    return el(
      "li",
      { className: join(" ", "row", isCurrent && "step"), "aria-current": isCurrent && "step" },
      el("span", { className: "number" }, index + 1),
      isShown ? describePegs(match, code) : describeHoles(rules.pegs),
      el(
        "span", { className: "answer" },
        isShown && keys(black, white, rules.pegs),
        isShown && el("span", { className: "unseen" }, describeFeedback({ black, white }, rules)),
        verdict,
      ),
    );
  });
  return el(
    "section", { className: "board", "aria-label": t("Board") },
    secret && el(
      "div", { className: "row code" },
      el("span", { className: "number" }), describePegs(match, secret),
      el("span", { className: "answer" }, t("the code")),
    ),
    el("ol", { className: "list rows" }, ...rows),
  );
}

/** @param {Match} match @param {Code} code */
function describePegs({ rules }, code) {
  const { letters, label } = spell(rules);
  const pegs = code.map((colour) => tile(rules.palette[colour], letters[colour]));
  const properties = { role: "img", ariaLabel: code.map(label).join(", ") };
  return el("span", { className: "pegs", ...properties, style: { "--pegs": rules.pegs } }, ...pegs);
}

/** @param {number} pegs */
function describeHoles(pegs) {
  const holes = Array.from({ length: pegs }, () => el("span", { className: "peg empty" }));
  const style = { "--pegs": pegs };
  return el("span", { className: "pegs", "aria-hidden": "true", style }, ...holes);
}

/** @param {number} at @param {number} number of guesses @param {(index: number) => void} step */
function describeSteps(at, number, step) {
  /** @type {[sign: string, label: string, index: number][]} */
  const controls = [
    ["«", t("To the start"), 0],
    ["‹", t("One guess back"), at - 1],
    ["›", t("One guess on"), at + 1],
    ["»", t("To the end"), number - 1],
  ];
  return el(
    "div", { className: "buttons replay", role: "group", "aria-label": t("Playback") },
    ...controls.map(([sign, label, index]) => (
      button(sign, () => step(index), "btn", { ariaLabel: label })
    )),
  );
}

/**
 * Return the verdict on the displayed guess, with its reasons.
 * @param {Match} match @param {Round} round @param {Reviewed} reviewed @param {number} at
 */
function describeGuess(match, { turns, advised }, reviewed, at) {
  const isFound = turns[at].black === match.rules.pegs;
  const worth = findWorth(reviewed, isFound);
  const values = { number: at + 1, verdict: describeVerdict(worth, isFound) };
  const title = advised.includes(at + 1)
    ? t("Guess {number}: {verdict}, with advice", values)
    : t("Guess {number}: {verdict}", values);
  const earlier = findExcluding(turns[at].code, turns.slice(0, at));
  const excluded = earlier !== undefined && t(
    "Guess {number} could not be the code itself: guess {earlier} ruled it out.",
    { number: at + 1, earlier },
  );
  return el(
    "section", { className: "card", "aria-live": "polite" },
    el("h2", {}, title),
    el("span", { className: "meter", "aria-hidden": "true", style: { "--part": worth } }),
    el("p", {}, describeRemaining(reviewed, isFound)),
    el("p", {}, describeBetter(match, reviewed, isFound)),
    el("p", {}, excluded),
  );
}

/** Return how many codes a guess left. @param {Reviewed} reviewed @param {boolean} isFound */
function describeRemaining(reviewed, isFound) {
  const { guess, before: all, after, estimated } = reviewed;
  const before = writeCount(all, estimated);
  const luck = describeLuck(reviewed);
  if (isFound && all === 1) return t("It was the only code left.");
  if (isFound) {
    return luck === t("lucky")
      ? t("It was the code, one of {before} left: lucky.", { before })
      : t("It was the code, one of {before} left.", { before });
  }
  if (!guess.bits) return t("It could reveal nothing new.");
  const left = n(
    "It left {after} code of {before}", "It left {after} codes of {before}", after,
    { after: writeCount(after, estimated), before },
  );
  const average = t("On average it would have left {size}", { size: writeMean(guess.size, estimated) });
  return `${left}. ${join(": ", average, luck)}.`;
}

/** @param {Match} match @param {Reviewed} reviewed @param {boolean} isFound */
function describeBetter({ rules }, { guess, best, before, estimated }, isFound) {
  if (isFound) return "";
  if (String(guess.code) === String(best.code) || (best.bits > 0 && guess.bits >= best.bits)) {
    return t("No guess was better.");
  }
  const values = { code: spell(rules).write(best.code), size: writeMean(best.size, estimated) };
  if (before === 1) return t("Better: {code}, the only code left.", values);
  return best.possible
    ? t("Better: {code}, which leaves {size} and might have been the code.", values)
    : t("Better: {code}, which leaves {size}, though it could not be the code.", values);
}
