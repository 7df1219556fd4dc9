// The settings of this device: the browser keeps them, and they hold on every page. main.js loads
// this module before the first page only if there are any.

import { SETTINGS, findStorage, useStorage } from "../connection/session.js";
import { loadMoreTexts, loadStyle, loadTexts, texts, useTexts } from "../texts.js";

/**
 * @typedef {object} Settings
 * @property {string} language The code of a language, or "" for the browser's.
 * @property {string} palette The colours of pegs: "default" is that of style.css, the others are
 *     those of palettes.css.
 * @property {boolean} sound Whether a sound and a vibration announce the visitor's turn.
 * @property {boolean} notices Whether notifications announce it, if the browser permits them.
 */

/** @type {Settings} */
const DEFAULTS = { language: "", palette: "default", sound: true, notices: true };
const storage = findStorage("localStorage");
/** The language of the browser, as the server has read it. */
const automatic = document.documentElement.lang;
/** The changes that the browser does not keep. @type {Partial<Settings>} */
let unkept = {};

/** Return the settings, also those that another tab has changed. @returns {Settings} */
export function readSettings() {
  const kept = useStorage(storage, (it) => JSON.parse(it.getItem(SETTINGS) ?? "{}"));
  return { ...DEFAULTS, ...kept, ...unkept };
}

/** Return whether the browser keeps the settings, as far as they were changed. */
export const isKept = () => storage !== undefined && Object.keys(unkept).length === 0;

/** Change settings, and keep them where the browser allows it. @param {Partial<Settings>} change */
export function changeSettings(change) {
  const settings = JSON.stringify({ ...readSettings(), ...change });
  unkept = { ...unkept, ...change };
  useStorage(storage, (it) => {
    it.setItem(SETTINGS, settings);
    unkept = {};
  });
}

/** Show the page in its palette and its language. Rejects if their files do not load. */
export async function applySettings() {
  const { palette, language } = readSettings();
  await Promise.all([applyPalette(palette), applyLanguage(language)]);
}

/** @param {string} palette */
async function applyPalette(palette) {
  if (palette !== DEFAULTS.palette) await loadStyle("device/palettes.css");
  document.documentElement.dataset.palette = palette;
}

/** @param {string} wanted a code of a language; any other text stands for the browser's */
async function applyLanguage(wanted) {
  const language = Object.hasOwn(texts.languages, wanted) ? wanted : automatic;
  if (language === texts.language) return;
  const hadMore = texts.reasons !== undefined;
  await loadTexts(language);
  document.documentElement.lang = language;
  useTexts({ reasons: undefined }); // those of the former language
  if (hadMore) await loadMoreTexts();
}
