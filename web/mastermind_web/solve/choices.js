// The fields that choose rules and bots, for forms and for the helper.

import { el, join, note } from "../elements.js";
import { field, input, select } from "../fields.js";
import { t, texts } from "../texts.js";

/**
 * @import {Child} from "../elements.js"
 * @import {Rules} from "../texts.js"
 * @typedef {import("../elements.js").Properties} Values of a form
 */

/** The value of the option with fields of its own. */
export const OWN = "own";
const BULLS = "bulls";

/**
 * Return a choice and, while its own option is selected, the fields of that.
 * @param {string} label @param {string} name @param {Values} values of the form
 * @param {[value: string, label: string][]} options
 * @param {string} own the label of the own option @param {Child[]} fields
 */
export function chooseOrEnter(label, name, values, options, own, ...fields) {
  const [[first]] = options;
  const choice = select(name, [...options, [OWN, own]], { value: values[name] ?? first });
  return el(
    "div", { className: "field" },
    field(label, choice),
    values[name] === OWN && el("fieldset", {}, ...fields),
  );
}

/**
 * Return the fields that choose the rules, and of a size of one's own the number of guesses.
 * @param {Values} values @param {(rules: string) => string} describe returns the label of a preset
 * @param {boolean} [isLimited] whether guesses are limited
 */
export function rulesFields(values, describe, isLimited = true) {
  /** @type {[string, string][]} */
  const presets = Object.keys(texts.presets).map((name) => [name, describe(name)]);
  /** @type {[name: string, label: string, min: number, max: number, value: number][]} */
  const numbers = [
    ["pegs", t("Pegs"), 1, texts.limits.pegs, 5],
    ["colours", t("Colours"), 2, texts.custom.palette.length, 8],
    ["guesses", t("Guesses"), 1, texts.limits.guesses, 12],
  ];
  const own = numbers.slice(0, isLimited ? 3 : 2).map(([name, label, min, max, usual]) => {
    const value = values[name] ?? usual;
    return field(label, input("number", { name, min, max, value, required: true }));
  });
  return [
    chooseOrEnter(t("Game"), "rules", values, presets, t("a size of your own"), ...own),
    values.rules === OWN && field(
      t("No colour twice"), input("checkbox", { name: "unique", checked: "unique" in values }), "check",
    ),
    values.rules === BULLS
      && note(t("Four different digits. A bull is a digit in its place, a cow one elsewhere.")),
  ];
}

/** Return the name of the chosen rules. @param {Values} values */
export const rulesOf = ({ rules, pegs, colours, unique, guesses }) => (
  rules === OWN ? join("/", `${pegs}x${colours}${unique ? "u" : ""}`, guesses) : rules
);

/**
 * Return the values of the fields that choose these rules.
 * @param {Rules} rules
 * @returns {Values}
 */
export const valuesOf = ({ name, pegs, palette, unique }) => (
  Object.hasOwn(texts.presets, name)
    ? { rules: name }
    : { rules: OWN, pegs, colours: palette.length, ...(unique && { unique: "on" }) }
);

/** Return the names of a bot, the one for players first. @param {any} bot */
export const namesOf = ({ name, aliases = [] }) => [...aliases, name];

/**
 * Return a choice among the server's bots.
 * @param {any[]} bots @param {string} label @param {string} name @param {string} preferred
 */
export function botField(bots, label, name, preferred) {
  const chosen = bots.find((bot) => namesOf(bot).includes(preferred)) ?? bots[0];
  const options = bots.map((bot) => {
    const [first] = namesOf(bot);
    return /** @type {[string, string]} */ ([first, `${first}: ${t(bot.about)}`]);
  });
  return field(label, select(name, options, { value: namesOf(chosen)[0] }));
}
