// The elements of pages: their description and drawing, what several pages show, and how it is
// written.

import { t } from "./texts.js";

/**
 * @typedef {{[name: string]: any}} Properties Properties of the element, or attributes. `key`
 *     identifies an element among its siblings, `style` has custom properties of CSS.
 * @typedef {{tag: string, properties: Properties, children: Child[]}} Description
 * @typedef {Description | string | number | false | null | undefined} Child
 */

// ---- Drawing

/**
 * Return the description of an element. Texts become text nodes, and never markup. The tag of an
 * element of SVG begins with "svg:".
 * @param {string} tag @param {Properties} [properties] @param {Child[]} children
 * @returns {Description}
 */
export const el = (tag, properties = {}, ...children) => ({ tag, properties, children });

const SVG = "svg:";
const NAMESPACE = "http://www.w3.org/2000/svg";
/** What was last drawn as each element. @type {WeakMap<Node, Description>} */
const drawn = new WeakMap();

/**
 * Draw the described children of `parent`. Elements that are there with the same tag and key stay,
 * so they keep their focus, their entered values and their animations; only changed properties are
 * set.
 * @param {Element} parent @param {Child[]} children
 */
export function draw(parent, ...children) {
  const wanted = children.map((child) => child || (child === 0 ? "0" : "")); // each has its place
  const keyOf = (/** @type {any} */ child) => child.properties?.key;
  const keys = new Set(wanted.map(keyOf));
  for (const node of [...parent.childNodes]) {
    const key = keyOf(drawn.get(node) ?? {});
    if (key !== undefined && !keys.has(key)) node.remove();
  }
  for (const [index, child] of wanted.entries()) {
    const there = parent.childNodes[index];
    const key = keyOf(child);
    const kept = key === undefined || keyOf(drawn.get(there) ?? {}) === key
      ? there
      : [...parent.childNodes].find((node) => keyOf(drawn.get(node) ?? {}) === key);
    const node = drawNode(kept, child);
    if (node === there) continue;
    if (kept === there && there) there.replaceWith(node);
    else parent.insertBefore(node, there ?? null);
  }
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

/**
 * Return the node of `child`: `node`, if it fits, or another one.
 * @param {any} node @param {any} child
 */
function drawNode(node, child) {
  if (typeof child !== "object") {
    const text = node instanceof Text ? node : new Text();
    set(text, "data", String(child));
    return text;
  }
  const { tag, properties, children } = child;
  const before = drawn.get(node);
  const fits = before !== undefined && before.tag === tag
    && before.properties.key === properties.key;
  const element = fits ? node
    : tag.startsWith(SVG) ? document.createElementNS(NAMESPACE, tag.slice(SVG.length))
    : document.createElement(tag);
  draw(element, ...children); // before the properties: the value of a select is one of its options
  const former = fits ? before.properties : {};
  for (const each of new Set([...Object.keys(former), ...Object.keys(properties)])) {
    if (former[each] !== properties[each]) change(element, each, properties[each]);
  }
  drawn.set(element, child);
  return element;
}

/** @param {any} element @param {string} name @param {any} value */
function change(element, name, value) {
  if (name === "key") return;
  if (name === "style") {
    for (const [each, text] of Object.entries(value ?? {})) element.style.setProperty(each, text);
  } else if (name in element && element instanceof HTMLElement) {
    const isText = typeof (/** @type {any} */ (element)[name]) === "string";
    Object.assign(element, { [name]: value ?? (isText ? "" : null) });
  } else if (value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Return the element of index.html. @param {string} id */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Set a property only if it changes, so that nothing is announced or drawn again.
 * @template {Node} E @param {E} element @param {keyof E} name @param {any} value
 */
export function set(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

// ---- Parts of pages

/**
 * @param {string} label @param {(event: Event) => unknown} onclick @param {string} [className]
 * @param {Properties} [others]
 */
export const button = (label, onclick, className = "btn", others = {}) => (
  el("button", { type: "button", className, onclick, ...others }, label)
);

/** @param {string} href @param {Child} label @param {string} [className] */
export const link = (href, label, className = "") => el("a", { href, className }, label);

/** Return a tile. @param {string} colour @param {string} letter */
export const tile = (colour, letter) => el("span", { className: `peg ${colour}` }, letter);

/** @param {Child[]} children */
export const note = (...children) => el("p", { className: "dim" }, ...children);

/** @param {Child[]} children */
export const alarm = (...children) => el("p", { className: "alarm", role: "alert" }, ...children);

/**
 * Return the key pegs of an answer as dots.
 * @param {number} black @param {number} white @param {number} pegs
 */
export function keys(black, white, pegs) {
  const kinds = Array.from({ length: pegs }, (_, index) => (
    index < black ? "b" : index < black + white ? "w" : "o"
  ));
  const dots = kinds.map((className, index) => el("i", { className, style: { "--i": index } }));
  const style = { "--columns": Math.ceil(pegs / 2) };
  return el("span", { className: "keys", "aria-hidden": "true", style }, ...dots);
}

// ---- Texts

/**
 * Return the parts that are there as one text.
 * @param {string} separator @param {(string | false | 0 | null | undefined)[]} parts
 */
export const join = (separator, ...parts) => parts.filter(Boolean).join(separator);

/** @param {string | undefined} name */
export const nameOf = (name) => name || t("Someone");

export const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]; // milliseconds
/** Less than this is shown with tenths. */
export const TENTHS = 10 * SECOND;

/**
 * Return the milliseconds that are left as `02:37`, `9.4`, or for days `2 d 4 h`.
 * @param {number} left @param {boolean} live
 */
export function writeTime(left, live) {
  if (!live) {
    const [days, hours] = [Math.floor(left / DAY), Math.floor((left % DAY) / HOUR)];
    if (days) return t("{days} d {hours} h", { days, hours });
    if (hours) return t("{hours} h", { hours });
    return t("{minutes} min", { minutes: Math.floor(left / MINUTE) });
  }
  if (left < TENTHS) return (Math.floor(left / 100) / 10).toFixed(1);
  const parts = [left / MINUTE, (left % MINUTE) / SECOND].map(Math.floor);
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const PROVISIONAL = 110; // a rating with this deviation or more has a question mark

/**
 * Return a rating, with a question mark if it is provisional.
 * @param {import("./types.js").Rating} rating
 */
export function writeRating({ rating, deviation }) {
  return `${Math.round(rating)}${deviation >= PROVISIONAL ? "?" : ""}`;
}

/** Return a rounded change of a rating with its sign. @param {number} change */
export const writeChange = (change) => (change > 0 ? "+" : "") + String(change).replace("-", "−");
