// The row that a player fills, and the keys of a match.

import { find } from "../elements.js";
import { parseSymbol } from "../game/rules.js";

/**
 * @import {Rules} from "../texts.js"
 * @typedef {object} Entry
 * @property {(number | undefined)[]} pegs The colour of each peg; undefined is a free place.
 * @property {number} cursor The place of the next peg; the length of the row is behind the last.
 * @property {Entry} [before] The entry before the last change.
 */

// The row: pure functions; each returns another entry.

/**
 * Return pegs with one changed.
 * @param {Entry["pegs"]} pegs @param {number} place @param {number} [colour]
 */
const change = (pegs, place, colour) => (
  pegs.map((before, index) => (index === place ? colour : before))
);

/** Return an empty row. @param {number} length @returns {Entry} */
export const emptyEntry = (length) => ({ pegs: Array(length).fill(undefined), cursor: 0 });

/** @param {Entry} entry */
export const countFree = ({ pegs }) => pegs.filter((colour) => colour === undefined).length;

/** @param {Entry} entry @param {number} cursor @returns {Entry} */
export const moveCursor = (entry, cursor) => (
  { ...entry, cursor: Math.max(0, Math.min(cursor, entry.pegs.length)) }
);

/**
 * Put a peg at a place, by default the cursor's. The cursor moves to the next free place.
 * @param {Entry} entry @param {number} colour @param {number} [place]
 */
export function putPeg(entry, colour, place = entry.cursor) {
  if (place >= entry.pegs.length) return entry;
  const pegs = change(entry.pegs, place, colour);
  const next = [pegs.indexOf(undefined, place), pegs.indexOf(undefined)].find((peg) => peg >= 0);
  return { pegs, cursor: next ?? place + 1, before: entry };
}

/** Take the peg at the cursor back, or the one before it. @param {Entry} entry @returns {Entry} */
export function takePeg(entry) {
  const place = entry.pegs[entry.cursor] === undefined ? entry.cursor - 1 : entry.cursor;
  if (place < 0) return entry;
  return { pegs: change(entry.pegs, place), cursor: place, before: entry };
}

/**
 * Exchange the pegs of two places.
 * @param {Entry} entry @param {number} one @param {number} other
 */
export function swapPegs(entry, one, other) {
  const { pegs, cursor } = entry;
  const swapped = change(change(pegs, one, pegs[other]), other, pegs[one]);
  return { pegs: swapped, cursor, before: entry };
}

/** Fill the free places with the colour before the first of them. @param {Entry} entry */
export function fillRow(entry) {
  const { pegs } = entry;
  const colour = pegs[pegs.indexOf(undefined) - 1] ?? pegs.find((peg) => peg !== undefined);
  const filled = pegs.map((peg) => peg ?? colour);
  return colour === undefined ? entry : { pegs: filled, cursor: pegs.length, before: entry };
}

/**
 * Return whether the entry needs no more: its code has been sent, or the round has ended.
 * @param {Entry} entry @param {import("../types.js").Event[]} events the new ones
 */
export const isDone = ({ pegs }, events) => events.some((event) => (
  event.event === "round_ended"
  || ((event.event === "guessed" || event.event === "secret")
    && String(event.code) === String(pegs))
));

/** Enter a whole code. @param {Entry} entry @param {number[]} code @returns {Entry} */
export const enterCode = (entry, code) => ({ pegs: [...code], cursor: 0, before: entry });

// Keys

/**
 * Return the colour that a key types. A letter or digit of another layout counts as its key.
 * @param {Pick<KeyboardEvent, "key" | "code">} pressed @param {Rules} rules
 */
export const findColour = ({ key, code }, rules) => (
  parseSymbol(key > "~" ? code.replace(/^(Key|Digit)/, "") : key, rules)
);

/**
 * Focus the row above or below; `last` is the index of the last guess.
 * @param {number} by @param {number} last
 */
function focusRow(by, last) {
  const rows = /** @type {HTMLElement[]} */ ([...find("board").children]);
  const focused = rows.findIndex((row) => row === document.activeElement);
  const start = focused >= 0 ? focused : last + (by < 0 ? 1 : 0); // up: the last guess
  rows[Math.max(0, Math.min(start + by, rows.length - 1))].focus();
}

/**
 * Handle a key, and return whether it means something here.
 * @param {Pick<KeyboardEvent, "key" | "code">} pressed @param {Element} target
 * @param {{match: {rules: Rules}, moment?: {turns: number}, entry: Entry, entering: boolean}} shown
 * @param {import("./view.js").Actions & {repeat: () => void, sayTime: () => void}} actions
 */
export function press(pressed, target, { match, moment, entry, entering }, actions) {
  const { key } = pressed;
  const { enter, again, send, repeat, sayTime } = actions;
  const colour = findColour(pressed, match.rules);
  const isOnControl = target.closest("button, a, summary") !== null;
  const isOnPalette = target.closest(".palette") !== null;
  const last = moment?.turns ?? 0;
  /** @type {{[key: string]: () => void}} */
  const anytime = {
    ".": repeat,
    ",": sayTime,
    "/": () => find("line")?.focus(),
    ArrowUp: () => focusRow(-1, last),
    ArrowDown: () => focusRow(1, last),
  };
  const take = () => enter(takePeg(entry));
  /** @type {{[key: string]: () => void}} */
  const inRow = {
    Backspace: take,
    Delete: take,
    "=": again,
    "*": () => enter(fillRow(entry)),
    ArrowLeft: () => enter(moveCursor(entry, entry.cursor - 1)),
    ArrowRight: () => enter(moveCursor(entry, entry.cursor + 1)),
  };
  if (colour !== undefined) inRow[key] = () => enter(putPeg(entry, colour));
  if (!isOnControl || (countFree(entry) === 0 && isOnPalette)) inRow.Enter = send;
  const keys = entering ? { ...inRow, ...anytime } : anytime;
  if (!Object.hasOwn(keys, key)) return false;
  keys[key]();
  const changes = colour !== undefined || key === "Backspace" || key === "Delete";
  if (changes && isOnControl && !isOnPalette && entering) find("board").focus(); // Enter sends
  return true;
}
