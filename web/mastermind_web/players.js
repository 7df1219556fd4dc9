// The leaderboard and the profiles of players.

import { challenge } from "./challenges.js";
import { button, el, field, join, link, note, writeChange, writeRating } from "./elements.js";
import { card, describeTerms } from "./home.js";
import { select } from "./pages.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {import("./types.js").Rating} Rating
 */

/** Return a rating and its deviation. @param {Rating} rating */
const writeFull = (rating) => `${writeRating(rating)} ± ${Math.round(rating.deviation)}`;

/** The browser's variant of the page's language. */
const locale = () => navigator.languages.find((name) => name.startsWith(texts.language)) ?? texts.language;

/** Return a mean. @param {number} [mean] */
const writeMean = (mean) => mean?.toLocaleString(locale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Return a day. @param {number} time in milliseconds since 1970 @param {string} [timeZone] by default the reader's */
const writeDay = (time, timeZone) => new Date(time).toLocaleDateString(locale(), { dateStyle: "medium", timeZone });

/** Return a row of a table. @param {(Node | string | number | undefined)[]} cells @param {boolean} [isOwn] */
function row(cells, isOwn = false) {
  const written = cells.map((cell) => el("td", {}, cell instanceof Node ? cell : String(cell ?? "")));
  return el("tr", isOwn ? { "aria-current": "true" } : {}, ...written);
}

/** Return the head of a table. @param {string[]} titles */
const head = (...titles) => el("thead", {}, el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title))));

/** @param {App} app */
export async function leaders(app) {
  const presets = Object.values(texts.presets).filter(({ guesses }) => guesses !== null);
  const rules = select("rules", presets.map(({ name }) => [name, name]));
  const [listed, own] = [el("tbody", {}), el("tfoot", {})];
  const facts = el("div", {});
  const rank = (/** @type {any} */ { place, player, name, record: { rating, matches, guesses } }) =>
    row([place, link(`/#player/${player}`, name), writeFull(rating), matches, writeMean(guesses)], player === app.session.player?.id);
  const load = async (/** @type {number} */ after) => {
    const answer = await app.session.request("leaderboard", { rules: rules.value, after });
    if (!after) listed.replaceChildren();
    listed.append(...answer.players.map(rank));
    own.replaceChildren(...(answer.own && !listed.querySelector("[aria-current]") ? [rank(answer.own)] : []));
    more.hidden = !answer.more;
    more.onclick = () => app.attempt(more, () => load(answer.players.at(-1).place));
    const standing = answer.total > 0 ? n("{number} player has a place.", "{number} players have a place.", answer.total) : t("Nobody has a place yet.");
    facts.replaceChildren(note(standing), note(answer.bot && t("The bot {bot} needs {mean} guesses.", { bot: "hard", mean: writeMean(answer.bot) })));
  };
  const more = button(t("More"), () => {});
  rules.onchange = () => app.attempt({}, () => load(0));
  app.show(
    t("Leaderboard"),
    field(t("Game"), rules),
    el("table", {}, head(t("Place"), t("Player"), t("Rating"), t("Matches"), t("Guesses")), listed, own),
    facts,
    more,
    note(t("A place needs ten rated matches, one of them in the last 30 days, three opponents with settled ratings, and a rating without a question mark.")),
  );
  await load(0);
}

/** Show the profile of a player. @param {App} app @param {string} [player] an id, by default the reader's */
export async function player(app, player) {
  const facts = el("div", {});
  const request = (/** @type {string} */ rules) => app.session.request("profile", { player, rules });
  const first = await app.session.request("profile", { player });
  const records = first.records ?? [];
  const rules = select("rules", records.map((/** @type {any} */ record) => [record.rules, `${record.rules}: ${writeFull(record.rating)}`]), first.rules);
  rules.onchange = () => app.attempt({}, async () => facts.replaceChildren(...describe(await request(rules.value))));
  facts.replaceChildren(...describe(first));
  const games = n("{number} game", "{number} games", first.games ?? 0);
  app.show(
    first.name,
    note(first.since ? t("{games} since {day}", { games, day: writeDay(first.since, "UTC") }) : games),
    records.length > 0 ? field(t("Game"), rules) : el("p", {}, t("No rated match yet.")),
    facts,
    first.player !== app.session.player?.id && el("p", {}, t("You and {name}: {results}", { name: first.name, results: describeMet(first) }), " ", button(t("Challenge"), () => app.attempt("challenge", () => challenge(app, first.player, first.name, rules.value || "classic")))),
    publicMatches(app, first.player),
    first.player === app.session.player?.id && challengesSwitch(app, first.challenges ?? true),
  );
}

