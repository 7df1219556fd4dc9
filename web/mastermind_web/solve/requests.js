// What the helper and puzzles ask the server, and how they read their addresses.

import { Refusal } from "../connection/connection.js";
import { findRules } from "../game/rules.js";
import { t } from "../texts.js";

/**
 * Return the answer to a request. Rejects with a Refusal, also by a server of an earlier version.
 * @param {import("../connection/session.js").Session} session
 * @param {"analyse" | "puzzle"} op @param {{[field: string]: unknown}} fields
 */
export async function ask(session, op, fields) {
  try {
    return await session.request(op, fields);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "unknown_message") throw error;
    const message = t("This server has no helper and no puzzles: its version is older.");
    throw new Refusal({ code: "unsupported", message });
  }
}

/** Return the rules of an address. Throws a Refusal. @param {string} name */
export function readRules(name) {
  try {
    return findRules(decodeURIComponent(name));
  } catch {
    throw new Refusal({ code: "invalid_rules", message: `unknown rules: ${name}` });
  }
}
