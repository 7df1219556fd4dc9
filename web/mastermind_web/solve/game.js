// A game that is played elsewhere: its state, what the visitor does, and the server's analysis.

import { findStorage, useStorage } from "../connection/session.js";
import { find, join } from "../elements.js";
import { findRules, hasRepeat } from "../game/rules.js";
import { countFree, enterCode, moveCursor } from "../match/entry.js";
import { spell } from "../match/sentences.js";
import { n, t } from "../texts.js";
import { completeAnswer, fillAnswer, findRefusal, writeSentence } from "./answer.js";
import { MOST_TURNS, readPosition, writePosition } from "./notation.js";
import { describeLeft, isMeasure } from "./results.js";
import { add, enter, isAnswering, isFound, replace, start, take } from "./row.js";

/**
 * @import {App} from "../visit.js"
 * @import {Entry} from "../match/entry.js"
 * @import {Code, Feedback, Turn} from "../types.js"
 * @import {Answer} from "./answer.js"
 * @import {Rules} from "../texts.js"
 * @import {Analysis} from "./results.js"
 * @import {Row} from "./row.js"
 *
 * @typedef {object} Kept What the browser keeps of a game.
 * @property {Rules} rules
 * @property {Turn[]} turns
 * @property {string} bot that breaks a code in the visitor's head, or "" if the visitor breaks one
 * @property {string} by the measure of the best next guesses
 */

const KEY = "mastermind.solve";
const USUAL_RULES = "classic";
const MOST_GUESSES = 5; // that are shown: more than a visitor compares
const storage = findStorage("localStorage");

/** Return the last game, or an empty one if the browser keeps none. @returns {Kept} */
export function readGame() {
  const usual = findRules(USUAL_RULES);
  try {
    const kept = useStorage(storage, (it) => JSON.parse(it.getItem(KEY) ?? "{}")) ?? {};
    const { text = "", bot = "", by } = kept;
    return { ...readPosition(String(text), usual), bot, by: isMeasure(by) ? by : "bits" };
  } catch { // another version wrote it
    return { rules: usual, turns: [], bot: "", by: "bits" };
  }
}

/** Scroll to the row, and to what fills it, if they are outside the window. */
function reveal() {
  for (const part of ["#controls .panel", "#board .now"]) {
    document.querySelector(part)?.scrollIntoView({ block: "nearest" });
  }
}

/**
 * Return a game, whose turns the server analyses after each change.
 * @param {App} app @param {Kept} kept
 */
