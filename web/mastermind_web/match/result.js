// The end of a match: who has won, the last code, its seal, and the ways to go on.

import { matchesOf } from "../connection/followed.js";
import { findContestDay } from "../day/times.js";
import { offerNotices } from "../device/attention.js";
import { button, el, join, link, nameOf, tile } from "../elements.js";
import { areRatingsRight } from "../game/checks.js";
import { playersOf, pointsOf } from "../game/rules.js";
import { linkOf, share } from "../sharing.js";
import { t } from "../texts.js";
import {
  describeEnd, describeProof, describeRating, describeVerdict, distrust, writeResult, writeScore,
} from "./ends.js";
import { sharePicture } from "./picture.js";
import { spell } from "./sentences.js";

export { openReview } from "./review.js";

/**
 * @import {Match} from "../types.js"
 * @import {Child} from "../elements.js"
 * @import {Shown} from "./view.js"
 * @typedef {import("../visit.js").App} App
 */

/**
 * Request the code of a try that has ended: the session adds it to the match if it is revealed.
 * @param {App} app @param {Match} match
 */
export async function askForCode({ session }, match) {
  const day = findContestDay(match);
  if (day !== undefined) await session.request("day", { rules: match.rules.name, day });
}

/** Return the parts above the board of a finished match. @param {App} app @param {Shown} shown */
export function describeHero(app, shown) {
  const { match, me, moment } = shown;
  const { played } = match;
  if (match.opened.contest) return describeEntry(shown);
  const last = moment?.round;
  return el(
    "section", { className: "hero", "aria-label": t("Result") },
    el("h2", {}, describeVerdict(match, me)),
    played.length > 0 && describeScore(shown),
    el("p", { className: "dim" }, join(" ", ...played.map((round) => (
      describeEnd(match, { round, index: 0, turns: round.turns.length, ended: true }, me)
    )))),
    ...describeRatings(shown),
    last?.secret && describeCode(match.rules, last.secret),
    last?.how && describeProof(match, last),
    !areRatingsRight(match) && distrust(),
    describeWays(app, shown),
    shown.seat && offerNotices(app),
  );
}

/**
 * Return the points of both players, the visitor's first. One round has the number of its guesses
 * instead: its points are the codemaker's, who may have lost.
 * @param {Shown} shown
 */
function describeScore({ match, me }) {
  if (match.opened.rounds === 1) {
    return el("p", { className: "score", "aria-hidden": "true" }, writeScore(match, match.played[0]));
  }
  const players = playersOf(match).sort((one, other) => (
    one.id === me || (other.id !== me && one.id < other.id) ? -1 : 1
  ));
  const parts = players.map(({ id, name }) => el(
    "span", { key: id }, el("b", {}, String(pointsOf(match, id))),
    el("small", {}, id === me ? t("You") : nameOf(name)),
  ));
  const colon = el("span", { "aria-hidden": "true" }, ":");
  return el("p", { className: "score" }, parts[0], colon, parts[1]);
}

/** Return the changes of ratings, the visitor's first. @param {Shown} shown @returns {Child[]} */
function describeRatings({ match, me }) {
  const changes = [...match.ratings ?? []].sort((one, other) => (
    Number(other.player === me) - Number(one.player === me)
  ));
  return changes.map((change) => {
    const { player, before, after } = change;
    const gain = Math.round(after.rating) - Math.round(before.rating);
    const mine = gain > 0 ? "rise" : gain < 0 ? "fall" : "";
    const className = player === me ? mine : "dim";
    return el("p", { className }, describeRating(match, change, me));
  });
}

/**
 * Return the end of a try at the code of a day, with the way to the results of the day.
 * @param {Shown} shown
 */
function describeEntry(shown) {
  const { match, me } = shown;
  const [round] = match.played;
  const end = { round, index: 0, turns: round.turns.length, ended: true };
  const code = round.secret ?? (round.how === "broken" ? round.turns.at(-1)?.code : undefined);
  const path = `/#day/${match.rules.name}/${findContestDay(match)}`;
  return el(
    "section", { className: "hero", "aria-label": t("Result") },
    el("h2", {}, describeEnd(match, end, me)),
    describeScore(shown),
    describeCode(match.rules, code),
    (round.secret || !code) && describeProof(match, round),
    el(
      "div", { className: "buttons center" },
      link(path, t("The results of the day"), "btn main big"),
      link("/", t("To the start page"), "btn big"),
    ),
  );
}

/**
 * Return the pegs of a code, or sealed ones without it.
 * @param {import("../texts.js").Rules} rules @param {number[]} [code]
 */
export function describeCode(rules, code) {
  const { letters, label } = spell(rules);
  const pegs = Array.from({ length: rules.pegs }, (_, peg) => {
    const colour = code?.[peg];
    const described = colour === undefined
      ? tile("sealed", "?") : tile(rules.palette[colour], letters[colour]);
    Object.assign(described.properties, { style: { "--i": peg }, "aria-hidden": "true" });
    return described;
  });
  const words = code ? code.map(label).join(", ") : t("hidden");
  const style = { "--pegs": rules.pegs };
  return el("div", { className: "pegs reveal", role: "img", "aria-label": words, style }, ...pegs);
}

/** Return the ways to go on after a match. @param {App} app @param {Shown} shown */
function describeWays(app, { match, code, seat }) {
  const rematch = () => app.attempt("rematch", async () => {
    app.go(`/${(await matchesOf(app.session).perform(code, "rematch")).match}`);
  });
  const picture = () => app.attempt("picture", () => sharePicture(match));
  const url = linkOf(app, code);
  const canPlay = seat && match.left.length === 0;
  const again = match.rematch ? t("Accept the rematch") : t("Play again");
  const hasResult = match.played.some(({ turns }) => turns.length > 0);
  const text = `${writeResult(match)}\n${url}`;
  return el(
    "div", { className: "buttons center" },
    canPlay ? button(again, rematch, "btn main big")
      : match.rematch && link(`/${match.rematch}`, t("watch the rematch"), "btn main big"),
    match.played.length > 0
      && button(t("Share the result"), () => share(app, { text }), "btn big"),
    hasResult && button(t("As a picture"), picture, "btn big"),
    link("/", t("To the start page"), "btn big"),
  );
}
