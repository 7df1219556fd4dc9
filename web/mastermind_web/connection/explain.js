// The sentences of refusals, and of rare states of the connection. They load with the other texts.

import { fill, t, texts } from "../texts.js";

/** @import {Values} from "../types.js" */

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

/** Return what to do if the server sends files, but no WebSocket opens. */
export const describeBlocked = () => t("The server sends files, but no WebSocket opens. If this lasts, try another network, or turn off extensions, VPN and proxy.");

/** Return that the server has forgotten the visitor's player. */
export const describeForgotten = () => t("The server does not know your player any more: you are a new one, without that player's matches.");
