// The board of a game that is played elsewhere, and of a puzzle: its rows, and the keys.

import { button, el, find, keys } from "../elements.js";
import { countFree, findColour, press } from "../match/entry.js";
import { describeFeedback } from "../match/sentences.js";
import { describeRow } from "../match/view.js";
import { n, t } from "../texts.js";

/**
 * @import {Child} from "../elements.js"
 * @import {Entry} from "../match/entry.js"
 * @import {Actions} from "../match/view.js"
 * @import {Turn} from "../types.js"
 * @import {Rules} from "../texts.js"
 * @import {Row} from "./row.js"
 */

/**
 * Return the board: the turns, and the row among them.
 * @param {Rules} rules @param {Row} row
 * @param {object} options
 * @param {boolean} options.isOpen whether there is a row to fill
 * @param {(entry: Entry) => void} options.enter
 * @param {((index: number) => void)} [options.edit] changes a turn
 * @param {number} [options.wrong] the number of the guess whose answer may be wrong
 * @param {string} [options.label] of the row in place of its number
 */
export function describeBoard(rules, row, options) {
  const { turns, at, replaces } = row;
  const { isOpen } = options;
  const rows = turns.map((turn, index) => (
    describeTurn(rules, row, turn, index + (isOpen && !replaces && index >= at ? 1 : 0), options)
  ));
  if (isOpen) rows.splice(at, replaces ? 1 : 0, describeNow(rules, row, options));
  return el(
    "div", {
      id: "board", role: "grid", "aria-label": t("Board"), className: "board", tabIndex: 0,
      style: { "--pegs": rules.pegs },
    },
    ...rows,
  );
}

/**
 * @param {Rules} rules @param {Row} row @param {Turn} turn @param {number} index on the board
 * @param {Parameters<typeof describeBoard>[2]} options
 */
function describeTurn(rules, { turns, entry }, turn, index, { enter, edit, wrong }) {
  const answer = describeFeedback(turn, rules);
  const words = [keys(turn.black, turn.white, rules.pegs), el("span", {}, answer)];
  const number = turns.indexOf(turn);
  const kind = wrong === number + 1 ? "suspect" : "";
  return describeRow(
    { rules, state: "", code: turn.code, entry, actions: { enter }, kind, number: `${index + 1}` },
    ...edit ? [el(
      "button", {
        type: "button", className: "btn change", onclick: () => edit(number),
        "aria-label": t("Change guess {number}: {answer}", { number: number + 1, answer }),
      },
      ...words,
    )] : words,
  );
}

/** @param {Rules} rules @param {Row} row @param {Parameters<typeof describeBoard>[2]} options */
function describeNow(rules, row, { enter, label }) {
  const { at, entry, answer } = row;
  const missing = countFree(entry);
  const { black = 0, white = 0 } = answer;
  const isGiven = answer.black !== undefined || answer.white !== undefined;
  /** @type {Child[]} */
  const state = missing > 0
    ? [el("span", { className: "dim" }, n("{number} more peg", "{number} more pegs", missing))]
    : !isGiven || label ? []
    : [keys(black, white, rules.pegs), el("span", {}, describeFeedback({ black, white }, rules))];
  return describeRow({
    rules, state: "now", code: entry.pegs, entry, actions: { enter }, number: label ?? `${at + 1}`,
  }, ...state);
}

/**
 * Handle the keys of the board while the page is open.
 * @param {AbortSignal} signal
 * @param {() => {rules: Rules, row: Row, isOpen: boolean, asksAnswer: boolean}} look
 * @param {Actions & {undo: () => void, answer?: (number?: number) => void}} actions `answer` gets a
 *     digit, or undefined to take the last one back.
 */
export function listenToKeys(signal, look, actions) {
  const dialog = /** @type {HTMLDialogElement} */ (find("dialog"));
  const listener = (/** @type {KeyboardEvent} */ event) => {
    const { ctrlKey, metaKey, altKey, key } = event;
    const target = /** @type {Element} */ (event.target);
    const types = target.matches("input, select, textarea, summary");
    if (ctrlKey || metaKey || altKey || dialog.open || types) return;
    const { rules, row, isOpen, asksAnswer } = look();
    if (asksAnswer && answers(event, actions.answer)) {
      if (target.closest("button")) find("board").focus({ preventScroll: true }); // Enter sends
      event.preventDefault();
      return;
    }
    if ([".", ",", "/"].includes(key)) return; // keys of a match
    const shown = {
      match: { rules }, moment: { turns: row.turns.length }, entry: row.entry, entering: isOpen,
    };
    const ignore = () => {};
    const isUndo = key === "u" && findColour(event, rules) === undefined;
    if (isUndo) actions.undo();
    else if (!press(event, target, shown, { ...actions, repeat: ignore, sayTime: ignore })) return;
    event.preventDefault();
  };
  document.addEventListener("keydown", listener, { signal });
}

/**
 * Handle a key of an answer, and return whether it is one. A digit of another script counts as its
 * key.
 * @param {KeyboardEvent} pressed @param {(number?: number) => void} [answer]
 */
function answers({ key, code }, answer) {
  const typed = key > "~" ? code.replace("Digit", "") : key;
  const isDigit = /^\d$/.test(typed);
  if (!isDigit && key !== "Backspace") return false;
  answer?.(isDigit ? Number(typed) : undefined);
  return true;
}

/**
 * Return buttons about the row.
 * @param {[label: string, act: () => unknown][]} actions
 */
export const describeActions = (actions) => actions.length > 0 && el(
  "div", { className: "buttons actions" }, ...actions.map(([label, act]) => button(label, act)),
);
