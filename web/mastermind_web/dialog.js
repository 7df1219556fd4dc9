// Questions and explanations above the page.

import { draw, el, find } from "./elements.js";

/** @typedef {import("./elements.js").Child} Child */

/**
 * Show a dialog. Resolves to the chosen answer, or "".
 * @param {string} title @param {Child[]} content @param {string[]} answers
 * @returns {Promise<string>}
 */
export function showDialog(title, content, answers) {
  const dialog = /** @type {HTMLDialogElement} */ (find("dialog"));
  const buttons = answers.map((value, index) => (
    el("button", { value, className: index ? "btn" : "btn main" }, value)
  ));
  const form = el("form", { method: "dialog", className: "buttons" }, ...buttons);
  draw(dialog, el("h2", { id: "question" }, title), ...content, form);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => (dialog.onclose = () => resolve(dialog.returnValue)));
}

/**
 * Ask the visitor in an action. Resolves to the chosen answer, or "".
 * @param {import("./visit.js").App} app @param {string} question
 * @param {string} cost the consequence @param {string[]} answers
 */
export const ask = (app, question, cost, ...answers) => (
  app.pause(() => showDialog(question, [el("p", {}, cost)], answers))
);
