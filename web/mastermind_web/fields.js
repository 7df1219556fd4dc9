// Forms and their fields.

import { alarm, el } from "./elements.js";

/**
 * @import {Child, Description, Properties} from "./elements.js"
 * @import {App} from "./visit.js"
 */

/**
 * Return a field with its label.
 * @param {string} label @param {Child} input @param {string} [className]
 */
export function field(label, input, className = "field") {
  return el("label", { className }, el("span", {}, label), input);
}

/** @param {string} type @param {Properties} [properties] */
export const input = (type, properties) => el("input", { type, ...properties });

/**
 * @param {string} name @param {[value: string, label: string][]} options @param {Properties}
 *     [properties]
 */
export function select(name, options, properties = {}) {
  const choices = options.map(([value, label]) => el("option", { value }, label));
  return el("select", { name, ...properties }, ...choices);
}

/**
 * Return a form: its `values` by the names of its inputs, and `view`, which describes it. `submit`
 * gets the values, and runs once at a time. The form shows its refusals, and a change of a value
 * draws the page again.
 * @param {App} app @param {(values: Properties) => Promise<void>} submit
 * @param {Properties} [values] at the start
 */
export function makeForm(app, submit, values = {}) {
  let refusal = "";
  const display = (/** @type {string} */ sentence) => {
    refusal = sentence;
    app.draw();
  };
  const made = {
    values,
    /** @param {Child[]} children @returns {Description} */
    view: (...children) => el(
      "form", { onsubmit, onchange }, ...children,
      refusal && alarm(refusal),
    ),
  };
  const read = (/** @type {any} */ event) => {
    made.values = Object.fromEntries(new FormData(event.currentTarget));
  };
  const onchange = (/** @type {Event} */ event) => {
    read(event);
    app.draw();
  };
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    read(event);
    app.attempt(made, () => {
      display("");
      return submit(made.values);
    }, display);
  };
  return made;
}

/** @param {string} label @param {string} [className] */
export const submitButton = (label, className = "btn main") => el("button", { className }, label);
