// The leaderboard and the profiles of players.

import { button, el, join, link, note, writeChange, writeRating } from "../elements.js";
import { field, input, makeForm, select, submitButton } from "../fields.js";
import { describeResults, writeDay, writeMean } from "../figures.js";
import { makeTable } from "../tables.js";
import { n, t, texts } from "../texts.js";
import { openArchive } from "./archive.js";
import { challenge } from "./challenges.js";

/**
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../elements.js").Child} Child
 * @typedef {import("../types.js").Rating} Rating
 * @typedef {import("../tables.js").Column} Column
 */

const NEEDED = 10; // rated matches for a place
const RECENT = 30; // matches in the form of a profile
const MOST_GAMES = 10_000; // of a profile: the server counts no more
const [WIDTH, HEIGHT] = [300, 80]; // of a chart

/** Return a rating and its deviation. @param {Rating} rating */
const writeFull = (rating) => `${writeRating(rating)} ± ${Math.round(rating.deviation)}`;

/** Return a field for the name of another player. @param {App} app */
export function playerField({ session }) {
  const maxLength = session.terms?.bounds.name ?? 24;
  const properties = { maxLength, autocomplete: "off", spellcheck: false, required: true };
  return field(t("A player by name"), input("text", { name: "name", ...properties }));
}

// ---- The leaderboard

/** @returns {Column[]} */
const rankColumns = () => [
  { title: t("Place"), cell: ({ place }) => place ?? "–" },
  { title: t("Player"), cell: ({ player: id, name }) => link(`/#player/${id}`, name) },
  { title: t("Rating"), cell: ({ record }) => writeFull(record.rating) },
  { title: t("Matches"), cell: ({ record }) => record.matches },
  { title: t("Guesses"), cell: ({ record }) => writeMean(record.guesses) },
];

/** Return the matches so far of those that a place needs. @param {any} record */
const describeProgress = ({ matches, rating }) => (
  matches < NEEDED
    ? t("{number} of {needed} matches, {rating}", {
      number: matches, needed: NEEDED, rating: writeRating(rating),
    })
    : writeRating(rating)
);

/** @param {App} app */
export async function leaders(app) {
  const presets = Object.values(texts.presets).filter(({ guesses }) => guesses !== null);
  const options = presets.map(({ name }) => /** @type {[string, string]} */ ([name, name]));
  let rules = presets[0].name;
  let players = /** @type {any[]} */ ([]);
  /** @type {any} */
  let answer;
  const load = async (/** @type {number} */ after) => {
    answer = await app.session.request("leaderboard", { rules, after });
    players = [...(after ? players : []), ...answer.players, ...answer.unplaced ?? []];
  };
  const onchange = (/** @type {any} */ { target }) => {
    rules = target.value;
    app.attempt({}, () => load(0));
  };
  const more = () => app.attempt("more", () => load(players[players.length - 1].place));
  const isOwn = (/** @type {any} */ { player: id }) => id === app.session.player?.id;
  const finding = makeForm(app, async ({ name }) => {
    const found = await app.session.request("profile", { name: name.trim() });
    app.go(`/#player/${found.player}`);
  });
  await load(0);
  app.show(t("Leaderboard"), () => [
    field(t("Game"), select("rules", options, { onchange })),
    makeTable(rankColumns(), players, !players.some(isOwn) && answer.own, isOwn),
    note(answer.total > 0
      ? n("{number} player has a place.", "{number} players have a place.", answer.total)
      : t("Nobody has a place yet.")),
    answer.own && !answer.own.place && note(describeProgress(answer.own.record)),
    answer.bot && note(t("The bot {bot} needs {mean} guesses.", { bot: "hard", mean: writeMean(answer.bot) })),
    answer.more && button(t("More"), more),
    note(t("A place needs ten rated matches, one of them in the last 30 days, three opponents with settled ratings, and a rating without a question mark.")),
    finding.view(playerField(app), submitButton(t("Show the profile"), "btn")),
  ]);
}

// ---- A profile

/** @returns {Column[]} */
const matchColumns = () => [
  { title: t("Result"), cell: describeResult },
  { title: t("Player"), cell: ({ opponent }) => opponent },
  { title: t("Rating"), cell: ({ change }) => writeChange(Math.round(change)) },
  { title: t("Day"), cell: ({ at }) => writeDay(at) },
  { title: t("Points"), cell: ({ points }) => points.join(":") },
];

/** Return the result of a rated match, as a link if the match may be shown. @param {any} rated */
function describeResult({ match, score }) {
  const result = score === 1 ? t("won") : score === 0 ? t("lost") : t("draw");
  return match ? link(`/${match}`, result) : result;
}

