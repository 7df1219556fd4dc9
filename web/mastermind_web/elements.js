// The elements of pages: what several pages show, and how it is written.

import { t } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {Node | string | false | undefined} Child
 */

/**
 * Return a new element. Other texts become text nodes and never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {{[name: string]: any}} [properties] or attributes @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) Object.assign(element, { [name]: value });
    else element.setAttribute(name, value);
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  return element;
}

/** Return the element of index.html. @param {string} id */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Set a property only if it changes, so that nothing is announced or drawn again. @template {Node} E @param {E} element @param {keyof E} name @param {any} value */
export function set(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

/** Replace the children of an element, unless the new ones look the same: these may have the focus. Returns whether it did. @param {Element} element @param {Node[]} children */
export function refill(element, ...children) {
  const filled = el("div", {}, ...children);
  const changes = filled.innerHTML !== element.innerHTML;
  if (changes) element.replaceChildren(...filled.childNodes);
  return changes;
}

/** @param {string} label @param {(event: Event) => unknown} onclick @param {string} [className] */
export function button(label, onclick, className = "btn") {
  return el("button", { type: "button", className, onclick }, label);
}

/** @param {string} href @param {string} label @param {string} [className] */
export const link = (href, label, className = "") => el("a", { href, className }, label);

/** Return a field with its label. @param {string} label @param {HTMLElement} input @param {string} [className] */
export function field(label, input, className = "field") {
  return el("label", { className }, el("span", {}, label), input);
}

/** @param {string} type @param {{[name: string]: any}} [properties] */
export const input = (type, properties) => el("input", { type, ...properties });

/**
 * Return a form; `submit` gets the values of its inputs by their names, and runs once at a time. The form shows its refusals.
 * @param {App} app @param {(values: {[name: string]: any}) => Promise<void>} submit @param {Child[]} children
 */
export function form(app, submit, ...children) {
  const refusal = el("p", { className: "alarm", role: "alert", hidden: true });
  const display = (/** @type {string} */ sentence) => {
    refusal.textContent = sentence;
    refusal.hidden = !sentence;
  };
  const onsubmit = (/** @type {any} */ event) => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.currentTarget));
    app.attempt(refusal, () => {
      display("");
      return submit(values);
    }, display);
  };
  return el("form", { onsubmit }, ...children, refusal);
}

/** @param {string} label */
export const submitButton = (label) => el("button", { className: "btn main" }, label);

/** Return a tile. @param {string} colour @param {string} letter */
export const tile = (colour, letter) => el("span", { className: `peg ${colour}` }, letter);

/** Return the parts that are there as one text. @param {string} separator @param {(string | false | 0 | null | undefined)[]} parts */
export const join = (separator, ...parts) => parts.filter(Boolean).join(separator);

/** @param {string | undefined} name */
export const nameOf = (name) => name || t("Someone");

export const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]; // milliseconds
/** Less than this is shown with tenths. */
export const TENTHS = 10 * SECOND;

/** Return the milliseconds that are left as `02:37`, `9.4`, or for days `2 d 4 h`. @param {number} left @param {boolean} live */
export function writeTime(left, live) {
  if (!live) {
    const [days, hours] = [Math.floor(left / DAY), Math.floor((left % DAY) / HOUR)];
    if (days) return t("{days} d {hours} h", { days, hours });
    return hours ? t("{hours} h", { hours }) : t("{minutes} min", { minutes: Math.floor(left / MINUTE) });
  }
  const parts = [left / MINUTE, (left % MINUTE) / SECOND].map((part) => String(Math.floor(part)).padStart(2, "0"));
  return left < TENTHS ? (Math.floor(left / 100) / 10).toFixed(1) : parts.join(":");
}

/** Return the address of a match on this server. @param {App} app @param {string} code */
export function linkOf(app, code) {
  return new URL(code, new URL(app.session.terms?.page ?? "/", location.href)).href;
}

/** @param {Child[]} children */
export const note = (...children) => el("p", { className: "dim" }, ...children);

/** @param {Child[]} children */
export const alarm = (...children) => el("p", { className: "alarm", role: "alert" }, ...children);

/** Return a warning of a server that sends impossible events or ratings. */
export const distrust = () => alarm(t("The server's report of this match contradicts itself. Do not trust it."));

/** The option of commands for this server. */
export const server = () => `--server ${location.origin.replace("http", "ws")}`;

/** Return a note with a command. @param {string} label @param {string[]} words */
export const command = (label, ...words) => note(label, " ", el("code", {}, words.join(" ")));

const PROVISIONAL = 110; // a rating with this deviation or more has a question mark

/** Return a rating, with a question mark if it is provisional. @param {import("./types.js").Rating} rating */
export const writeRating = ({ rating, deviation }) => `${Math.round(rating)}${deviation >= PROVISIONAL ? "?" : ""}`;

/** Return a rounded change of a rating with its sign. @param {number} change */
export const writeChange = (change) => (change > 0 ? "+" : "") + String(change).replace("-", "−");

/** Return the key pegs of an answer as dots. @param {number} black @param {number} white @param {number} pegs */
export function keys(black, white, pegs) {
  const kinds = Array.from({ length: pegs }, (_, index) => (index < black ? "b" : index < black + white ? "w" : "o"));
  const dots = el("span", { className: "keys", "aria-hidden": "true" }, ...kinds.map((className) => el("i", { className })));
  dots.style.setProperty("--columns", String(Math.ceil(pegs / 2)));
  return dots;
}

/** Copy a text, also on a page without TLS. @param {App} app @param {string} text */
export async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const area = el("textarea", { value: text, readOnly: true });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    if (!copied) return void app.ask(t("Your browser does not allow copying. Please select the text."), text, t("Close"));
  }
  return app.say(t("Copied."));
}

/** Offer `data` to the share sheet of the device, otherwise copy its text. @param {App} app @param {ShareData} data */
export async function share(app, data) {
  try {
    await navigator.share(data);
  } catch (error) { // it is missing, or was refused
    if (/** @type {Error} */ (error).name !== "AbortError") await copy(app, data.url ?? data.text ?? "");
  }
}
