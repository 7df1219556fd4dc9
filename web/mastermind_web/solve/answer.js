// The answer to a guess in a game that is played elsewhere: its check, and the buttons that enter
// it.

import { button, el, keys } from "../elements.js";
import { fill, t, texts } from "../texts.js";

/**
 * @import {Child} from "../elements.js"
 * @import {Feedback} from "../types.js"
 * @import {Rules} from "../texts.js"
 * @typedef {{black?: number, white?: number}} Answer An answer, as far as it is entered.
 */

/** Return a clause as a sentence. @param {string} clause */
export const writeSentence = (clause) => `${clause[0].toUpperCase()}${clause.slice(1)}.`;

/**
 * Return why no guess can get an answer, or undefined if one can.
 * @param {Feedback} answer @param {Rules} rules
 */
export function findProblem({ black, white }, { name, pegs, palette, unique }) {
  // Without repeats, two codes share at least the colours that do not fit beside one of them.
  const least = unique ? Math.max(0, 2 * pegs - palette.length) : 0;
  const reason = black + white > pegs ? "too_many_key_pegs"
    : black === pegs - 1 && white === 1 ? "impossible_feedback"
    : black + white < least && "too_few_key_pegs";
  return reason
    ? fill(texts.reasons[reason], { black, white, pegs, least, rules: name })
    : undefined;
}

/**
 * Return the complete answers that a guess can get, and that have the entered numbers.
 * @param {Answer} answer @param {Rules} rules
 * @returns {Feedback[]}
 */
function listFitting(answer, rules) {
  const numbers = Array.from({ length: rules.pegs + 1 }, (_, number) => number);
  const [blacks, whites] = [answer.black, answer.white].map((each) => (
    each === undefined ? numbers : [each]
  ));
  return blacks.flatMap((black) => whites.map((white) => ({ black, white })))
    .filter((each) => !findProblem(each, rules));
}

/**
 * Return why no guess can get an answer with the entered numbers, or undefined if one can.
 * @param {Answer} answer @param {Rules} rules
 */
export const findRefusal = (answer, rules) => (
  listFitting(answer, rules).length > 0
    ? undefined : findProblem({ black: 0, white: 0, ...answer }, rules)
);

/**
 * Return an answer with its missing number, if only one number fits.
 * @param {Answer} answer @param {Rules} rules
 * @returns {Answer}
 */
export function fillAnswer(answer, rules) {
  const fitting = listFitting(answer, rules);
  return fitting.length === 1 ? fitting[0] : answer;
}

/** Return the answer if it is complete. @param {Answer} answer @returns {Feedback | undefined} */
export const completeAnswer = ({ black, white }) => (
  black === undefined || white === undefined ? undefined : { black, white }
);

/**
 * Return the buttons that enter an answer. Those of impossible answers are dimmed.
 * @param {Rules} rules @param {Answer} answer
 * @param {(kind: keyof Feedback, number: number) => unknown} choose
 * @returns {Child[]}
 */
export function describeAnswer(rules, answer, choose) {
  const [black, white] = rules.bulls
    ? [t("Bulls: right digit, right place"), t("Cows: right digit, other place")]
    : [t("Black: right colour, right place"), t("White: right colour, other place")];
  /** @type {[kind: keyof Feedback, label: string][]} */
  const kinds = [["black", black], ["white", white]];
  return kinds.map(([kind, label]) => {
    return el(
      "div", { className: "numbers", role: "group", "aria-label": label },
      el(
        "span", { className: "kind", "aria-hidden": "true" },
        kind === "black" ? keys(1, 0, 1) : keys(0, 1, 1), label,
      ),
      ...Array.from({ length: rules.pegs + 1 }, (_, number) => {
        const isOff = findRefusal({ ...answer, [kind]: number }, rules) !== undefined;
        return button(String(number), () => choose(kind, number), "btn", {
          ariaPressed: String(answer[kind] === number), "aria-disabled": isOff,
        });
      }),
    );
  });
}