export function openGame(app, kept) {
  const { session, signal } = app;
  let { rules, bot, by } = kept;
  let row = start(rules.pegs, kept.turns);
  let after = 0; // codes before the listed ones
  /** The last analysis, with its position and its request. */
  let found = {
    position: "", request: "", analysis: /** @type {Analysis | undefined} */ (undefined),
  };
  let problem = "";
  let isAsking = false;

  // ---- The server

  const makePosition = () => ({
    rules: rules.name,
    turns: row.turns.map(({ code, black, white }) => [code, black, white]),
    ...(bot && { bot }),
  });
  const makeRequest = () => (
    { ...makePosition(), ...(bot ? { most: 1 } : { by, most: MOST_GUESSES, after }) }
  );
  const isCurrent = () => found.request === JSON.stringify(makeRequest());
  const analysis = () => (
    found.position === JSON.stringify(makePosition()) ? found.analysis : undefined
  );

  /**
   * Request the analysis. If the turns change meanwhile, its answer is dropped, and another request
   * follows: there is one at a time.
   */
  async function analyse() {
    problem = "";
    if (isAsking) return;
    isAsking = true;
    await app.attempt({}, async () => { // none waits for the sentence of the one before
      try {
        while (!isCurrent() && !signal.aborted) {
          const [position, request] = [makePosition(), makeRequest()];
          const isKnown = analysis() !== undefined; // with another measure or page
          const answer = await session.request("analyse", request);
          found = {
            position: JSON.stringify(position), request: JSON.stringify(request),
            analysis: answer.analysis,
          };
          if (!isKnown) announce();
          app.draw();
        }
      } finally {
        isAsking = false;
      }
    }, (sentence) => (problem = sentence));
  }

  /** Announce the analysis of the turns, once it is there, and enter the bot's guess. */
  function announce() {
    const known = analysis();
    if (!known) return;
    const { left, choice } = known;
    if (left === 0) app.say(""); // an alert says it
    else if (isFound(row)) {
      const number = row.turns.findIndex(({ black }) => black === rules.pegs) + 1;
      app.say(n(
        "The code is found, in {number} guess.", "The code is found, in {number} guesses.", number,
      ));
    } else if (bot && choice && !row.replaces) {
      row = take(row, choice);
      const code = spell(rules).write(choice);
      app.say(t("{bot} guesses {code}. What is your answer?", { bot, code }));
    } else app.say(join(" ", writeSentence(describeLeft(known)), describeDue()));
  }

  function describeDue() {
    if (asksAnswer()) return t("And its answer?");
    if (row.turns.length === MOST_TURNS) {
      return writeSentence(t("at most {most} guesses", { most: MOST_TURNS }));
    }
    if (bot || !isOpen()) return "";
    return row.turns.length > 0 ? t("Enter the next guess.") : t("Enter a guess of your game.");
  }

  // ---- What the visitor does

  const isOpen = () => row.replaces || (
    !isFound(row) && row.turns.length < MOST_TURNS && !(bot && analysis()?.left === 0)
  );
  const asksAnswer = () => isOpen() && (bot ? countFree(row.entry) === 0 : isAnswering(row));

  /** Show another state, and request its analysis if its turns are others. @param {Row} changed */
  function change(changed) {
    const isOther = changed.turns !== row.turns;
    const isElsewhere = isOther || changed.at !== row.at;
    const wasAsked = asksAnswer();
    row = changed;
    if (isOther) {
      after = 0;
      keep();
    }
    const isDue = isOther || (asksAnswer() && !wasAsked);
    if (!isCurrent()) analyse();
    if (analysis() && (isOther || (bot && !asksAnswer()))) announce();
    else if (isDue) app.say(describeDue());
    app.draw();
    if (isElsewhere || asksAnswer() !== wasAsked) reveal();
  }

  function keep() {
    const written = { text: writePosition({ rules, turns: row.turns }), bot, by };
    useStorage(storage, (it) => it.setItem(KEY, JSON.stringify(written)));
  }

  /** @param {Entry} entry */
  function enterPegs(entry) {
    const isUndone = row.before !== undefined && entry === row.before.entry;
    if (bot && !isUndone) return;
    if (!isUndone && rules.unique && hasRepeat(entry.pegs)) {
      app.say(t("No colour comes twice in these rules."));
    } else change(enter(row, entry));
  }

  /** Enter the last guess. */
  function again() {
    const last = row.turns.at(-1);
    if (last) enterPegs(enterCode(row.entry, last.code));
  }

  /** Enter a guess, and show the row. @param {Code} code */
  function takeCode(code) {
    change(take(row, code));
    find("board").focus({ preventScroll: true }); // Enter adds the row
    reveal();
  }

  /** Enter the answer, unless no guess can get it. @param {Answer} answer */
  function enterAnswer(answer) {
    const refused = findRefusal(answer, rules);
    if (refused) app.say(writeSentence(refused));
    else change({ ...row, answer });
  }

  /** Choose a number of the answer. @param {keyof Feedback} kind @param {number} number */
  const choose = (kind, number) => (
    enterAnswer(fillAnswer({ ...row.answer, [kind]: number }, rules))
  );

  /**
   * Type a digit of the answer, first the number of black key pegs, or take the last one back.
   * @param {number} [digit]
   */
  function type(digit) {
    const { black, white } = row.answer;
    const isFirst = black === undefined || white !== undefined;
    if (digit !== undefined) enterAnswer(isFirst ? { black: digit } : { black, white: digit });
    else if (black !== undefined || white !== undefined) change({ ...row, answer: {} });
    else enterPegs(moveCursor(row.entry, rules.pegs - 1));
  }

  /** Add the row, if it is complete. */
  function send() {
    if (!isOpen()) return;
    if (countFree(row.entry) > 0) app.say(t("The row is not full yet."));
    else if (asksAnswer() && completeAnswer(fillAnswer(row.answer, rules))) {
      change(add({ ...row, answer: fillAnswer(row.answer, rules) }));
    } else {
      if (!asksAnswer()) enterPegs(moveCursor(row.entry, rules.pegs));
      app.say(rules.bulls
        ? t("And its answer? First bulls, then cows.")
        : t("And its answer? First black, then white."));
    }
  }

  function undo() {
    if (bot && row.before) change(row.before);
    else if (row.entry.before) enterPegs(row.entry.before);
  }

  return {
    get rules() {
      return rules;
    },
    get bot() {
      return bot;
    },
    get by() {
      return by;
    },
    get row() {
      return row;
    },
    /** Why there is no analysis, or "". */
    get problem() {
      return problem;
    },
    /** The number of codes before the listed ones. */
    get after() {
      return after;
    },
    /** Return the analysis of the turns, once it is there, at first with the former page. */
    analysis,
    /** Return whether there is a row to fill. */
    isOpen,
    /** Return whether the row needs nothing but its answer. */
    asksAnswer,
    describeDue,
    analyse, change, enter: enterPegs, again, take: takeCode, choose, type, send, undo,
    /** List the codes after the first ones. @param {number} number */
    turnTo(number) {
      after = number;
      analyse();
    },
    /** Rank the guesses by another measure. @param {string} measure */
    rank(measure) {
      by = measure;
      keep();
      analyse();
    },
    /**
     * Change the rules and the bot. With other rules another game begins.
     * @param {Rules} changed @param {string} other the bot
     */
    setUp(changed, other) {
      row = changed.name === rules.name ? replace(row, row.turns) : start(changed.pegs);
      [rules, bot] = [changed, other];
      keep();
      app.say(describeDue());
      analyse();
    },
    /** Use the turns of a text. @param {{rules: Rules, turns: Turn[]}} position */
    use({ rules: changed, turns }) {
      if (changed.name !== rules.name) row = start(changed.pegs);
      rules = changed;
      change(replace(row, turns));
    },
  };
}
