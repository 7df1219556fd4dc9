// The match page as a function of its state: header, players, board and palette. extras.js has the
// parts that no first guess needs.

import {
  TENTHS, button, el, join, keys, nameOf, writeRating, writeTime,
} from "../elements.js";
import {
  allowsAids, isBot, playersOf, pointsOf, roundNumber, toMove, wholeTime,
} from "../game/rules.js";
import { n, t, texts } from "../texts.js";
import { countFree, fillRow, moveCursor, putPeg } from "./entry.js";
import { describeFeedback, findName, nameRules, sizeOf, spell } from "./sentences.js";

/**
 * @import {Match, Player, Round, Turn} from "../types.js"
 * @import {Rules} from "../texts.js"
 * @import {Child} from "../elements.js"
 * @import {Entry} from "./entry.js"
 * @import {Moment} from "./sentences.js"
 *
 * @typedef {object} Shown What the page shows.
 * @property {Match} match
 * @property {import("../connection/followed.js").Followed} known
 * @property {string} code The match code.
 * @property {string} [me] The visitor's id.
 * @property {import("../types.js").Seat} [seat] The visitor's.
 * @property {Moment} [moment] The displayed one.
 * @property {boolean} isLast Whether it is the last one.
 * @property {number} moments Their number.
 * @property {"secret" | "guess" | undefined} move The visitor's due move.
 * @property {boolean} entering Whether the visitor may fill the row.
 * @property {boolean} over Whether the end of the match is displayed.
 * @property {boolean} paced Whether the playback shows a bot's guesses one by one.
 * @property {boolean} playing
 * @property {boolean} sending
 * @property {Entry} entry
 * @property {number} [ruledOut] The number of a guess whose answer rules the entered code out.
 * @property {number} [left] The milliseconds that are left to the player to move.
 *
 * @typedef {object} Actions What the visitor does in the row.
 * @property {(entry: Entry) => void} enter Change the entry.
 * @property {() => void} again Enter the last guess of the round.
 * @property {() => unknown} send
 */

const WHOLE_BOARD = 20; // a longer board grows with its guesses
const LEAST_ROWS = 6; // of a board that grows

/**
 * Return whether the match waits for the player, who may still read the end of the last round.
 * @param {Shown} shown
 */
export const isAwaited = ({ match, me, isLast, moment, seat }) => (
  seat !== undefined && toMove(match)?.id === me && (isLast || moment?.ended === true)
);

// ---- The header and the players

/**
 * Return the terms of the match, and where it is.
 * @param {Shown} shown
 */
export function describeHeader({ match, known, code, moment, seat }) {
  const { rounds, rated, clock } = match.opened;
  const number = (moment?.index ?? 0) + 1;
  const size = sizeOf(match.rules);
  const terms = join(
    " · ",
    !seat && !match.outcome && t("you are watching"),
    nameRules(match.rules) !== size && size,
    rated && (match.unrated ? t("not rated") : t("rated")),
    clock,
    rounds > 1 && t("round {number} of {rounds}", { number, rounds }),
  );
  const watching = known.spectators > 0
    && n("{number} watching", "{number} watching", known.spectators);
  return [el("span", {}, terms), " ", el("span", {}, join(" · ", code, watching))];
}

/** Return the players of the two plates, the visitor last. @param {Shown} shown */
function findPlates({ match, me }) {
  const players = playersOf(match).sort((one, other) => (
    other.id === me || (one.id !== me && one.id < other.id) ? -1 : 1
  ));
  return players.length === 1 && players[0].id === me ? [undefined, ...players] : players;
}

/** Return the children of the two plates. @param {Shown} shown */
export function describePlates(shown) {
  const [them, me] = findPlates(shown);
  return [describePlate(shown, them), describePlate(shown, me)];
}

/** @param {Shown} shown @param {Player} [player] @returns {Child[]} */
function describePlate(shown, player) {
  const { match, me } = shown;
  const isMine = player !== undefined && player.id === me;
  const moves = player !== undefined && toMove(match)?.id === player.id;
  const isCode = match.opened.contest !== undefined && player?.bot !== undefined;
  const name = isCode ? t("The code")
    : player ? nameOf(player.name) : match.outcome ? "" : t("Free seat");
  const standing = !isCode && describeStanding(shown, player);
  const { clock, isLow } = describeClock(shown, player);
  return [
    el(
      "div", { className: join(" ", "plate", isMine && "mine", moves && "turn") },
      el("span", {}, el("b", {}, name), " ", el("small", {}, standing)),
      el("span", { className: join(" ", "clock", isLow && "low") }, clock),
    ),
  ];
}

