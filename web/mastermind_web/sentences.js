// The sentences about a match.

import { describeSeconds } from "./clock.js";
import { el, nameOf, note } from "./elements.js";
import { checkRound, playersOf } from "./game.js";
import { rate } from "./glicko.js";
import { n, t } from "./texts.js";

/**
 * @typedef {import("./game.js").Match} Match
 * @typedef {import("./game.js").Round} Round
 * @typedef {import("./board.js").Moment} Moment
 */

/** @param {Match} match @param {string} [id] */
export const findName = (match, id) => nameOf(playersOf(match).find((player) => player.id === id)?.name);

/** @param {{black: number, white: number}} feedback */
export const describeFeedback = ({ black, white }) => [t("{number} black", { number: black }), t("{number} white", { number: white })]
  .map((words) => words.replaceAll(" ", "\u00a0")).join(", ");

/** @param {Match} match @param {Moment} moment @param {string} [me] */
function describeEnd(match, { round, turns: number }, me) {
  const mine = round.breaker === me;
  const values = { name: findName(match, round.breaker) };
  return {
    broken: mine
      ? n("You broke the code in {number} guess.", "You broke the code in {number} guesses.", number, values)
      : n("{name} broke the code in {number} guess.", "{name} broke the code in {number} guesses.", number, values),
    resigned: mine
      ? n("You gave up after {number} guess: the code stands.", "You gave up after {number} guesses: the code stands.", number, values)
      : n("{name} gave up after {number} guess: the code stands.", "{name} gave up after {number} guesses: the code stands.", number, values),
    time: mine
      ? n("Your time is over after {number} guess: the code stands.", "Your time is over after {number} guesses: the code stands.", number, values)
      : n("{name}'s time is over after {number} guess: the code stands.", "{name}'s time is over after {number} guesses: the code stands.", number, values),
    exhausted: n("The code stands: {number} guess used, none left.", "The code stands: {number} guesses used, none left.", number, values),
    left: n("The round ends after {number} guess.", "The round ends after {number} guesses.", number, values),
  }[round.how ?? "left"];
}

/** @param {Match} match @param {string} [me] */
function describeOutcome(match, me) {
  if (!match.outcome) return "";
  const { how, winner } = match.outcome;
  if (how === "closed") {
    if (playersOf(match).length < 2) return t("The match is closed.");
    return match.left.length > 0 ? t("The match is closed: there was no guess yet.") : t("The match is closed: the first code was not set in time.");
  }
  const leaver = match.left.find((id) => id !== winner);
  const gone = how === "left" && (leaver === me ? t("You left.") : t("{name} left.", { name: findName(match, leaver) }));
  const won = !winner ? t("The match is a draw.") : winner === me ? t("You win.") : t("{name} wins.", { name: findName(match, winner) });
  const ratings = (match.ratings ?? []).map(({ player, before, after }) => {
    const rating = Math.round(after.rating);
    const change = signed(rating - Math.round(before.rating));
    const name = player === me ? t("You") : findName(match, player);
    return t("{name}: rating {rating} ({change}).", { name, rating, change });
  });
  return [gone, won, ...ratings].filter(Boolean).join(" ");
}

/** @param {number} number */
const signed = (number) => (number > 0 ? "+" : "") + String(number).replace("-", "−");

/** Return what a rated match brings the player, or that it changes no ratings. @param {Match} match @param {string} [me] */
export function describeProspects({ unrated, before }, me = "") {
  if (unrated) return t("This match does not change ratings: you have played six rated ones today.");
  const theirs = Object.keys(before).find((id) => id !== me);
  if (!before[me] || !theirs) return "";
  const [win, loss] = [1, 0].map((score) => Math.round(rate(before[me], before[theirs], score).rating) - Math.round(before[me].rating));
  return t("A win brings {win}, a loss {loss}.", { win: signed(win), loss: signed(loss) });
}

/** Return the sentences about events that no state of the match shows. @param {import("./game.js").Event[]} events */
export function describeNews(events) {
  return events.map(({ event, lost }) => {
    if (event === "resumed") return t("The server was down: {time} are given back.", { time: describeSeconds(Math.ceil(lost / 1000)) });
    return event === "declined" && t("The challenge was declined.");
  }).filter(Boolean).join(" ");
}

/** @param {Match} match @param {Moment | undefined} moment @param {boolean} isLast @param {string | undefined} me @param {(code: number[]) => string} write */
export function describeMoment(match, moment, isLast, me, write) {
  const outcome = isLast ? describeOutcome(match, me) : "";
  if (!moment) return outcome || t("Waiting for the second player.");
  const { round, turns, ended } = moment;
  const [maker, breaker] = [findName(match, round.maker), findName(match, round.breaker)];
  if (ended) return `${describeEnd(match, moment, me)} ${outcome}`;
  if (outcome) return outcome;
  const turn = round.turns[turns - 1];
  if (turn) return t("Guess {number}, {pegs}: {answer}.", { number: turns, pegs: write(turn.code), answer: describeFeedback(turn) });
  if (isLast && match.phase === "setting") return round.maker === me ? t("Hide a code for {name}.", { name: breaker }) : t("{name} is hiding a code.", { name: maker });
  if (round.drawn) return t("The time to set a secret is over: the server has drawn one.");
  if (round.maker === me) return t("Your code is hidden. {name} looks for it.", { name: breaker });
  if (!round.commitment) return t("{name} keeps no fixed code: each answer only has to fit its earlier ones.", { name: maker });
  return round.breaker === me ? t("{name} has hidden a code. Find it!", { name: maker }) : t("{breaker} looks for the code of {maker}.", { breaker, maker });
}

/** Return the sentence about the check of an ended round. @param {Match} match @param {Round} round */
export function describeProof({ rules }, round) {
  const fraud = checkRound(round, rules);
  if (!fraud) {
    return note(round.commitment ? t("Code proven: it is the locked one, and all feedback fits it.") : t("All feedback fits it; there was no commitment to check."));
  }
  const clause = {
    hidden: t("the code was not shown"),
    changed: t("this was not the locked code"),
    illegal: t("this is no code of the game"),
    feedback: t("the answer to guess {number} was wrong", { number: fraud.guess }),
  }[fraud.kind];
  return el("p", { className: "alarm", role: "alert" }, t("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.", { fraud: clause }));
}
