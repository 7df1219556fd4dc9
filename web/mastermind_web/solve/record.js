// The record of the puzzles of this device, as a terminal keeps it too.

import { findStorage, useStorage } from "../connection/session.js";
import { el } from "../elements.js";
import { describeNumbers } from "../figures.js";
import { t } from "../texts.js";

const KEY = "mastermind.puzzles";
const MOST_NAMES = 1000; // puzzles, the latest: each counts once; in 30 KB
const EMPTY = {
  solved: 0,
  streak: 0,
  best: 0,
  /** The puzzles that are solved or given up. @type {string[]} */
  finished: [],
  /** The puzzles with a wrong answer. @type {string[]} */
  missed: [],
};
const storage = findStorage("localStorage");
/** The record that the browser does not keep. */
let unkept = EMPTY;

/**
 * Return the record: `solved` puzzles, the `streak` of the latest ones in a row that were solved
 * with the first answer, and the `best` such streak.
 */
export function readRecord() {
  const kept = useStorage(storage, (it) => JSON.parse(it.getItem(KEY) ?? "{}"));
  return { ...unkept, ...kept };
}

/**
 * Count what the visitor did with a puzzle, and return the record.
 * @param {string} name @param {"right" | "wrong" | "given up"} what
 */
export function count(name, what) {
  const before = readRecord();
  if (before.finished.includes(name)) return before;
  const isFirst = !before.missed.includes(name);
  const streak = what === "right" && isFirst ? before.streak + 1 : 0;
  const list = what === "wrong" ? "missed" : "finished";
  const after = {
    ...before,
    solved: before.solved + (what === "right" ? 1 : 0),
    streak,
    best: Math.max(before.best, streak),
    [list]: [...before[list].filter((/** @type {string} */ each) => each !== name), name]
      .slice(-MOST_NAMES),
  };
  unkept = after;
  useStorage(storage, (it) => {
    it.setItem(KEY, JSON.stringify(after));
    unkept = EMPTY;
  });
  return after;
}

/**
 * Return the record, once there is one.
 * @param {import("../elements.js").Child[]} others what follows it
 */
export function describeRecord(...others) {
  const { solved, streak, best, finished, missed } = readRecord();
  return finished.length + missed.length > 0 && el(
    "section", { className: "card part" },
    el("h2", {}, t("Your puzzles")),
    describeNumbers([[solved, t("solved")], [streak, t("in a row")], [best, t("longest")]]),
    ...others,
  );
}