/** @param {Shown} shown @param {Player} [player] */
function describeStanding({ match, known, me, moment }, player) {
  if (!player) return "";
  const { id } = player;
  const played = moment ? match.played.slice(0, moment.index + (moment.ended ? 1 : 0)) : [];
  const points = pointsOf({ ...match, played }, id);
  const isAway = !isBot(player) && id !== me && !known.present.includes(id);
  const hides = id === (moment?.round.maker ?? match.maker?.id);
  const change = match.ratings?.find((each) => each.player === id);
  const rating = change?.after ?? match.before[id];
  return join(
    " · ",
    rating && writeRating(rating),
    id === me ? t("you") : isBot(player) && t("bot"),
    match.left.includes(id) ? t("has left")
      : isAway ? t("away")
      : hides ? t("hides it")
      : t("breaks it"),
    match.opened.rounds > 1 && n("{number} point", "{number} points", points),
  );
}

/**
 * Return the time of a player, and whether it is low.
 * @param {Shown} shown @param {Player} [player]
 */
function describeClock({ match, left }, player) {
  const { clock, phase, breaker, opened } = match;
  const none = { clock: "", isLow: false };
  if (!clock) return none;
  const { live } = clock;
  if (left !== undefined && player?.id === toMove(match)?.id) {
    const isLow = live && left <= wholeTime(clock, phase) / 10;
    return { clock: writeTime(left, live), isLow };
  }
  // The other player has the whole time ahead, if it still breaks a code.
  const waits = phase === "gathering"
    || (phase === "setting" && player?.id === breaker?.id)
    || (phase !== "finished" && roundNumber(match) < opened.rounds);
  return live && waits ? { ...none, clock: writeTime(wholeTime(clock, "breaking"), true) } : none;
}

/** Return the milliseconds until a clock changes, if one runs. @param {Shown} shown */
export function untilTick({ match, left }) {
  if (!match.clock || !left) return undefined;
  const unit = !match.clock.live ? 60_000 : left > TENTHS ? 1000 : 100;
  return (left % unit) + 1;
}

// ---- The board

/**
 * Return the index of the row that counts: 0 is the code, 1 the first guess.
 * @param {Shown} shown
 */
export function findCurrentRow(shown) {
  const { move, moment } = shown;
  const turns = moment?.turns ?? 0;
  if (move === "secret") return 0;
  // At the end the last guess, below the code, which stays visible.
  return moment?.ended ? turns : Math.min(turns + 1, countRows(shown));
}

/** Return the number of rows for guesses; at the end none is free. @param {Shown} shown */
function countRows({ match: { rules }, moment, over }) {
  if (over) return moment?.turns ?? 0;
  const limit = rules.guesses ?? texts.limits.unlimitedGuesses;
  const longest = Math.max(LEAST_ROWS, (moment?.turns ?? 0) + 2);
  return limit <= WHOLE_BOARD ? limit : Math.min(limit, longest);
}

/** @param {Shown} shown @param {Actions} actions */
export function describeBoard(shown, actions) {
  const { match, moment, move } = shown;
  const style = { "--pegs": match.rules.pegs };
  const numbers = Array.from({ length: countRows(shown) }, (_, index) => index);
  return el(
    "div",
    { id: "board", role: "grid", "aria-label": t("Board"), className: "board", tabIndex: 0, style },
    describeCodeRow(shown, actions),
    ...numbers.map((index) => describeGuessRow(shown, actions, index)),
  );
}

/** @param {Shown} shown @param {Actions} actions */
function describeCodeRow({ match, me, moment, move, entry }, actions) {
  const { secret, maker, drawn } = moment?.round ?? {};
  const hiding = move === "secret";
  const code = hiding ? entry.pegs : moment?.ended || maker === me ? secret : undefined;
  const owner = !maker ? ""
    : drawn ? t("The code")
    : maker === me ? t("Your code")
    : t("The code of {name}", { name: findName(match, maker) });
  const state = hiding ? "now" : code ? "" : "sealed";
  const { rules } = match;
  return describeRow({ rules, state, code, entry, actions, kind: "code" }, owner);
}

/** @param {Shown} shown @param {Actions} actions @param {number} index */
function describeGuessRow(shown, actions, index) {
  const { match: { rules }, moment, move, entering, entry, ruledOut } = shown;
  const turns = moment?.turns ?? 0;
  const turn = index < turns ? moment?.round.turns[index] : undefined;
  const isEntry = move !== "secret" && entering && index === turns;
  const missing = isEntry ? countFree(entry) : 0;
  const hint = missing > 0 ? n("{number} more peg", "{number} more pegs", missing)
    : isEntry && ruledOut && `✗ ${t("Guess {number} rules this out.", { number: ruledOut })}`;
  const answer = turn
    ? [keys(turn.black, turn.white, rules.pegs), el("span", {}, describeFeedback(turn, rules))]
    : [hint && el("span", { className: "dim" }, hint)];
  const isAdvised = turn && moment?.round.advised.includes(index + 1);
  return describeRow(
    {
      rules, actions, state: isEntry ? "now" : "", entry,
      code: turn?.code ?? (isEntry ? entry.pegs : undefined),
      number: `${index + 1}${isAdvised ? "*" : ""}`, title: isAdvised ? t("with advice") : "",
    },
    ...answer,
  );
}

