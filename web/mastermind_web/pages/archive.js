// The finished matches of a player, each with its review.

import { button, el, join, link, nameOf } from "../elements.js";
import { writeDay } from "../figures.js";
import { n, t } from "../texts.js";
import { describeTerms } from "./home.js";

/** @typedef {import("../visit.js").App} App */

/**
 * Return the finished matches of a player: `load` requests the next page of them, the newest first,
 * and `view` describes the list with a button that loads.
 * @param {App} app @param {string} [player] an id: then only public matches. By default the reader.
 */
export function openArchive(app, player) {
  let listed = /** @type {any[] | undefined} */ (undefined);
  let follows = true;
  const load = async () => {
    const before = listed?.[listed.length - 1]?.match;
    const { matches, more } = await app.session.request("archive", { player, before });
    listed = [...(listed ?? []), ...matches];
    follows = more === true && matches.length > 0;
  };
  const press = () => app.attempt("archive", load);
  /** @param {string} none what to say of an empty list */
  const view = (none) => [
    el("ul", { className: "list rows" }, ...(listed ?? []).map(describeMatch)),
    listed?.length === 0 && el("p", { className: "dim" }, none),
    follows && button(listed ? t("More") : t("Matches to review"), press),
  ];
  return { load, view };
}

/** @param {any} archived */
function describeMatch(archived) {
  const { match, opponent, won, rounds, points, guesses, at, bot, seat } = archived;
  const measured = rounds === 1 && bot && seat === "maker"; // neither won nor lost
  const result = measured ? t("code hidden")
    : won === undefined ? t("draw") : won ? t("won") : t("lost");
  // The points of one round are those of the codemaker, who may have lost.
  const score = rounds > 1
    ? points.join(":")
    : n("{number} guess", "{number} guesses", guesses);
  const name = nameOf(opponent);
  const review = link(`/#review/${match}`, t("Review"));
  Object.assign(review.properties, { ariaLabel: join(" ", t("Review"), name) });
  return el(
    "li", { key: match },
    el(
      "span", {}, el("b", {}, name), " ",
      el("small", {}, join(" · ", describeTerms(archived), writeDay(at))),
    ),
    el("span", { className: "end" }, `${result}, ${score}`, " ", review),
  );
}
