// The helper for a game that is played elsewhere: the visitor enters guesses and answers, and the
// server analyses them. As codemaker, a bot of the server guesses a code that only the visitor
// knows.

import { alarm, button, el, find, join, note } from "../elements.js";
import { field, makeForm, select } from "../fields.js";
import { findRules } from "../game/rules.js";
import { countAll } from "../match/candidates.js";
import { enableDrag } from "../match/drag.js";
import { countFree, putPeg, swapPegs } from "../match/entry.js";
import { nameRules, sizeOf } from "../match/sentences.js";
import { describeKeys } from "../match/view.js";
import { copy } from "../sharing.js";
import { loadStyle, t, texts } from "../texts.js";
import { completeAnswer, describeAnswer, writeSentence } from "./answer.js";
import { describeActions, describeBoard, listenToKeys } from "./board.js";
import { botField, rulesFields, rulesOf, valuesOf } from "./choices.js";
import { openGame, readGame } from "./game.js";
import { nameOfRules, readPosition, readRules, writePosition } from "./notation.js";
import {
  describeCodes, describeCorrections, describeFolded, describeGuesses, describeLeft, describeLimit,
  describePlaces,
} from "./results.js";
import { correct, edit, insert, isFound, leave, remove, replace } from "./row.js";

export { puzzle } from "./puzzle.js";

/**
 * @import {Child} from "../elements.js"
 * @import {App} from "../visit.js"
 * @import {Kept} from "./game.js"
 * @typedef {ReturnType<typeof openGame>} Game
 */

const USUAL_BOT = "hard"; // breaks the code in a visitor's head

/**
 * Show the helper.
 * @param {App} app @param {string} [name] of the rules; by default the last game's
 * @param {string} [bot] that breaks a code in the visitor's head
 */
export async function solve(app, name, bot = "") {
  const { session, signal } = app;
  await app.load(() => loadStyle("solve/solve.css"));
  const game = openGame(app, name ? chooseGame(name, bot) : readGame());
  /** The server's bots, once they are needed. @type {any[]} */
  let bots = [];
  /** Why the text is refused, or "". */
  let refusal = "";
  const form = makeForm(app, async () => {}, {
    role: game.bot ? "maker" : "breaker", bot: game.bot || USUAL_BOT, ...valuesOf(game.rules),
  });

  const loadBots = () => bots.length > 0 || app.attempt("bots", async () => {
    ({ bots } = await session.request("bots"));
  });

  /** Write the address by which a reload finds the game. */
  const writeAddress = () => (
    history.replaceState(null, "", `/#${join("/", "solve", nameOfRules(game.rules), game.bot)}`)
  );

  /** Set the game up by the values of the form. */
  function setUp() {
    const { role, bot: chosen = USUAL_BOT } = form.values;
    let rules;
    try {
      rules = findRules(rulesOf(form.values));
    } catch { // no size of codes
      return void app.say(writeSentence(texts.codes.invalid_rules));
    }
    game.setUp(rules, role === "maker" ? chosen : "");
    writeAddress();
    if (game.bot) loadBots();
    app.draw();
  }

  /** Use a text. @param {string} text */
  function useText(text) {
    refusal = "";
    try {
      game.use(readPosition(text, game.rules));
      Object.assign(form.values, valuesOf(game.rules));
      writeAddress();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refusal = error.message;
    }
    app.draw();
  }

  const describeSetup = () => {
    const { rules, row } = game;
    const codes = countAll(rules);
    const breakers = bots.filter(({ largest }) => largest >= codes);
    const fields = form.view(
      field(t("Your part"), select("role", [
        ["breaker", t("You break a code, in a game elsewhere.")],
        ["maker", t("You have a code in your head, a bot breaks it.")],
      ], { value: form.values.role })),
      game.bot && breakers.length > 0 && botField(breakers, t("Bot"), "bot", game.bot),
      ...rulesFields(form.values, (name) => `${name}: ${sizeOf(findRules(name))}`, false),
    );
    return el(
      "details", { className: "card setup", open: row.turns.length === 0 && !row.before },
      el("summary", {}, join(
        " · ", sizeOf(rules), game.bot && t("{bot} breaks your code", { bot: game.bot }),
      )),
      el("div", { onchange: setUp }, fields), // after the form has read the change
      describeLimit(rules, codes),
    );
  };

  const describeText = () => {
    const { rules, row: { turns } } = game;
    const written = writePosition({ rules, turns });
    const use = () => useText(
      /** @type {HTMLTextAreaElement} */ (document.querySelector("#controls textarea")).value,
    );
    return describeFolded(
      t("As text"), "part",
      el("textarea", {
        value: written, rows: 6, spellcheck: false, autocapitalize: "off", autocomplete: "off",
        ariaLabel: t("Guesses and answers, one a line"),
      }),
      refusal && alarm(writeSentence(refusal)),
      el(
        "div", { className: "buttons" },
        button(t("Copy"), () => copy(app, written)), button(t("Use this text"), use),
      ),
    );
  };

  function view() {
    const { rules, row } = game;
    const known = game.analysis();
    const isWrong = known?.left === 0 && row.turns.length > 0;
    find("main").className = "solve";
    return {
      about: [el("span", {}, nameRules(rules)), " ", known && el("span", {}, describeLeft(known))],
      page: [
        describeSetup(),
        describeBoard(rules, row, {
          isOpen: game.isOpen(), enter: game.enter,
          edit: (index) => game.change(edit(row, index)),
          wrong: isWrong ? known.corrections?.[0]?.turn : undefined,
        }),
      ],
      controls: [
        el(
          "div", { className: "panel" },
          isWrong && describeCorrections(rules, known, (each) => game.change(correct(row, each))),
          describeEntry(game),
          describeActions(listActions(game)),
        ),
        el("div", { className: "col results" }, ...describeResults(game), describeText()),
      ],
    };
  }

  enableDrag(signal, {
    put: (colour, place) => game.enter(putPeg(game.row.entry, colour, place)),
    swap: (one, other) => game.enter(swapPegs(game.row.entry, one, other)),
  });
  listenToKeys(signal, () => ({
    rules: game.rules, row: game.row, isOpen: game.isOpen(), asksAnswer: game.asksAnswer(),
  }), { ...game, answer: game.type });
  app.show(t("Helper"), view);
  app.say(game.bot ? "" : game.describeDue());
  if (game.bot) loadBots();
  game.analyse();
}

