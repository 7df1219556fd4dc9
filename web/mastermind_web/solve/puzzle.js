// Puzzles: guesses with their answers, which exactly one code fits. The visitor finds it.

import { Refusal } from "../connection/connection.js";
import { ask } from "../dialog.js";
import { button, el, find, join, link } from "../elements.js";
import { field, select } from "../fields.js";
import { feedback } from "../game/checks.js";
import { hasRepeat, writeSize } from "../game/rules.js";
import { countAll, findExcluding } from "../match/candidates.js";
import { enableDrag } from "../match/drag.js";
import { countFree, emptyEntry, enterCode, moveCursor, putPeg, swapPegs } from "../match/entry.js";
import { describeFeedback, nameRules, spell } from "../match/sentences.js";
import { describeKeys } from "../match/view.js";
import { share } from "../sharing.js";
import { loadStyle, n, t, texts } from "../texts.js";
import { describeActions, describeBoard, listenToKeys } from "./board.js";
import { nameOfRules, readRules } from "./notation.js";
import { count, describeRecord } from "./record.js";
import { start } from "./row.js";

/**
 * @import {App} from "../visit.js"
 * @import {Child} from "../elements.js"
 * @import {Code} from "../types.js"
 * @import {Rules} from "../texts.js"
 */

const USUAL_RULES = "classic";
const LEVELS = [1, 2, 3]; // from easy to hard, as in the protocol
const SEEDS = 10 ** 9; // of each level, as in the protocol
const MOST_CODES = 5040; // of the presets that are offered, which all servers can make

/** Return the number of another puzzle. */
const drawSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % SEEDS;

/**
 * Show a puzzle: without a number, another one.
 * @param {App} app @param {string} [rulesName] @param {string} [given] the level
 * @param {string} [number] of the puzzle
 */