/**
 * Return a row of the board. The pegs of the row "now" move the cursor.
 * @param {{rules: Rules, state: string, code?: (number | undefined)[], entry: Entry,
 *     actions: Pick<Actions, "enter">, kind?: string, number?: string, title?: string}} row
 * @param {Child[]} answer
 */
export function describeRow(row, ...answer) {
  const { rules, state, code, entry, actions, kind, number = "", title = "" } = row;
  const isNow = state === "now";
  const { letters, label } = spell(rules);
  const cells = Array.from({ length: rules.pegs }, (_, peg) => {
    const colour = code?.[peg];
    const [name, letter, words] = colour !== undefined
      ? [rules.palette[colour], letters[colour], label(colour)]
      : state === "sealed" ? ["sealed", "?", t("hidden")] : ["empty", "", t("empty")];
    return el("span", {
      role: "gridcell",
      className: join(" ", "peg", name, isNow && peg === entry.cursor && "current"),
      "aria-label": words, style: { "--i": peg },
      onclick: isNow && (() => actions.enter(moveCursor(entry, peg))),
    }, letter);
  });
  return el(
    "div", { role: "row", className: join(" ", "row", kind, isNow && "now"), tabIndex: -1 },
    el("span", { className: "number", role: number ? "rowheader" : undefined, title }, number),
    el("span", { className: "pegs" }, ...cells),
    el("span", { role: "gridcell", className: "answer" }, ...answer),
  );
}

// ---- The palette and the buttons

/** Return the palette with the buttons of the row. @param {Shown} shown @param {Actions} actions */
export function describePalette(shown, actions) {
  const { match, moment, move, entering, entry, seat, sending } = shown;
  const marks = move === "guess" && allowsAids(match) && moment !== undefined;
  const isReady = move !== undefined && countFree(entry) === 0 && !sending;
  const hides = match.phase === "setting" && seat === "maker";
  return el("div", { hidden: !entering }, ...describeKeys(
    match.rules, entry, actions, hides ? t("Hide it") : t("Send"), isReady,
    move === "guess" && moment?.turns, (colour) => marks && isAbsent(moment, colour),
  ));
}

/**
 * Return the colours, and the buttons of the row. The last one, `answer`, sends it.
 * @param {Rules} rules @param {Entry} entry @param {Actions} actions @param {string} answer
 * @param {boolean} isReady Whether the row can be sent.
 * @param {number | false} [last] The number of the last guess, which a button copies.
 * @param {(colour: number) => boolean} [isOut] Whether the code does not have a colour.
 */
export function describeKeys(rules, entry, { enter, again, send }, answer, isReady, last, isOut) {
  const { palette, pegs, unique } = rules;
  const { letters, label } = spell(rules);
  const tiles = palette.map((name, colour) => {
    const absent = isOut?.(colour);
    const words = absent ? t("{colour}, not in the code", { colour: label(colour) }) : label(colour);
    const className = join(" ", "peg", name, absent && "absent");
    const isUsed = unique && entry.pegs.includes(colour);
    const properties = { "aria-label": words, "data-colour": colour, "aria-disabled": isUsed };
    const put = () => enter(putPeg(entry, colour));
    return button(letters[colour], put, className, properties);
  });
  const columns = tiles.length > 7 ? Math.ceil(tiles.length / 2) : tiles.length;
  const style = { "--columns": columns };
  /** @type {[sign: string, label: string, act: () => unknown, isOff: boolean][]} */
  const tools = [
    ["↶", t("Undo"), () => enter(entry.before ?? entry), !entry.before],
    ["=", t("Copy the last guess"), again, !last],
    [
      "⇥", t("Fill the row"), () => enter(fillRow(entry)),
      unique || [0, pegs].includes(countFree(entry)),
    ],
  ];
  return [
    el("div", { className: "palette", role: "group", "aria-label": t("Colours"), style }, ...tiles),
    el(
      "div", { className: "go" },
      ...tools.map(([sign, name, act, isOff]) => (
        button(sign, act, "btn tool", {
          "aria-label": name, title: name, "aria-disabled": isOff,
        })
      )),
      button(answer, send, "btn main", { "aria-disabled": !isReady }),
    ),
  ];
}

/**
 * Return whether an answer rules a colour out: nothing of the guess is right, or all of it.
 * @param {Moment} moment @param {number} colour
 */
function isAbsent({ round, turns }, colour) {
  return round.turns.slice(0, turns).some(({ code, black, white }) => (
    code.includes(colour) ? black + white === 0 : black + white === code.length
  ));
}
