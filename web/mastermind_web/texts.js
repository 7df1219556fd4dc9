// The texts of the page in its language, and the tables that the Python client uses
// too. `make messages` writes them from the sources and the catalogues: texts/pl.json has those of
// a first view, and texts/pl-more.json the others.

/**
 * @import {Values} from "./types.js"
 *
 * @typedef {object} Rules
 * @property {string} name
 * @property {number} pegs
 * @property {number | null} guesses Null without a limit.
 * @property {string[]} palette The English name of each colour.
 * @property {string[]} alphabets Characters of the colours. Codes are shown in the first.
 * @property {boolean} [unique] Whether no code has a colour twice.
 * @property {boolean} [bulls] Whether feedback counts bulls and cows.
 *
 * @typedef {{question: string, answer: string, cost: string}} Action What the player confirms: the
 *     question, the label of the button, and the consequence.
 *
 * @typedef {object} Texts
 * @property {string} language The code of the language.
 * @property {{[text: string]: string}} sentences Translations of the sentences of this page.
 * @property {{[text: string]: {[category: string]: string}}} plurals Their plural forms.
 * @property {{[code: string]: string}} languages The own name of each language.
 * @property {{[name: string]: Rules}} presets
 * @property {{palette: string[], alphabets: string[], guesses: number}} custom The palette of other
 *     rules, the characters of its first colours, and their guesses if the name has none.
 * @property {{pegs: number, guesses: number, unlimitedGuesses: number, usualGuesses: number}}
 *     limits
 * @property {{settingLeast: number, settingMost: number, credit: number, roundCredit: number}}
 *     clocks The limits of the time to set a code, and of the credited latency of a guess and of a
 *     round, in milliseconds.
 * @property {string} linkEnd The pattern of the characters that chats append to a match link.
 * @property {{[colour: string]: string}} colours The names of colours.
 * @property {{[phase: string]: {[op: string]: string[]}}} legal The seats that may send a request;
 *     "" is a player without a seat.
 * @property {{[name: string]: Action}} actions
 * @property {{[reason: string]: string}} reasons The sentences of the refusals that a page
 *     receives.
 * @property {{[code: string]: string}} codes The meaning of each error code.
 * @property {{[bot: string]: {[size: string]: number}}} usualGuesses The mean numbers of guesses of
 *     the server's bots, by sizes such as 4x6.
 * @property {{[bot: string]: {[size: string]: number}}} hidingGuesses The mean guesses of
 *     `hard` for the codes of the server's bots.
 * @property {{rules: string[], start: number, finish: number, reveal: number}} days The rules that
 *     have a code of the day, the start of day 0 in milliseconds since 1970, and for how many
 *     milliseconds after a day tries can be finished, and its code is hidden.
 * @property {string[]} phrases The phrase with number n is `phrases[n - 1]`.
 */

/** The texts and tables in use: empty until `useTexts`. @type {Texts} */
export const texts = /** @type {Texts} */ ({ language: "en", sentences: {}, plurals: {} });

/** Replace texts and tables. @param {Partial<Texts>} loaded */
export function useTexts(loaded) {
  Object.assign(texts, loaded);
}

/**
 * Load the texts of the page's language, which the server has chosen from the browser's: those that
 * a first view needs.
 */
export async function loadTexts(language = document.documentElement.lang) {
  useTexts(await fetchTexts(language));
}

/** Load the other texts of the language, unless they are there. */
export async function loadMoreTexts() {
  if (texts.reasons) return;
  const { sentences, plurals, ...tables } = await fetchTexts(`${texts.language}-more`);
  Object.assign(texts.sentences, sentences);
  Object.assign(texts.plurals, plurals);
  useTexts(tables);
}

/**
 * Return `module` with what it needs: the other texts, and the second style sheet.
 * @template T @param {Promise<T>} module
 */
export async function loadWithTexts(module) {
  const [loaded] = await Promise.all([module, loadMoreTexts(), loadStyle("more.css")]);
  return loaded;
}

/** The other style sheets by name, until they fail. @type {{[name: string]: Promise<unknown>}} */
const styles = {};

/**
 * Load a style sheet, unless it is there. The folder is that of this module.
 * @param {string} name
 */
export function loadStyle(name) {
  styles[name] ??= new Promise((resolve, reject) => {
    const href = new URL(name, import.meta.url).href;
    const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    sheet.onload = resolve;
    sheet.onerror = () => {
      sheet.remove();
      delete styles[name];
      reject(new Error(`${href}: not loaded`));
    };
    document.head.append(sheet);
  });
  return styles[name];
}

/** Return the content of a file. The folder is that of this module. @param {string} name */
async function fetchTexts(name) {
  const answer = await fetch(new URL(`texts/${name}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`texts/${name}.json: ${answer.status}`);
  return answer.json();
}

/**
 * Return `sentence` with its `{name}` placeholders replaced. Arrays are lists of alternatives.
 * @param {string} sentence @param {Values} [values]
 * @returns {string}
 */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (placeholder, name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) return placeholder;
    if (typeof value === "number" && value > 9999) return value.toLocaleString(texts.language);
    if (!Array.isArray(value)) return String(value);
    const [first = "", ...others] = value;
    return others.reduce((one, other) => t("{one} (or {other})", { one, other }), first);
  });
}

/**
 * Return the translated `sentence` with its placeholders replaced.
 * @param {string} sentence @param {Values} [values]
 * @returns {string}
 */
export function t(sentence, values) {
  return fill(texts.sentences[sentence] || sentence, values);
}

/**
 * Return the translated plural form for `count`, which replaces `{count}` and `{number}`.
 * @param {string} one @param {string} many @param {number} count
 * @param {Values} [values]
 */
export function n(one, many, count, values) {
  const category = new Intl.PluralRules(texts.language).select(count);
  const form = texts.plurals[one]?.[category] ?? (category === "one" ? one : many);
  return fill(form, { count, number: count, ...values });
}
