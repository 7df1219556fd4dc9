// The places of the players of a day.

import { button, el, link, nameOf, note } from "../elements.js";
import { makeTable } from "../tables.js";
import { n, t } from "../texts.js";
import { writeDuration } from "./times.js";

/** @typedef {import("../visit.js").App} App */

const FIRST = 10; // places that the page shows before the visitor asks for more

/** @returns {import("../tables.js").Column[]} */
const columns = () => [
  { title: t("Place"), cell: ({ place }) => place },
  { title: t("Player"), cell: ({ player, name }) => link(`/#player/${player}`, nameOf(name)) },
  { title: t("Guesses"), cell: describeGuesses },
  { title: t("Time"), cell: ({ guesses, milliseconds = 0 }) => guesses && writeDuration(milliseconds) },
];

/** Return the number of guesses, as a link to the board if it can be seen. @param {any} placed */
function describeGuesses({ match, guesses, name }) {
  const number = guesses || "X";
  if (!match) return number;
  const described = link(`/${match}`, number);
  const values = { name: nameOf(name), guesses: number };
  Object.assign(described.properties, { ariaLabel: t("{guesses}: the board of {name}", values) });
  return described;
}

/**
 * Return the list of places of a day: `load` requests its first page, and `view` describes it, with
 * a button for the next ones.
 * @param {App} app
 */
export function openPlaces(app) {
  let found = /** @type {any} */ (undefined);
  let rows = /** @type {any[]} */ ([]);
  let follows = false;
  let shown = FIRST;
  const request = async (/** @type {number} */ after) => {
    const { rules, day } = found;
    const answer = await app.session.request("places", { rules, day, after });
    rows = [...rows.slice(0, after), ...answer.places ?? []];
    follows = answer.more === true;
  };
  const more = () => app.attempt("places", async () => {
    if (shown >= rows.length) await request(rows.length);
    shown = rows.length;
  });
  const isOwn = (/** @type {any} */ { player }) => player === app.session.player?.id;
  return {
    async load(/** @type {any} */ day) {
      const isOther = found?.day !== day.day;
      found = day;
      if (isOther) [rows, shown] = [[], FIRST];
      if (shown <= FIRST) await request(0); // the visitor may read a later page
    },
    view: () => el(
      "section", { className: "card part" },
      el("h2", {}, t("Places")),
      rows.length > 0 && makeTable(columns(), rows.slice(0, shown), undefined, isOwn),
      rows.length === 0 && note(t("Nobody has a place yet.")),
      (follows || shown < rows.length) && button(t("More"), more),
      note(t("By guesses, then by the time from the first to the last. Counted: players with a name, known here before the day, no programs, one of an address.")),
    ),
  };
}
