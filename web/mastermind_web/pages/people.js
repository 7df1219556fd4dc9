// The people that the visitor has played, with the score and a button to challenge them.

import { button, el, join, link, nameOf, note } from "../elements.js";
import { describeResults, resultsOf, writeDay } from "../figures.js";
import { t } from "../texts.js";
import { challenge } from "./challenges.js";

/**
 * @typedef {import("../visit.js").App} App
 * @typedef {object} Person
 * @property {string} player the id
 * @property {string} name
 * @property {number} [wins]
 * @property {number} [draws]
 * @property {number} [losses]
 * @property {number} last the time of the last match
 * @property {boolean} [online]
 * @property {string} [match] the code of a public match
 */

const RULES = "classic"; // of a challenge

/** @param {App} app */
export async function people(app) {
  const answer = await app.session.request("people");
  /** @type {Person[]} */
  const met = answer.people ?? [];
  const ask = (/** @type {Person} */ { player, name }) => (
    app.attempt("challenge", () => challenge(app, name, RULES, player))
  );
  app.show(t("People"), () => [
    el("ul", { className: "list rows" }, ...met.map((person) => describePerson(person, ask))),
    met.length > 0
      ? note(t("Matches won against all people that you have played on this server."))
      : el("p", {}, t("Nobody yet."), " ", link("/#invite", t("Invite a friend"))),
  ]);
}

/** @param {Person} person @param {(person: Person) => unknown} ask */
function describePerson(person, ask) {
  const { player, last, online, match, wins = 0, losses = 0 } = person;
  const name = nameOf(person.name);
  const label = t("Challenge");
  return el(
    "li", {},
    el(
      "span", {},
      link(`/#player/${player}`, name), " ",
      el("small", {}, join(" · ", online && t("online"), writeDay(last))),
    ),
    el(
      "span", { className: "end" },
      el("span", { "aria-hidden": "true" }, `${wins} : ${losses}`),
      el("span", { className: "unseen" }, describeResults(resultsOf(person))),
      match && link(`/${match}`, t("Watch")),
      button(label, () => ask(person), "btn", { ariaLabel: `${label} ${name}` }),
    ),
  );
}
