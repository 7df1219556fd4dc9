// The ends of rounds and of a match: how a player ends them, their sentences, and the check of the
// code. result.js shows the end of a match.

import { matchesOf } from "../connection/followed.js";
import { findContestDay, findReveal, writeHour } from "../day/times.js";
import { ask } from "../dialog.js";
import { alarm, button, el, join, note, writeChange } from "../elements.js";
import { writeMean } from "../figures.js";
import { checkRound, rate } from "../game/checks.js";
import { awaitsProof, isBot, playersOf, toMove, writeSize } from "../game/rules.js";
import { n, t, texts } from "../texts.js";
import { describeStart, findName } from "./sentences.js";
import { describeSeconds } from "./times.js";

export { speakTime } from "./times.js";

/**
 * @import {Event, Match, Round} from "../types.js"
 * @import {Child} from "../elements.js"
 * @import {Moment} from "./sentences.js"
 * @import {Shown} from "./view.js"
 *
 * @typedef {import("../visit.js").App} App
 */

/**
 * Return the sentences about a change that no state of the match shows.
 * @param {Match} match @param {{events: Event[], undone?: boolean}} change @param {string} [me]
 */
export function describeNews(match, { events, undone }, me) {
  const restored = undone && t("The server has gone back to an earlier state of this match: everything after it is undone.");
  return join(" ", restored, ...events.map((event) => describeEvent(match, event, me)));
}

/** @param {Match} match @param {Event} event @param {string} [me] */
function describeEvent(match, event, me) {
  switch (event.event) {
    case "resumed": {
      const time = describeSeconds(Math.ceil(event.lost / 1000));
      return t("The server lost time: the clock gets {time} back.", { time });
    }
    case "rematch":
      return event.by !== me && t("{name} offers a rematch.", { name: findName(match, event.by) });
    case "declined":
      return event.late
        ? t("The challenge has expired: there was no answer.")
        : t("The challenge was declined.");
    case "opened": case "joined": case "unrated": case "secret": case "guessed": case "advised":
    case "round_ended": case "left": case "finished": case "rated":
      return ""; // the match shows it
    default:
      return /** @satisfies {never} */ (event); // tsc names a new kind of event
  }
}

/**
 * Return whether the player can take the seat of a rematch.
 * @param {{match: Match, seat?: string}} shown
 */
export const hasRematch = ({ match, seat }) => (
  seat !== undefined && match.rematch !== undefined && match.left.length === 0
);

/**
 * Return the number of guesses of a round, such as `4/12`.
 * @param {Match} match @param {Round} round
 */
export const writeScore = ({ rules: { guesses } }, { how, turns }) => (
  (how === "broken" ? turns.length : "X") + (guesses ? `/${guesses}` : "")
);

/** Return the title of a shared result. @param {Match} match */
export function nameResult(match) {
  const { opened, rules } = match;
  if (!opened.contest) return `Mastermind ${writeSize(rules)}`;
  const { name } = rules;
  const [usual] = texts.days.rules;
  return join(" ", "Mastermind", opened.contest.replace("day/", ""), name !== usual && name);
}

/** Return the answers of the rounds as a text that does not show the codes. @param {Match} match */
export function writeResult(match) {
  const { played, rules: { pegs } } = match;
  return played.map((round) => {
    const rows = round.turns.map(({ black, white }) => (
      "●".repeat(black) + "○".repeat(white) + "·".repeat(pegs - black - white)
    ));
    const title = `${nameResult(match)} · ${writeScore(match, round)}`;
    return [title, ...rows].join("\n");
  }).join("\n\n");
}

/**
 * Return the sentences about the end of a round: what the player must do now, and in its last
 * moment the end of the match.
 * @param {Match} match @param {Moment | undefined} moment @param {boolean} isLast
 * @param {string} [me]
 */
export function describeEnds(match, moment, isLast, me) {
  const { current, played } = match;
  const isAwaited = current && moment?.round === played.at(-1) && toMove(match)?.id === me;
  const due = isAwaited && describeStart(match, current, true, me);
  const ended = moment?.ended && join(" ", describeEnd(match, moment, me), due);
  return join(" ", ended, isLast && !match.opened.contest && describeOutcome(match, me));
}