/** Return whether the reader takes challenges, with a button to change it. @param {App} app @param {boolean} allowed */
function challengesSwitch(app, allowed) {
  const [said, label] = allowed
    ? [t("You take challenges."), t("Take no challenges")]
    : [t("You take no challenges."), t("Take challenges again")];
  return el("p", {}, said, " ", button(label, () => app.attempt("challenges", async () => {
    await app.session.request("challenges", { allowed: !allowed });
    await player(app);
  })));
}

/** @param {number[]} [results] wins, draws and losses */
function describeResults(results = [0, 0, 0]) {
  const [won, drawn, lost] = results;
  return [n("{number} won", "{number} won", won), n("{number} drawn", "{number} drawn", drawn), n("{number} lost", "{number} lost", lost)].join(", ");
}

/** Return the reader's results against a player, with the day of the last match if known. @param {any} profile */
function describeMet({ against, met }) {
  const results = describeResults(against);
  return met ? t("{results}, last {day}", { results, day: writeDay(met) }) : results;
}

/** Return the part of a profile that depends on its rules. @param {any} profile @returns {Node[]} */
function describe({ rules, records = [], history = [], form, matches = [], place, total }) {
  const record = records.find((/** @type {any} */ each) => each.rules === rules);
  if (!record) return [];
  const mean = writeMean(record.guesses);
  const lines = [
    place ? t("place {place} of {total}", { place, total }) : t("no place"),
    record.best && t("best {rating}, {day}", { rating: Math.round(record.best), day: writeDay(record.best_at) }),
    [n("last {number} match:", "last {number} matches:", Math.min(record.matches, RECENT)), describeResults(form)].join(" "),
    mean && join(", ", t("{mean} guesses", { mean }), record.fewest && t("best {number}", { number: record.fewest })),
    mean && record.less_luck && t("{mean} less luck", { mean: writeMean(record.less_luck) }),
  ];
  return [
    el("h2", {}, `${record.rules} ${writeFull(record.rating)}`),
    el("ul", {}, ...lines.filter(Boolean).map((line) => el("li", {}, line))),
    ...(history.length > 1 ? [drawHistory(history)] : []),
    el("table", {}, head(t("Result"), t("Player"), t("Rating"), t("Day"), t("Points")), el("tbody", {}, ...matches.map(describeMatch))),
  ];
}

const RECENT = 30; // matches in the form of a profile

/** Return a row of a rated match. Its result is a link if the match may be shown. @param {any} rated */
function describeMatch({ match, score, points, change, at, opponent }) {
  const result = score === 1 ? t("won") : score === 0 ? t("lost") : t("draw");
  return row([match ? link(`/${match}`, result) : result, opponent, writeChange(Math.round(change)), writeDay(at), points.join(":")]);
}

const [WIDTH, HEIGHT] = [300, 80];

/** Return a chart of ratings, the oldest first. @param {number[]} history */
function drawHistory(history) {
  const [least, most] = [Math.min(...history), Math.max(...history)];
  const points = history.map((rating, index) => [
    (index / (history.length - 1)) * WIDTH,
    most > least ? ((most - rating) / (most - least)) * HEIGHT : HEIGHT / 2,
  ]);
  const about = t("Last ratings: {least} to {most}", { least: Math.round(least), most: Math.round(most) });
  const chart = draw("svg", { viewBox: `-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": about });
  chart.append(draw("polyline", { points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 2 }));
  return el("figure", {}, chart, el("figcaption", { className: "dim" }, about));
}

/** Return an element of a drawing. @param {string} tag @param {{[name: string]: string | number}} attributes */
function draw(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** Return a button that lists the public matches of a player, a page at a time. @param {App} app @param {string} player */
function publicMatches(app, player) {
  const list = el("ul", { className: "list" });
  let before = /** @type {string | undefined} */ (undefined);
  const load = async () => {
    const { matches, more: follows } = await app.session.request("archive", { player, before });
    before = matches.at(-1)?.match;
    list.append(...matches.map((/** @type {any} */ each) => el("li", {}, card(`/${each.match}`, each.opponent, `${describeTerms(each)} · ${each.points.join(":")} · ${writeDay(each.at)}`))));
    if (!list.firstChild) list.append(el("li", { className: "dim" }, t("None of the player's last matches was public.")));
    more.hidden = !follows || !before;
    more.textContent = t("More");
  };
  const more = button(t("Matches to review"), () => app.attempt(more, load));
  return el("section", {}, list, more);
}
