// A match with a free seat: its terms, and the visitor's name.

import { matchesOf } from "../connection/followed.js";
import { DAY, MINUTE, SECOND, button, el, join, nameOf, note } from "../elements.js";
import { field, input, makeForm, submitButton } from "../fields.js";
import { describeColours, findClock, findRules, playersOf } from "../game/rules.js";
import { n, t } from "../texts.js";

/** @typedef {import("../visit.js").App} App */

/**
 * Show a match with a free seat: the invitation to take it, or to its owner the link to send.
 * @param {App} app @param {string} code @param {import("../types.js").Match} match
 */
export async function showInvitation(app, code, match) {
  const { session } = app;
  const [there] = playersOf(match);
  const { reserved, rounds } = match.opened;
  const me = session.player?.id;
  const terms = describeOffer(match.opened).map((sentence) => el("p", {}, sentence));
  if (there?.id === me) return (await app.challenges()).showOwn(app, code, match.opened, terms);
  const free = !reserved || reserved === me;
  const taking = makeForm(app, async ({ name }) => {
    if (name) await useName(app, name);
    await matchesOf(session).enter("join", { match: code });
  });
  const seat = match.maker ? t("You break a code.") : t("You hide a code.");
  const title = t("{name} invites you", { name: nameOf(there?.name) });
  app.show(title, () => [
    el(
      "div", { className: "narrow" },
      el(
        "div", { className: "card" }, el("h2", {}, title), ...terms,
        el("p", {}, join(" ", seat, rounds > 1 && t("Then the seats change."))),
      ),
      free && session.tokens.isGuest && note(
        t("Your browser keeps no data of this page, so your seat lasts as long as this tab."),
      ),
      free
        ? taking.view(firstNameField(app), submitButton(t("Take the seat"), "btn main big"))
        : el("p", {}, t("The seat is kept for another player.")),
      el(
        "p", { className: "center" },
        button(t("only watch"), () => app.watch(code), "link"), " · ",
        button(t("how to play"), () => app.help(), "link"),
      ),
    ),
  ], true);
}

// The terms of a match

/** Return a sentence about the size of a game. @param {string} rules */
export function describeRules(rules) {
  const found = findRules(rules);
  const { name, guesses: limit } = found;
  const pegs = n("{number} peg", "{number} pegs", found.pegs);
  const colours = describeColours(found);
  const guesses = limit === null
    ? t("as many guesses as it takes")
    : n("{number} guess", "{number} guesses", limit);
  return t("{rules}: {pegs}, {colours}, {guesses}.", { rules: name, pegs, colours, guesses });
}

/**
 * Return the sentences about the terms of a match.
 * @param {{rules: string, rounds: number, clock?: string, rated?: boolean}} offered
 */
export function describeOffer({ rules, rounds, clock, rated }) {
  const sentences = [
    describeRules(rules),
    rounds > 1 && n("{number} round; you swap seats after each.", "{number} rounds; you swap seats after each.", rounds),
    clock && describeClock(clock),
    rated && t("Rated: no advice, no bots."),
  ];
  return /** @type {string[]} */ (sentences.filter(Boolean));
}

/** Return a sentence about the time that players have. @param {string} clock */
export function describeClock(clock) {
  const { base, increment, move, live } = findClock(clock);
  const days = move / DAY;
  if (!live) return n("Each move has {number} day.", "Each move has {number} days.", days);
  if (move) return t("Each guess has {seconds} seconds.", { seconds: move / SECOND });
  const time = n(
    "The codebreaker has {number} minute a round.", "The codebreaker has {number} minutes a round.",
    base / MINUTE,
  );
  const more = n(
    "Each guess adds {number} second.", "Each guess adds {number} seconds.", increment / SECOND,
  );
  return join(" ", time, increment && more);
}

// The visitor's name

/** Return a field with the player's name, empty for a guest. @param {App} app */
export function nameField({ session }) {
  const name = session.player?.name ?? "";
  const value = name.startsWith("guest-") ? "" : name;
  const maxLength = session.terms?.bounds.name ?? 24;
  const properties = { value, maxLength, autocomplete: "nickname", placeholder: name };
  return field(t("Your name"), input("text", { name: "name", ...properties }));
}

/** Return the field at a player's first seat: none for a player with a name. @param {App} app */
export function firstNameField(app) {
  return app.session.player?.name.startsWith("guest-") && nameField(app);
}

/** Change the player's name if another one was entered. @param {App} app @param {string} name */
export async function useName({ session }, name) {
  const wanted = name.trim();
  if (wanted && wanted !== session.player?.name) await session.identify({ name: wanted });
}
