// The page of the code of a day: before, during and after the visitor's try.

import { Refusal } from "../connection/connection.js";
import { matchesOf } from "../connection/followed.js";
import { SECOND, button, el, join, link, note } from "../elements.js";
import { reveal } from "../game/fold.js";
import { findRules } from "../game/rules.js";
import { distrust } from "../match/ends.js";
import { describeCode } from "../match/result.js";
import { sizeOf } from "../match/sentences.js";
import { n, t, texts } from "../texts.js";
import { describeRules } from "./month.js";
import { openPlaces } from "./places.js";
import { describeOwn, describePlayers, describeTotals } from "./results.js";
import {
  findStart, findTriesEnd, monthOf, writeCountdown, writeDate, writeHour,
} from "./times.js";

export { days } from "./month.js";

/**
 * @import {Followed} from "../connection/followed.js"
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../connection/followed.js").Message} Message
 */

const REFRESH = 60 * SECOND; // the numbers of players change slowly
const SPREAD = 5 * SECOND; // pages do not all ask at once for a new code

/**
 * Show the code of a day.
 * @param {App} app @param {string} [rules] @param {string} [number] of the day, by default today
 */
export async function day(app, rules = texts.days.rules[0], number) {
  const { session, signal } = app;
  let found = /** @type {any} */ (undefined);
  /** The visitor's match, once its try has ended. @type {Followed | undefined} */
  let tried;
  let ahead = 0; // of the server's clock
  let due = 0; // the time of the next request
  const now = () => Date.now() + ahead;
  const places = openPlaces(app);
  const load = async () => {
    const before = found;
    const answer = await session.request("day", { rules, day: number && Number(number) });
    found = { state: "open", players: 0, ...answer };
    ahead = found.now - Date.now();
    const next = findStart(found.today + 1) + Math.random() * SPREAD;
    due = found.state === "open" ? Math.min(now() + REFRESH, next) : next;
    if (found.day !== before?.day) tried = undefined;
    const { own, state } = found;
    if (isOver(found) && own) tried ??= await followTry(app, own.match);
    if (hasPlaces(found)) await places.load(found);
    if (before && found.day !== before.day) app.say(t("A new code is here."));
    else if (before?.state === "open" && state === "closed") app.say(t("The code is revealed."));
  };
  const refresh = () => {
    due = Infinity; // until the answer
    load().catch((error) => {
      if (!(error instanceof Refusal)) throw error;
      due = now() + REFRESH;
    }).finally(show);
  };
  const enter = () => app.attempt("enter", async () => {
    try {
      const answer = await matchesOf(session).enter("enter", { rules, day: found.day });
      app.go(`/${answer.match}`);
    } catch (refusal) {
      due = 0; // another device was faster, or the day is over
      throw refusal;
    }
  });
  await load();
  const ticking = setInterval(() => {
    if (document.hidden) return;
    if (now() >= due) refresh();
    app.draw();
  }, SECOND);
  signal.addEventListener("abort", () => clearInterval(ticking));
  const view = () => {
    const { state, own, code, nonce, today } = found;
    const proof = code && { secret: code, nonce };
    const match = tried?.match && reveal(tried.match, proof);
    const isToday = found.day === today;
    const canTry = isToday && state === "open" && !own;
    return {
      about: [el("span", {}, t("No. {day}", { day: found.day }), " · ", writeDate(found.day))],
      page: [
        describeRules("day", rules, number),
        el(
          "div", { className: "two even" },
          el(
            "div", { className: "col" },
            describeState(found),
            tried?.error && distrust(),
            isOver(found) && (own || code) && describeOwn(app, found, match),
            canTry && describeTask(found, enter),
            own && !isOver(found) && describeRunning(found, now()),
            describeTotals(found),
          ),
          el(
            "div", { className: "col" },
            describeNext(found, now()),
            isOver(found) && describePlayers(found),
            hasPlaces(found) && places.view(),
          ),
        ),
      ],
    };
  };
  const show = () => app.show(nameDay(found), view);
  show();
}

/** Return whether the visitor may see the results. @param {any} found */
const isOver = ({ own, state }) => own?.how !== undefined || state !== "open";

/** Return whether the day has a list of places that the visitor may see. @param {any} found */
const hasPlaces = (found) => (
  isOver(found) && found.state !== "withdrawn" && found.commitment !== undefined
);

/** Return the name of a day's page. @param {{day: number, today: number}} found */
const nameDay = ({ day: number, today }) => (
  number === today ? t("Today's code") : t("Code {day}", { day: number })
);

/**
 * Return the visitor's match, and follow it while the page is open.
 * @param {App} app @param {string} code
 */
async function followTry({ session, signal }, code) {
  const matches = matchesOf(session);
  const known = await matches.follow(code);
  signal.addEventListener("abort", () => matches.unfollow(code).catch(() => {})); // or offline
  return known;
}

/** Return a note on a day that does not count, or that has no code. @param {any} found */
function describeState({ state, day: number, today, commitment }) {
  if (state === "withdrawn") {
    return note(t("Withdrawn"), ". ", t("This code does not count, and breaks no streak."));
  }
  const isMissing = number < today && !commitment;
  return isMissing && note(t("No code that day"), ". ", t("A day without a code breaks no streak."));
}

/** Return the sealed code with the way to begin. @param {any} found @param {() => void} enter */
function describeTask(found, enter) {
  const { day: number, rules: name, players } = found;
  const rules = findRules(name);
  const begin = writeHour(findStart(number + 1));
  const end = writeHour(findTriesEnd(number));
  const guesses = n("{number} guess", "{number} guesses", rules.guesses ?? 0);
  return el(
    "section", { className: "card part today" },
    describeCode(rules),
    el("p", {}, t("One code for everybody, one try."), " ", join(", ", sizeOf(rules), guesses), "."),
    el("div", { className: "buttons" }, button(t("Break it"), enter, "btn main big")),
    note(players > 0
      ? n("{number} player has begun.", "{number} players have begun.", players)
      : t("Nobody has begun yet.")),
    note(t("Begin it until {begin}, end it until {end}.", { begin, end }), " ", t("These are local times.")),
  );
}

/** Return the way to a running try. @param {any} found @param {number} now */
function describeRunning({ day: number, own }, now) {
  const end = findTriesEnd(number);
  return el(
    "section", { className: "card part today" },
    el("h2", {}, t("Your try has begun")),
    el("p", {}, now < end
      ? t("You can continue it until {time}.", { time: writeHour(end) })
      : t("It counts as not cracked.")),
    now < end && el("div", { className: "buttons" }, link(`/${own.match}`, t("Continue"), "btn main big")),
  );
}

/**
 * Return the time of the next code, and the ways to other days.
 * @param {any} found @param {number} now
 */
function describeNext({ day: number, today, rules }, now) {
  const next = findStart(today + 1);
  const path = (/** @type {number} */ other) => `/#day/${rules}/${other}`;
  return el(
    "section", { className: "card part" },
    el("h2", {}, t("Next code in {time}", { time: writeCountdown(next - now) })),
    note(t("A new code comes daily at {time}.", { time: writeHour(next) })),
    el(
      "nav", { className: "buttons", "aria-label": t("Days") },
      number > 0 && link(path(number - 1), t("The day before"), "btn"),
      number < today && link(path(number + 1), t("The day after"), "btn"),
      link(`/#days/${rules}/${monthOf(findStart(number))}`, t("Your month"), "btn"),
    ),
  );
}
