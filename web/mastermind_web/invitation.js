// A match with a free seat.

import { button, el, form, nameField, nameOf, submitButton, useName } from "./elements.js";
import { playersOf } from "./game.js";
import { describeOffer } from "./sentences.js";
import { t } from "./texts.js";

/** @typedef {import("./main.js").App} App */

/**
 * Show a match with a free seat: the invitation to take it, or to its owner the link to send.
 * @param {App} app @param {string} code @param {import("./game.js").Match} match
 */
export async function showInvitation(app, code, match) {
  const [there] = playersOf(match);
  const { reserved, rounds } = match.opened;
  const me = app.session.player?.id;
  const terms = describeOffer(match.opened).map((sentence) => el("p", {}, sentence));
  if (there?.id === me) return (await app.challenges()).showOwn(app, code, match.opened, terms);
  const take = async (/** @type {any} */ { name }) => {
    await useName(app, name);
    await app.session.request("join", { match: code });
  };
  const free = !reserved || reserved === me;
  app.show(
    t("{name} invites you", { name: nameOf(there?.name) }),
    el("div", { className: "card" }, ...terms, el("p", {}, match.maker ? t("You break a code.") : t("You hide a code."), " ", rounds > 1 && t("Then the seats change."))),
    free ? form(app, take, nameField(app), submitButton(t("Take the seat"))) : el("p", {}, t("The seat is kept for another player.")),
    el("p", { className: "center" }, button(t("only watch"), () => app.watch(code), "link"), " · ", button(t("how to play"), () => app.help(), "link")),
  );
}
