// Challenges: those to the visitor, on every page, and one to another player.

import { describeClock } from "./clock.js";
import { button, describeRules, el, find, nameOf } from "./elements.js";
import { findClock, findRules } from "./game.js";
import { n, t } from "./texts.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./session.js").Message} Message */

const CLOCK = "5+3"; // as a terminal challenges
const ROUNDS = 2; // each of the two hides a code once
const MARK = "● ";

/** The challenges that wait for the visitor, by match. @type {Map<string, {name: string, banner: HTMLElement}>} */
const waiting = new Map();

/** Mark the title of the tab while a challenge waits. */
function markTitle() {
  const { title } = document;
  if (title.startsWith(MARK) !== waiting.size > 0) document.title = waiting.size > 0 ? MARK + title : title.slice(MARK.length);
}
new MutationObserver(markTitle).observe(/** @type {Node} */ (document.querySelector("title")), { childList: true });

/** @param {string} match */
function remove(match) {
  waiting.get(match)?.banner.remove();
  waiting.delete(match);
  markTitle();
}

/** Show a challenge to the visitor, or remove one that has ended. @param {App} app @param {Message} message */
export function showChallenge(app, message) {
  const { op, match, how } = message;
  if (op === "challenged") return ask(app, message);
  const { name } = waiting.get(match) ?? {};
  remove(match);
  if (name && how === "withdrawn") app.say(t("{name} takes the challenge back.", { name }));
  if (name && how === "expired") app.say(t("The challenge of {name} has expired.", { name }));
}

/** @param {App} app @param {Message} challenge */
function ask(app, { match, by, rules, rounds, clock, rated, seconds }) {
  remove(match);
  const answer = (/** @type {string} */ op) => () => app.attempt(async () => {
    await app.session.request(op, { match });
    remove(match);
    if (op === "join") app.go(`/${match}`);
  });
  const name = nameOf(by.name);
  const terms = [
    describeRules(findRules(rules)),
    n("{number} round; you swap seats after each.", "{number} rounds; you swap seats after each.", rounds),
    clock && describeClock(findClock(clock)),
    rated && t("Rated: no advice, no bots."),
  ];
  const banner = el(
    "section", { className: "card", role: "alert" },
    el("b", {}, t("{name} challenges you.", { name })), el("p", {}, terms.filter(Boolean).join(" ")),
    el("div", { className: "buttons" }, button(t("Accept"), answer("join"), "btn main"), button(t("Decline"), answer("decline"))),
  );
  waiting.set(match, { name, banner });
  find("main").before(banner);
  markTitle();
  setTimeout(() => waiting.get(match)?.banner === banner && remove(match), seconds * 1000);
}

/** Show a challenge of the visitor, which `close` takes back. @param {App} app @param {() => Promise<void>} close @param {(Node | false | undefined)[]} terms */
export function showOwn(app, close, terms) {
  app.show(
    t("Your challenge"),
    el("div", { className: "card" }, el("p", {}, t("The other player is asked. The match starts when they accept.")), ...terms),
    button(t("Take it back"), () => app.attempt(close)),
  );
}

/** Stop following a match, and take it back if it is a challenge of the visitor that waits. @param {App} app @param {string} code */
export async function leave({ session }, code) {
  const { phase, opened, maker, breaker } = session.matches.get(code)?.match ?? {};
  const isOwn = (maker ?? breaker)?.id === session.player?.id;
  const ended = phase === "gathering" && isOwn && opened?.reserved && !opened.previous ? session.perform(code, "leave") : Promise.resolve();
  await ended.then(() => session.unfollow(code)).catch(() => {}); // the connection may be lost
}

/** Challenge a player to a rated match, after a question. @param {App} app @param {{player: string, name: string}} opponent @param {string} rules */
export async function challenge(app, { player, name }, rules) {
  const terms = `${describeRules(findRules(rules))} ${describeClock(findClock(CLOCK))} ${t("Rated: no advice, no bots.")}`;
  if (!await app.ask(t("Challenge {name}?", { name: nameOf(name) }), terms, t("Challenge"))) return;
  await app.attempt(async () => {
    const { match } = await app.session.request("challenge", { player, rules, rounds: ROUNDS, rated: true, clock: CLOCK });
    app.go(`/${match}`);
  });
}
