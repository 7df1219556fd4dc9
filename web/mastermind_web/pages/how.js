// How to play.

import { showDialog } from "../dialog.js";
import { el, keys, link, tile } from "../elements.js";
import { findRules } from "../game/rules.js";
import { spell } from "../match/sentences.js";
import { n, t, texts } from "../texts.js";

const EXAMPLE = { code: "green blue green red", guess: "green yellow blue orange" };
const UNIQUE_EXAMPLE = { code: "green orange red blue", guess: "green blue yellow purple" };

/** @param {import("../visit.js").App} app */
export function how(app) {
  app.show(t("How to play"), () => [
    explainGame(),
    link("/#bot", t("try it with a bot"), "btn main"),
  ]);
}

/**
 * Explain the game and the keys in a dialog.
 * @param {import("../texts.js").Rules} [rules]
 */
export function help(rules) {
  const keyboard = t("Letters or digits place pegs, Backspace takes one back, = copies the last guess, * fills the row, Enter sends. Left and right choose a place, up and down read the guesses, / writes in the chat, . repeats the last sentence, a comma says the time left.");
  const colours = rules && el("p", {}, t("Colours: {colours}.", { colours: listColours(rules) }));
  showDialog(t("How to play"), [explainGame(rules), el("p", {}, keyboard), colours], [t("Close")]);
}

/**
 * Return the characters that type each colour, with its name.
 * @param {import("../texts.js").Rules} rules
 */
const listColours = ({ alphabets, palette }) => palette.map((name, colour) => {
  const symbols = alphabets.map((alphabet) => alphabet[colour])
    .reduce((one, other) => t("{one} or {other}", { one, other }));
  return `${symbols} ${texts.colours[name]}`;
}).join(", ");

/** Return the explanation of the game, by these rules. */
function explainGame(rules = findRules("classic")) {
  const { guesses, unique, bulls } = rules;
  const [black, white] = bulls ? [t("bull"), t("cow")] : [t("black"), t("white")];
  const { code, guess } = unique ? UNIQUE_EXAMPLE : EXAMPLE;
  const shown = findRules(bulls ? "bulls" : "classic");
  const [placed, elsewhere, absent] = spellColours(shown, unique ? guess : "green blue yellow");
  const search = guesses === null
    ? t("The other player guesses until it is found. Each guess gets an answer:")
    : n("The other player has {number} guess to find it. It gets an answer:", "The other player has {number} guesses to find it. Each one gets an answer:", guesses);
  return el(
    "div", { className: "how" },
    el(
      "p", {},
      unique ? t("One player hides a row of pegs: the code. Repeats are not allowed.")
        : t("One player hides a row of pegs: the code. Repeats are allowed."),
      " ", search,
    ),
    el("p", {}, keys(1, 0, 1), " ", t("{key}: a peg is in the code, in the right place.", { key: black })),
    el("p", {}, keys(0, 1, 1), " ", t("{key}: a peg is in the code, but in the wrong place.", { key: white })),
    el("p", {}, t("It does not name the pegs. Working that out is the game.")),
    el(
      "div", { className: "card" },
      el("b", {}, t("For example:")),
      exampleRow(shown, t("the code"), code),
      exampleRow(shown, t("a guess"), guess, keys(1, 1, 4)),
      el("p", {}, t("{placed} is in its place. {elsewhere} is in the code, elsewhere. {absent} is not.", { placed, elsewhere, absent })),
    ),
    el(
      "p", {}, t("The hider scores a point per guess. Then you swap seats."), " ",
      t("The code is locked before guess 1, checked at the end: no cheating."),
    ),
  );
}

/**
 * Return the letter or digit of each colour.
 * @param {import("../texts.js").Rules} rules @param {string} colours
 */
function spellColours(rules, colours) {
  const { letters } = spell(rules);
  return colours.split(" ").map((colour) => letters[rules.palette.indexOf(colour)]);
}

/**
 * @param {import("../texts.js").Rules} rules @param {string} label @param {string} colours
 * @param {import("../elements.js").Child} [answer]
 */
function exampleRow(rules, label, colours, answer) {
  const letters = spellColours(rules, colours);
  const tiles = colours.split(" ").map((colour, peg) => tile(colour, letters[peg]));
  return el("div", { className: "example" }, el("span", {}, label), ...tiles, answer);
}