/**
 * Return the last game, if it has these rules and this bot, or an empty one. Throws a Refusal.
 * @param {string} name of the rules @param {string} bot
 * @returns {Kept}
 */
function chooseGame(name, bot) {
  const rules = readRules(name);
  const last = readGame();
  const isLast = nameOfRules(rules) === nameOfRules(last.rules) && bot === last.bot;
  return isLast ? last : { rules, turns: [], bot, by: last.by };
}

/** Return what fills the row: the colours, or the numbers of the answer. @param {Game} game */
function describeEntry(game) {
  const { rules, bot, row, problem, choose, send, undo } = game;
  const undoing = button("↶", undo, "btn tool", {
    "aria-label": t("Undo"), title: t("Undo"), "aria-disabled": !row.entry.before,
  });
  if (!game.isOpen()) {
    const begin = () => game.change(replace(row, []));
    return el("div", { className: "go" }, undoing, button(t("New game"), begin, "btn main"));
  }
  if (game.asksAnswer()) {
    const isReady = completeAnswer(row.answer) !== undefined;
    return el(
      "div", {}, ...describeAnswer(rules, row.answer, choose),
      el(
        "div", { className: "go" }, undoing,
        button(row.replaces ? t("Change it") : t("Next"), send, "btn main", {
          "aria-disabled": !isReady,
        }),
      ),
    );
  }
  if (bot) return !problem && note(t("{bot} thinks …", { bot }));
  const isFull = countFree(row.entry) === 0;
  return el("div", {}, ...describeKeys(rules, row.entry, game, t("Next"), isFull, row.turns.length));
}

/** @param {Game} game @returns {[label: string, act: () => unknown][]} */
function listActions({ row, bot, change, isOpen }) {
  const isWithin = row.replaces || row.at < row.turns.length;
  /** @type {[isShown: unknown, label: string, act: () => unknown][]} */
  const all = [
    [row.replaces && !bot, t("Delete the guess"), () => change(remove(row))],
    [row.replaces && !bot, t("Insert one before"), () => change(insert(row))],
    [isWithin, t("Leave it"), () => change(leave(row))],
    [!isWithin && isOpen() && row.turns.length > 0, t("New game"), () => change(replace(row, []))],
  ];
  return all.flatMap(([isShown, label, act]) => (
    isShown ? [/** @type {[string, () => unknown]} */ ([label, act])] : []
  ));
}

/** @param {Game} game @returns {Child[]} */
function describeResults(game) {
  const { rules, bot, row, by, after, problem, take, rank, turnTo, analyse } = game;
  const known = game.analysis();
  if (problem) return [alarm(problem), button(t("Try again"), analyse, "btn main")];
  if (!known) return [note(t("Counting …"))];
  if (bot || isFound(row) || known.left === 0) return [];
  return [
    describeGuesses(rules, known, by, { take, rank }),
    describePlaces(rules, known),
    describeCodes(rules, known, after, turnTo),
  ];
}
