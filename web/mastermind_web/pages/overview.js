// What home shows beside its tiles, and loads after them: the visitor's unfinished matches, matches
// of others, the best players, and the visitor's record.

import { el, join, link, nameOf, note, writeRating, writeTime } from "../elements.js";
import { describeNumbers } from "../figures.js";
import { command, server } from "../sharing.js";
import { n, t, texts } from "../texts.js";
import { describeTerms, makeTile } from "./home.js";
import { describeSnapshot, refreshSnapshot } from "./live.js";

/** @typedef {import("../visit.js").App} App */

const LISTS_AGE = 60_000; // milliseconds: a list costs the server as much as three moves
const MOST = 3; // matches, and players beside the visitor

/**
 * Load the ratings and the record. Returns the visitor's `rating`, the `lines` of tiles by their
 * pages, further `tiles`, `view`, `commands` for a terminal, `refresh`, which reads the lists of
 * matches again if they are old, and a snapshot of the first running one.
 * @param {App} app
 */
export async function openOverview(app) {
  const { session } = app;
  const [{ name: rules }] = Object.values(texts.presets);
  const [ranks, { total }] = await Promise.all([
    session.request("leaderboard", { rules }), session.request("statistics"),
  ]);
  const { record } = ranks.own ?? {};
  let running = /** @type {any[]} */ ([]);
  let readAt = -Infinity;
  const readLists = async () => {
    const kinds = ["running", "waiting"].map((what) => session.request("list", { what }));
    const [played, open] = await Promise.all(kinds);
    readAt = Date.now();
    running = played.matches;
    overview.lines = {
      watch: running.length > 0
        ? n("{number} match now.", "{number} matches now.", running.length) : "",
      anyone: open.matches.length > 0
        ? n("{number} player is waiting.", "{number} players are waiting.", open.matches.length)
        : "",
    };
    app.draw(); // a snapshot may be refused
  };
  const wheel = document.querySelector("meta[name=wheel]")?.getAttribute("content");
  const overview = {
    rating: record && writeRating(record.rating),
    lines: /** @type {{[page: string]: string}} */ ({}),
    async refresh() {
      if (Date.now() >= readAt + LISTS_AGE) await readLists();
      if (running.length > 0) await refreshSnapshot(app, running[0]);
    },
    tiles: [
      makeTile(
        "solve", t("Helper"), t("For a game elsewhere: type guesses and answers."), "green yellow",
      ),
      makeTile("puzzle", t("Puzzles"), t("Exactly one code fits all answers."), "blue orange red"),
    ],
    commands: [
      command(t("In a terminal:"), "mastermind play", server()),
      wheel && command(t("Install it by:"), "pipx install", String(new URL(wheel, location.href))),
    ],
    view: () => [
      session.terms?.host && note(t("Today's code"), ": ", t("needs a server")),
      running.length > 0 && describeLive(running.slice(0, MOST)),
      (ranks.total > 0 || record) && describeRanks(ranks, session.player?.id),
      total.matches > 0 && describeRecord(total),
    ],
  };
  return overview;
}

/**
 * Return the visitor's unfinished matches, in the order of the server: those that wait for the
 * visitor first.
 * @param {any[]} own
 */
export const describeOwn = (own) => section(t("Continue"), ...own.map(describeEntry));

/** @param {any} own one unfinished match */
function describeEntry(own) {
  const { match, opponent, phase, turn, until, left, round, rounds } = own;
  const standing = !opponent ? t("waiting for a player")
    : !turn ? t("their turn")
    : phase === "gathering" ? t("offers a rematch")
    : t("your turn");
  const time = left !== undefined ? writeTime(left, true)
    : until && writeTime(Math.max(0, until - Date.now()), false);
  const progress = opponent && rounds > 1 && phase !== "gathering"
    && t("round {round} of {rounds}", { round, rounds });
  return el(
    "a", { className: "entry", href: `/${match}` },
    el(
      "span", {}, el("b", {}, opponent ? nameOf(opponent) : t("Free seat")), " ",
      el("small", {}, join(" · ", describeTerms({ ...own, rounds: 1 }), progress)),
    ), " ",
    el(
      "span", {}, el("span", { className: turn ? "mark" : "dim" }, standing), " ",
      time && el("small", {}, t("{time} left", { time })),
    ),
  );
}

/** @param {string} title @param {import("../elements.js").Child[]} entries */
function section(title, ...entries) {
  const items = entries.map((entry) => entry && el("li", {}, entry));
  return el(
    "section", { className: "card part" },
    el("h2", {}, title), el("ul", { className: "list rows" }, ...items),
  );
}

/**
 * Return running matches, the first one with its guesses.
 * @param {any[]} running
 */
function describeLive([first, ...others]) {
  const small = el("div", {}, describeMatch(first), describeSnapshot(first));
  return section(t("Live"), small, ...others.map(describeMatch));
}

/** @param {any} listed a running match */
function describeMatch(listed) {
  const { match, maker, breaker } = listed;
  const players = t("{breaker} and {maker}", { breaker: nameOf(breaker), maker: nameOf(maker) });
  return el(
    "a", { className: "entry", href: `/${match}` },
    el("b", {}, players), " ", el("small", {}, describeTerms(listed)),
  );
}

/**
 * Return the best players, and the visitor's line.
 * @param {any} ranks the answer @param {string} [me]
 */
function describeRanks({ players, own }, me) {
  const best = players.slice(0, MOST);
  const isListed = best.some((/** @type {any} */ { player }) => player === me);
  const rows = own && !isListed ? [...best, own] : best;
  return section(t("Best players"), ...rows.map((/** @type {any} */ row) => rankEntry(row, me)));
}

/** @param {any} row @param {string} [me] */
function rankEntry({ player, name, place, record }, me) {
  return el(
    "span", { className: "entry" },
    el(
      "span", {}, place ?? "–", " ", link(`/#player/${player}`, nameOf(name)), " ",
      player === me && el("small", {}, t("(you)")),
    ),
    writeRating(record.rating),
  );
}

/** Return the figures of the visitor's matches. @param {any} total */
function describeRecord({ matches, wins = 0, streak = 0 }) {
  return el(
    "section", { className: "card part" },
    el("h2", {}, t("Your games")),
    describeNumbers([
      [matches, t("matches played")], [wins, t("matches won")], [streak, t("won in a row")],
    ]),
    link("/#statistics", t("Your statistics"), "entry"),
    link("/#people", t("People"), "entry"),
  );
}