export async function puzzle(app, rulesName = USUAL_RULES, given = "1", number) {
  const { session, signal } = app;
  const rules = readRules(rulesName);
  const [level, seed] = [Number(given), number ? Number(number) : drawSeed()];
  if (!LEVELS.includes(level) || !(seed >= 0 && seed < SEEDS && Number.isInteger(seed))) {
    throw new Refusal({ code: "unknown_puzzle", message: t("There is no such puzzle.") });
  }
  const path = `/#${join("/", "puzzle", nameOfRules(rules))}/${level}`;
  const [answer] = await Promise.all([
    session.request("puzzle", { rules: rules.name, level, seed }),
    app.load(() => loadStyle("solve/solve.css")),
  ]);
  if (signal.aborted) return;
  history.replaceState(null, "", `${path}/${seed}`);
  /** @type {[Code, number, number][]} */
  const rows = answer.turns;
  const turns = rows.map(([code, black, white]) => ({ code, black, white }));
  const name = `${writeSize(rules)}/${level}/${seed}`;
  let entry = emptyEntry(rules.pegs);
  /** The number of the guess that the last answer does not fit. @type {number | undefined} */
  let wrong;
  /** Whether the code is shown. */
  let isOver = false;
  const { write } = spell(rules);

  /** @param {import("../match/entry.js").Entry} changed */
  function enter(changed) {
    if (isOver) return;
    if (rules.unique && hasRepeat(changed.pegs)) {
      return void app.say(t("No colour comes twice in these rules."));
    }
    if (String(changed.pegs) !== String(entry.pegs)) wrong = undefined;
    entry = changed;
    app.draw();
  }

  /** Enter the last guess of the puzzle. */
  const again = () => enter(enterCode(entry, turns[turns.length - 1].code));

  function check() {
    if (isOver) return;
    if (countFree(entry) > 0) return void app.say(t("The row is not full yet."));
    const code = /** @type {Code} */ (entry.pegs);
    wrong = findExcluding(code, turns);
    count(name, wrong ? "wrong" : "right");
    if (wrong) {
      const { code: guess } = turns[wrong - 1];
      const words = describeFeedback(feedback(code, guess), rules);
      const values = { code: write(code), number: wrong, answer: words };
      app.say(t("Wrong: if {code} were the code, the answer to guess {number} would be {answer}.", values));
    } else {
      isOver = true;
      app.say(t("Right: {code} is the only code that fits.", { code: write(code) }));
    }
    app.draw();
  }

  const giveUp = () => app.attempt("give up", async () => {
    const yes = t("Give it up");
    const cost = t("The code is shown, and your puzzles in a row begin again at 0.");
    if (await ask(app, t("Give the puzzle up?"), cost, t("Stay"), yes) !== yes) return;
    const given = turns.map(({ code, black, white }) => [code, black, white]);
    const fields = { rules: rules.name, turns: given, most: 1 };
    const { analysis } = await session.request("analyse", fields);
    const [code] = analysis.codes ?? [];
    if (!code) return;
    count(name, "given up");
    isOver = true;
    wrong = undefined;
    entry = moveCursor(enterCode(entry, code), rules.pegs);
    app.say(t("The code is {code}.", { code: write(code) }));
  });

  const sharePuzzle = () => share(app, { url: new URL(`${path}/${seed}`, location.href).href });

  const describeEntry = () => (isOver
    ? el(
      "div", { className: "buttons" },
      link(path, t("Next puzzle"), "btn main big"), button(t("Share"), sharePuzzle, "btn big"),
    )
    : el("div", {}, ...describeKeys(
      rules, entry, { enter, again, send: check }, t("Check"), countFree(entry) === 0, turns.length,
    )));

  function view() {
    find("main").className = "solve";
    return {
      about: [
        el("span", {}, join(" · ", nameRules(rules), t("level {level}", { level }))), " ",
        el("span", {}, t("No. {number}", { number: String(seed) })),
      ],
      page: [
        el("p", {}, n(
          "Exactly one code fits the answer. Which?",
          "Exactly one code fits all answers. Which?", turns.length,
        )),
        describeBoard(rules, { ...start(rules.pegs, turns), entry }, {
          isOpen: true, enter, wrong, label: isOver ? "✓" : "?",
        }),
      ],
      controls: [
        el(
          "div", { className: "panel" },
          describeEntry(),
          !isOver && describeActions([[t("Give up"), giveUp], [t("Share"), sharePuzzle]]),
        ),
        el(
          "div", { className: "col results" },
          describeRecord(),
          el(
            "section", { className: "card part" },
            el("h2", {}, t("Another puzzle")),
            describeLevels(rules, level),
            describeGame(app, rules, level),
          ),
        ),
      ],
    };
  }

  enableDrag(signal, {
    put: (colour, place) => enter(putPeg(entry, colour, place)),
    swap: (one, other) => enter(swapPegs(entry, one, other)),
  });
  listenToKeys(signal, () => ({
    rules, row: { ...start(rules.pegs, turns), entry }, isOpen: !isOver, asksAnswer: false,
  }), { enter, again, send: check, undo: () => enter(entry.before ?? entry) });
  app.show(t("Puzzle"), view);
  app.say("");
}

/** Return links to other puzzles, one of each level. @param {Rules} rules @param {number} level */
const describeLevels = (rules, level) => el(
  "nav", { className: "buttons", "aria-label": t("Level") },
  ...LEVELS.map((each) => el("a", {
    className: "btn", href: `/#puzzle/${nameOfRules(rules)}/${each}`,
    "aria-current": each === level && "true",
  }, t("Level {level}", { level: each }))),
);

/** Return a choice of the rules. @param {App} app @param {Rules} rules @param {number} level */
function describeGame(app, rules, level) {
  const offered = Object.values(texts.presets).filter((each) => countAll(each) <= MOST_CODES);
  const all = offered.some((each) => each.name === rules.name) ? offered : [...offered, rules];
  const options = all.map((each) => (
    /** @type {[string, string]} */ ([nameOfRules(each), nameOfRules(each)])
  ));
  return field(t("Game"), select("rules", options, {
    value: nameOfRules(rules),
    onchange: (/** @type {any} */ { target }) => app.go(`/#puzzle/${target.value}/${level}`),
  }));
}
