// The test vectors of docs/protocol, and the texts of the page.

import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";

import { fold } from "../../../web/mastermind_web/game/fold.js";
import { useTexts } from "../../../web/mastermind_web/texts.js";

const ROOT = new URL("../../../", import.meta.url);
export const readFile = (path) => readFileSync(new URL(path, ROOT), "utf-8");
export const readJson = (path, reviver) => JSON.parse(readFile(path), reviver);

export const fromHex = (hex) =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const toHex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return the vectors of a file, with bytes in place of maps such as {"$hex": "00ff"}. */
export function readVectors(name) {
  return readJson(`docs/protocol/vectors/${name}.json`, (_key, value) =>
    value?.$hex === undefined ? value : fromHex(value.$hex),
  );
}

/** The matches of the vectors, by name, and their folds. */
export const FOLDS = readVectors("folds");
export const find = (name) => FOLDS.find((vector) => vector.name === name);
export const foldAll = ({ rows }) => fold(rows.map(({ v, events, at }) => [v, events, at]));

/** Return all texts of a language, as they are after `loadMoreTexts`. */
export function readTexts(language) {
  const [first, { sentences, plurals, ...others }] = ["", "-more"].map((suffix) =>
    readJson(`web/mastermind_web/texts/${language}${suffix}.json`),
  );
  Object.assign(first.sentences, sentences);
  Object.assign(first.plurals, plurals);
  return { ...first, ...others };
}
useTexts(readTexts("en"));
globalThis.crypto ??= webcrypto; // Node 18

/** Return `value` with the usual prototypes in place of none, for deep comparisons. */
export function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plain(of)]));
}
