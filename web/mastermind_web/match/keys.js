// The keys of a match.

import { find } from "../elements.js";
import { parseSymbol } from "../game/rules.js";
import { countFree, moveCursor, putPeg, takePeg } from "./entry.js";

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
 * @param {string} key @param {Element} target
 * @param {import("./view.js").Shown} shown
 * @param {import("./view.js").Actions & {repeat: () => void, sayTime: () => void}} actions
 */
export function press(key, target, { match, moment, entry, entering }, actions) {
  const { enter, again, send, repeat, sayTime } = actions;
  const colour = parseSymbol(key, match.rules);
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
