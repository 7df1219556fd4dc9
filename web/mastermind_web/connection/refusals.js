// Refusals of requests, and their sentences.

import { fill, texts } from "../texts.js";

/** @import {Values} from "../types.js" */

/** A refused request. `message` is in English: `explain` has the player's language. */
export class Refusal extends Error {
  /**
   * @param {{code: string, message: string, details?: {reason?: string, [name: string]: unknown},
   *     retry_after?: number, limit?: unknown, field?: string}} error as the server sends it
   */
  constructor({ code, message, details: { reason, ...values } = {}, retry_after, limit, field }) {
    super(message);
    this.code = code;
    this.reason = reason;
    /** @type {Values} */
    this.values = { limit, retry_after: retry_after && Math.ceil(retry_after), ...values };
    this.retryAfter = retry_after;
    this.field = field;
  }
}

/**
 * What the code `invalid_message` means if this field of a request has the wrong form.
 * @type {{[field: string]: string}}
 */
const FORMS = {
  transfer: "unknown_transfer",
  name: "invalid_name",
  match: "unknown_match",
  player: "unknown_player",
  rules: "invalid_rules",
  clock: "invalid_clock",
  text: "invalid_text",
};

/**
 * Return the sentence of a refusal: that of its reason, if the reason and all its values are known.
 * Otherwise it is the meaning of the code; of an unknown code, the server's English message.
 * @param {{code: string, reason?: string, message: string, values: Values, field?: string}} refusal
 */
export function explain({ code, reason, message, values, field = "" }) {
  const sentence = texts.reasons[reason ?? ""];
  const written = fill(sentence ?? "", values);
  if (sentence && !/\{\w+\}/.test(written)) return written;
  const meant = (code === "invalid_message" && FORMS[field]) || code;
  return texts.codes[meant] ?? message;
}
