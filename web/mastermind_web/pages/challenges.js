// Challenges: those to the visitor, on every page, one to another player, and own matches that
// wait.

import { matchesOf } from "../connection/followed.js";
import { callVisitor } from "../device/attention.js";
import { ask } from "../dialog.js";
import { button, draw, el, find, join, nameOf, set } from "../elements.js";
import { field, input } from "../fields.js";
import { command, copy, linkOf, share } from "../sharing.js";
import { t } from "../texts.js";
import { describeClock, describeOffer } from "./invitation.js";

/** @typedef {import("../visit.js").App} App */
/** @typedef {import("../types.js").Match["opened"]} Opened */
/** @typedef {import("../connection/followed.js").Message} Message */
/** @typedef {import("../elements.js").Child} Child */

/** The rounds of the visitor's challenges, as of those from a terminal: each hides a code once. */
const ROUNDS = 2;
/** What a rated one has in addition. */
const RATED = { rated: true, clock: "5+3" };
const MARK = "● ";

/** Ends the call for each challenge, by its match code; also of ended ones, which call once. */
const calls = /** @type {Map<string, () => void>} */ (new Map());

/** Marks the title of the tab while a challenge to the visitor has its banner. */
const marker = new MutationObserver(() => {
  const mark = find("news").childElementCount > 0 ? MARK : "";
  set(document, "title", mark + document.title.replace(MARK, ""));
});
for (const marked of [find("news"), /** @type {Node} */ (document.querySelector("title"))]) {
  marker.observe(marked, { childList: true });
}

/**
 * Show a challenge to the visitor, or remove one that has ended.
 * @param {App} app @param {Message} message
 */
export function showChallenge(app, message) {
  const { op, match, how } = message;
  const ended = app.waiting.get(match);
  if (op === "challenged") add(app, message);
  else remove(app, match);
  if (!ended || op === "challenged") return;
  const { previous, by } = ended;
  const name = nameOf(by.name);
  const withdrawn = previous
    ? t("{name} takes the rematch back.", { name })
    : t("{name} takes the challenge back.", { name });
  if (how === "withdrawn") app.say(withdrawn);
  else if (how === "expired") app.say(t("The challenge of {name} has expired.", { name }));
}

/** @param {App} app @param {any} challenged */
function add(app, challenged) {
  const { match, seconds, previous } = challenged;
  app.waiting.set(match, challenged);
  drawAll(app);
  // The server sends it again on each connection. The board of the previous match calls by itself.
  if (!calls.has(match) && location.pathname !== `/${previous}`) {
    const terms = describeOffer(challenged).join(" ");
    calls.set(match, callVisitor(describeNews(challenged), terms, match));
  }
  // A rematch waits longer than a timer can.
  if (!previous) setTimeout(() => remove(app, match), seconds * 1000);
}

/** @param {App} app @param {string} match */
function remove(app, match) {
  app.waiting.delete(match);
  calls.get(match)?.();
  drawAll(app);
}

/** @param {App} app */
function drawAll(app) {
  draw(find("news"), ...[...app.waiting.values()].map((challenged) => describe(app, challenged)));
}

/** @param {any} challenged */
function describeNews({ by, previous }) {
  const name = nameOf(by.name);
  return previous
    ? t("{name} offers a rematch.", { name })
    : t("{name} challenges you.", { name });
}

/** @param {App} app @param {any} challenged */
function describe(app, challenged) {
  const { match } = challenged;
  const answer = (/** @type {string} */ op) => () => app.attempt(match, async () => {
    await matchesOf(app.session).enter(op, { match });
    remove(app, match);
    if (op === "join") app.go(`/${match}`);
  });
  return el(
    "section", { key: match, className: "card challenge", role: "alert" },
    el("b", {}, describeNews(challenged)), el("p", {}, describeOffer(challenged).join(" ")),
    el(
      "div", { className: "buttons" },
      button(t("Accept"), answer("join"), "btn main"),
      button(t("Decline"), answer("decline")),
    ),
  );
}

/**
 * Show a match of the visitor that waits for the other player.
 * @param {App} app @param {string} code @param {Opened} opened @param {Child[]} terms
 */
export function showOwn(app, code, { reserved, previous, public: isPublic }, terms) {
  const asked = t("The other player is asked while online. The match starts when they accept.");
  const close = () => app.attempt("leave", async () => {
    await matchesOf(app.session).perform(code, "leave");
    app.go("/");
  });
  if (reserved && !previous) {
    app.show(t("Your challenge"), () => [
      el("div", { className: "card" }, el("p", {}, asked), ...terms),
      button(t("Take it back"), close),
    ]);
    return;
  }
  const url = linkOf(app, code);
  const [title, waits] = previous ? [t("Waiting for a rematch"), asked]
    : isPublic ? [t("Waiting for an opponent"), t("Anyone may take the seat, also by this link. Then the match starts.")]
    : [t("Your invitation"), t("Send this link. The match starts when your friend takes the seat.")];
  const onfocus = (/** @type {any} */ { target }) => target.select();
  const canShare = "share" in navigator;
  const send = () => share(app, { title: t("Mastermind"), text: t("Play Mastermind with me:"), url });
  app.show(title, () => [
    el(
      "div", { className: "card" }, el("p", {}, waits),
      field(t("Link"), input("text", { value: url, readOnly: true, onfocus })),
    ),
    el(
      "div", { className: "buttons" },
      canShare && button(t("Share"), send, "btn main"),
      button(t("Copy the link"), () => copy(app, url), canShare ? "btn" : "btn main"),
      button(isPublic ? t("Stop waiting") : t("Close the invitation"), close),
    ),
    el("div", { className: "card" }, ...terms),
    command(t("In a terminal:"), "mastermind join", url),
  ]);
}

/**
 * Challenge a player to a match, after the question whether it is to be rated.
 * @param {App} app @param {string} name @param {string} rules
 * @param {string} [player] an id: without it, the server finds the player by the name
 */
export async function challenge(app, name, rules, player) {
  const question = t("Challenge {name}?", { name: nameOf(name) });
  const [rated, friendly] = [t("Rated"), t("Not rated")];
  const offer = { rules, rounds: ROUNDS };
  const terms = [
    describeOffer(offer).join(" "), "\n",
    join(" ", t("Rated: no advice, no bots."), describeClock(RATED.clock)),
  ].join("");
  const answer = await ask(app, question, terms, rated, friendly, t("Not now"));
  if (![rated, friendly].includes(answer)) return;
  const { match } = await matchesOf(app.session).enter("challenge", {
    ...offer, ...(player ? { player } : { name }), ...(answer === rated && RATED),
  });
  app.go(`/${match}`);
}