/**
 * Show the profile of a player.
 * @param {App} app @param {string} [id] of the player, by default the reader's
 */
export async function player(app, id) {
  const { session } = app;
  const request = (/** @type {string} */ rules) => (
    session.request("profile", { player: id, rules })
  );
  const first = await session.request("profile", { player: id });
  const records = first.records ?? [];
  let shown = first;
  const options = records.map((/** @type {any} */ { rules, rating }) => (
    [rules, `${rules}: ${writeFull(rating)}`]
  ));
  const onchange = (/** @type {any} */ { target }) => app.attempt("rules", async () => {
    shown = await request(target.value);
  });
  const isOwn = first.player === session.player?.id;
  const archive = openArchive(app, first.player);
  const { games: counted = 0 } = first;
  const number = counted < MOST_GAMES ? counted : `${MOST_GAMES}+`;
  const games = n("{number} game", "{number} games", counted, { number });
  const day = first.since && writeDay(first.since, "UTC");
  const ask = () => app.attempt("challenge", () => (
    challenge(app, first.name, shown.rules ?? "classic", first.player)
  ));
  app.show(first.name, () => [
    note(day ? t("{games} since {day}", { games, day }) : games),
    el(
      "div", { className: "two" },
      el(
        "section", { className: "col" },
        records.length > 0
          ? field(t("Game"), select("rules", options, { onchange, value: shown.rules }))
          : el("p", {}, t("No rated match yet.")),
        ...describe(shown),
      ),
      el(
        "section", { className: "card part" },
        !isOwn && el(
          "p", {}, t("You and {name}: {results}", { name: first.name, results: describeMet(first) }),
        ),
        !isOwn && el("p", {}, button(t("Challenge"), ask, "btn main")),
        isOwn && el("p", {}, link("/#statistics", t("Your statistics"))),
        ...archive.view(t("None of the player's last matches was public.")),
        isOwn && el(
          "p", {}, first.challenges === false ? t("You take no challenges.") : t("You take challenges."),
          " ", link("/#settings", t("Settings")),
        ),
      ),
    ),
  ]);
}

/**
 * Return the reader's results against a player, with the day of the last match if known.
 * @param {any} profile
 */
function describeMet({ against, met }) {
  const results = against?.some(Boolean) ? describeResults(against) : t("no match yet");
  return met ? t("{results}, last {day}", { results, day: writeDay(met) }) : results;
}

/**
 * Return the part of a profile that depends on its rules.
 * @param {any} profile
 * @returns {Child[]}
 */
function describe({ rules, records = [], history = [], form, matches = [], place, total }) {
  const record = records.find((/** @type {any} */ each) => each.rules === rules);
  if (!record) return [];
  const { rating, best, best_at: bestAt, guesses, fewest, less_luck: lessLuck } = record;
  const { played: rounds = 0, broken = 0 } = record;
  const mean = writeMean(guesses);
  const played = Math.min(record.matches, RECENT);
  const lines = [
    place ? t("place {place} of {total}", { place, total }) : t("no place"),
    best && t("best {rating}, {day}", { rating: Math.round(best), day: writeDay(bestAt) }),
    join(" ", n("last {number} match:", "last {number} matches:", played), describeResults(form)),
    mean
      ? join(", ", t("{mean} guesses", { mean }), fewest && t("best {number}", { number: fewest }))
      : t("no round as codebreaker yet"),
    mean && lessLuck && t("{mean} less luck", { mean: writeMean(lessLuck) }),
    mean && t("{broken} of {played} codes broken", { broken, played: rounds }),
  ];
  return [
    el("h2", {}, `${rules} ${writeFull(rating)}`),
    el("ul", {}, ...lines.filter(Boolean).map((line) => el("li", {}, line))),
    history.length > 1 && describeHistory(history),
    makeTable(matchColumns(), matches),
  ];
}

/** Return a chart of ratings, the oldest first. @param {number[]} history */
function describeHistory(history) {
  const [least, most] = [Math.min(...history), Math.max(...history)];
  const points = history.map((rating, index) => [
    (index / (history.length - 1)) * WIDTH,
    most > least ? ((most - rating) / (most - least)) * HEIGHT : HEIGHT / 2,
  ]);
  const about = t("Last ratings: {least} to {most}", { least: Math.round(least), most: Math.round(most) });
  const viewBox = `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`;
  const stroke = { fill: "none", stroke: "currentColor", "stroke-width": 2 };
  return el(
    "figure", {},
    el(
      "svg:svg", { viewBox, width: WIDTH, height: HEIGHT, role: "img", "aria-label": about },
      el("svg:polyline", { points: points.join(" "), ...stroke }),
    ),
    el("figcaption", { className: "dim" }, about),
  );
}
