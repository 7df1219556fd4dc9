// Links and texts that the visitor gives to others.

import { ask } from "./dialog.js";
import { el, note } from "./elements.js";
import { t } from "./texts.js";

/** @typedef {import("./visit.js").App} App */

/** Return the address of a match on this server. @param {App} app @param {string} code */
export function linkOf(app, code) {
  return new URL(code, new URL(app.session.terms?.page ?? "/", location.href)).href;
}

/** Copy a text, also on a page without TLS. @param {App} app @param {string} text */
export async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const area = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    if (!copied) {
      const question = t("Your browser does not allow copying. Please select the text.");
      return void ask(app, question, text, t("Close"));
    }
  }
  return app.say(t("Copied."));
}

/**
 * Offer `data` to the share sheet of the device, otherwise copy its text.
 * @param {App} app @param {ShareData} data
 */
export async function share(app, data) {
  try {
    await navigator.share(data);
  } catch (error) { // it is missing, or was refused
    if (/** @type {Error} */ (error).name !== "AbortError") {
      await copy(app, data.url ?? data.text ?? "");
    }
  }
}

/** The option of commands for this server. */
export const server = () => `--server ${location.origin.replace("http", "ws")}`;

/** Return a note with a command. @param {string} label @param {string[]} words */
export const command = (label, ...words) => note(label, " ", el("code", {}, words.join(" ")));