/** @param {Match} match @param {Moment} moment @param {string} [me] */
export function describeEnd(match, { round, turns: number }, me) {
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

/** Return who has won, or why nobody has. @param {Match} match @param {string} [me] */
export function describeVerdict(match, me) {
  const { how, winner } = match.outcome ?? {};
  if (how === "closed") {
    if (playersOf(match).length < 2) return t("The match is closed.");
    return match.left.length > 0
      ? t("The match is closed: there was no guess yet.")
      : t("The match is closed: the first code was not set in time.");
  }
  if (measuresBot(match)) return describeMeasurement(match);
  if (!winner) return t("The match is a draw.");
  return winner === me ? t("You win.") : t("{name} wins.", { name: findName(match, winner) });
}

/**
 * Return whether the match is one round in which a bot or program breaks a person's code. It counts
 * neither as won nor as lost: the bot's guesses are its result.
 * @param {Match} match
 */
export const measuresBot = ({ opened, maker, breaker }) => (
  opened.rounds === 1 && isBot(breaker) && maker !== undefined && !isBot(maker)
);

/** Return the result of a finished match that measured a bot. @param {Match} match */
function describeMeasurement(match) {
  const round = match.played.at(-1);
  if (!round || round.how === "left") return t("Nobody has won or lost.");
  const name = findName(match, round.breaker);
  const number = round.turns.length;
  const size = writeSize(match.rules);
  const mean = texts.usualGuesses[match.breaker?.bot ?? ""]?.[size];
  const usual = mean && writeMean(mean, 1);
  const values = { name, usual };
  if (round.how !== "broken") {
    return usual
      ? t("{name} did not break the code; it usually needs {usual} guesses.", values)
      : t("{name} did not break the code.", values);
  }
  return usual
    ? n("{name} needed {number} guess; it usually needs {usual}.", "{name} needed {number} guesses; it usually needs {usual}.", number, values)
    : n("{name} needed {number} guess.", "{name} needed {number} guesses.", number, values);
}

/** @param {Match} match @param {string} [me] */
function describeOutcome(match, me) {
  if (!match.outcome) return "";
  const { how, winner } = match.outcome;
  const leaver = match.left.find((id) => id !== winner);
  const gone = leaver === me ? t("You left.") : t("{name} left.", { name: findName(match, leaver) });
  const ratings = (match.ratings ?? []).map((change) => describeRating(match, change, me));
  return join(" ", how === "left" && gone, describeVerdict(match, me), ...ratings);
}

/**
 * Return the new rating of a player.
 * @param {Match} match @param {import("../types.js").RatingChange} change @param {string} [me]
 */
export function describeRating(match, { player, before, after }, me) {
  const rating = Math.round(after.rating);
  const change = writeChange(rating - Math.round(before.rating));
  const name = player === me ? t("You") : findName(match, player);
  return t("{name}: rating {rating} ({change}).", { name, rating, change });
}

/**
 * Return what a rated match brings the player, or that it changes no ratings.
 * @param {Match} match @param {string} [me]
 */
export function describeProspects({ unrated, before }, me = "") {
  if (unrated) return t("This match does not change ratings: you have played six rated ones today.");
  const theirs = Object.keys(before).find((id) => id !== me);
  if (!before[me] || !theirs) return "";
  const [win, loss] = [1, 0].map((score) => {
    const after = rate(before[me], before[theirs], score);
    return writeChange(Math.round(after.rating) - Math.round(before[me].rating));
  });
  return t("A win brings {win}, a loss {loss}.", { win, loss });
}

/**
 * Return the sentence about the check of an ended round.
 * @param {Match} match @param {Round} round
 */
export function describeProof({ rules }, round) {
  if (awaitsProof(round)) {
    return el("p", { className: "dim" }, t("The code stays locked until all tries at it are over."));
  }
  const fraud = checkRound(round, rules);
  if (!fraud) {
    return el("p", { className: "seal" }, "✓ ", round.commitment
      ? t("Code proven: it is the locked one, and all feedback fits it.")
      : t("All feedback fits it; there was no commitment to check."));
  }
  const clause = {
    hidden: t("the code was not shown"),
    changed: t("this was not the locked code"),
    illegal: t("this is no code of the game"),
    feedback: t("the answer to guess {number} was wrong", { number: fraud.guess }),
  }[fraud.kind];
  return alarm(t("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.", { fraud: clause }));
}

/** Return a warning of a server that sends impossible events or ratings. */
export const distrust = () => (
  alarm(t("The server's report of this match contradicts itself. Do not trust it."))
);

/** Return a warning: the match cannot be shown further. @param {Shown} shown */
export const describeError = ({ known: { error } }) => [distrust(), note(error?.message)];

/**
 * Give up the round, after a question that says what it costs.
 * @param {App} app @param {string} code @param {Match} match
 */
export async function resign(app, code, match) {
  const { question, answer, cost } = texts.actions.resign;
  const day = findContestDay(match);
  const time = day === undefined ? "" : writeHour(findReveal(day));
  const loss = time
    && join(" ", t("It counts as not cracked."), t("The code stays hidden until {time}.", { time }));
  if (await ask(app, question, loss || cost, t("Go on"), answer) !== answer) return;
  await matchesOf(app.session).perform(code, "resign");
}

/**
 * Leave the match, after a question that says what it costs.
 * @param {App} app @param {string} code @param {Match} match
 */
export async function leave(app, code, match) {
  const cost = describeCostOfLeaving(match);
  const answer = t("Leave for good");
  if (await ask(app, t("Leave the match?"), cost, t("Go on"), answer) !== answer) return;
  await matchesOf(app.session).perform(code, "leave");
  app.go("/");
}

/** Return what it costs to leave a running match. @param {Match} match */
export function describeCostOfLeaving(match) {
  const isLive = match.clock?.live === true;
  if (measuresBot(match)) {
    return isLive
      ? t("Nobody wins or loses.")
      : t("Nobody wins or loses. To go on later, just close this page: your seat is kept.");
  }
  return isLive
    ? t("Before the first guess the match just closes. Later the other player wins.")
    : t("The other player wins. To go on later, just close this page: your seat is kept.");
}

/**
 * Return the panel at the end of a round; `next` shows the next one.
 * @param {Shown} shown @param {() => void} next
 * @returns {Child[]}
 */
export function describeRoundEnd({ match, moment, seat, over }, next) {
  if (!moment?.ended || over) return [];
  return [
    describeProof(match, moment.round),
    seat && el("div", { className: "buttons" }, button(t("Next round"), next, "btn main")),
  ];
}
