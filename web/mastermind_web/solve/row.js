// The turns of a game that is played elsewhere, and the row that the visitor fills. Pure functions;
// each returns another state.

import { countFree, emptyEntry, enterCode, moveCursor } from "../match/entry.js";
import { completeAnswer } from "./answer.js";

/**
 * @import {Entry} from "../match/entry.js"
 * @import {Code, Feedback, Turn} from "../types.js"
 * @import {Answer} from "./answer.js"
 *
 * @typedef {object} Row
 * @property {number} pegs The length of a row.
 * @property {Turn[]} turns
 * @property {number} at The index at which the row stands among the turns.
 * @property {boolean} replaces Whether it replaces the turn there.
 * @property {Entry} entry The guess. The first entry of a row follows the last one of the row
 *     before, so that undoing leads back.
 * @property {Answer} answer
 * @property {Row} [before] The row before the last change of turns.
 */

/**
 * Return the state with other turns and a new row.
 * @param {Row | undefined} before @param {number} pegs @param {Turn[]} turns
 * @param {Partial<Row>} [others]
 * @returns {Row}
 */
function open(before, pegs, turns, others) {
  const row = {
    pegs, turns, at: turns.length, replaces: false, entry: emptyEntry(pegs), answer: {}, before,
    ...others,
  };
  return { ...row, entry: { ...row.entry, before: before?.entry } };
}

/**
 * Return turns with `removed` ones at an index replaced by others.
 * @param {Turn[]} turns @param {number} at @param {number} removed @param {Turn[]} added
 */
const splice = (turns, at, removed, ...added) => (
  [...turns.slice(0, at), ...added, ...turns.slice(at + removed)]
);

/** Return the first state. @param {number} pegs @param {Turn[]} [turns] */
export const start = (pegs, turns = []) => open(undefined, pegs, turns);

/** Return the state with other turns. @param {Row} row @param {Turn[]} turns */
export const replace = (row, turns) => open(row, row.pegs, turns);

/** Return whether the guess is complete, so that its answer is due. @param {Row} row */
export const isAnswering = ({ pegs, entry }) => countFree(entry) === 0 && entry.cursor === pegs;

/** Return whether the last guess has found the code. @param {Row} row */
export const isFound = ({ pegs, turns }) => turns.some(({ black }) => black === pegs);

/**
 * Return the state after a change of the entry, which may be the one before the last change.
 * @param {Row} row @param {Entry} entry
 */
export function enter(row, entry) {
  if (row.before && entry === row.before.entry) return row.before;
  return { ...row, entry };
}

/** Enter a whole guess, so that its answer is due. @param {Row} row @param {Code} code */
export const take = (row, code) => ({
  ...row, entry: moveCursor(enterCode(row.entry, code), row.pegs), answer: {},
});

/** Add the row, or replace its turn, if the row and its answer are complete. @param {Row} row */
export function add(row) {
  const { entry, turns, at, replaces } = row;
  const answer = completeAnswer(row.answer);
  if (!answer || countFree(entry) > 0) return row;
  const turn = { code: /** @type {Code} */ (entry.pegs), ...answer };
  return replace(row, splice(turns, at, replaces ? 1 : 0, turn));
}

/** Change a turn. @param {Row} row @param {number} at its index */
export function edit(row, at) {
  const { pegs, turns } = row;
  const { code, ...answer } = turns[at];
  const entry = moveCursor(enterCode(emptyEntry(pegs), code), pegs);
  return open(row, pegs, turns, { at, replaces: true, entry, answer });
}

/** Insert a guess before the row. @param {Row} row */
export const insert = (row) => open(row, row.pegs, row.turns, { at: row.at });

/** Delete the turn that the row replaces. @param {Row} row */
export const remove = (row) => replace(row, splice(row.turns, row.at, 1));

/** Return to the row after the last turn. @param {Row} row */
export const leave = (row) => replace(row, row.turns);

/**
 * Change the answer to a guess.
 * @param {Row} row @param {{turn: number} & Feedback} correction with the number of the guess
 */
export function correct(row, { turn: number, black, white }) {
  const turns = row.turns.map((turn, index) => (
    index === number - 1 ? { ...turn, black, white } : turn
  ));
  return replace(row, turns);
}
