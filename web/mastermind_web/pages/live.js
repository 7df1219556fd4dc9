// A running match in small. On a desktop, home draws it from snapshots: its visitors follow no
// match, and are no spectators.

import { el, keys, nameOf, tile } from "../elements.js";
import { findRules } from "../game/rules.js";
import { describeFeedback, spell } from "../match/sentences.js";
import { t } from "../texts.js";

const PAUSE = 10_000; // milliseconds between two snapshots: each may make the server load a match
const desktop = matchMedia("(min-width: 56rem)"); // two columns, as in style.css

/** The last snapshot, with the rules. It outlives a visit of home. @type {any} */
let snapshot;
let askedAt = -Infinity;

/**
 * Request the snapshot of a running match, if it can be seen, and the last request is old enough.
 * Rejects with a RangeError for unknown rules.
 * @param {import("../visit.js").App} app @param {{match: string, rules: string}} listed
 */
export async function refreshSnapshot({ session, signal }, { match, rules }) {
  const isSeen = desktop.matches && !document.hidden && !signal.aborted;
  const isDue = performance.now() >= askedAt + PAUSE;
  if (!isSeen || !isDue || !session.terms?.can.includes("snapshot")) return;
  askedAt = performance.now();
  snapshot = { rules: findRules(rules), ...await session.request("snapshot", { match }) };
}

/**
 * Return a match in small: its last guesses or, before the first one, who moves.
 * @param {any} listed a running match
 */
export function describeSnapshot({ match, maker, breaker }) {
  if (!desktop.matches || snapshot?.match !== match) return undefined;
  const { rules, phase, guesses: number, turns = [] } = snapshot;
  const last = turns.at(-1);
  if (!last) {
    const names = { maker: nameOf(maker), breaker: nameOf(breaker) };
    return el("p", { className: "dim" }, phase === "setting"
      ? t("{name} is hiding a code.", { name: names.maker })
      : t("{breaker} looks for the code of {maker}.", names));
  }
  const { letters, write } = spell(rules);
  const lines = turns.map((/** @type {import("../types.js").Turn} */ { code, black, white }) => el(
    "div", { className: "line" },
    el(
      "span", { className: "pegs small", style: { "--pegs": rules.pegs } },
      ...code.map((colour) => tile(rules.palette[colour], letters[colour])),
    ),
    keys(black, white, rules.pegs),
  ));
  const answer = describeFeedback(last, rules);
  const label = t("Guess {number}, {pegs}: {answer}.", { number, pegs: write(last.code), answer });
  return el("div", { className: "snapshot", role: "img", "aria-label": label }, ...lines);
}
