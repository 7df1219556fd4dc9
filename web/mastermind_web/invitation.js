// A match with a free seat.

import { describeClock } from "./clock.js";
import { button, command, copy, describeRules, el, field, form, input, linkOf, nameField, nameOf, share, submitButton, useName } from "./elements.js";
import { playersOf } from "./game.js";
import { n, t } from "./texts.js";

/** @typedef {import("./main.js").App} App */

/**
 * Show a match with a free seat: the link to send, or the invitation to take the seat.
 * @param {App} app @param {string} code @param {import("./game.js").Match} match
 */
export function invitation(app, code, match) {
  const [there] = playersOf(match);
  const { reserved, previous, rated, rounds } = match.opened;
  const me = app.session.player?.id;
  const terms = [
    el("p", {}, describeRules(match.rules)),
    rounds > 1 && el("p", {}, n("{number} round; you swap seats after each.", "{number} rounds; you swap seats after each.", rounds)),
    match.clock && el("p", {}, describeClock(match.clock)),
    rated && el("p", {}, t("Rated: no advice, no bots.")),
  ];
  const close = async () => {
    await app.session.perform(code, "leave");
    app.go("/");
  };
  if (there?.id === me && reserved && !previous) return app.challenges().then((it) => it.showOwn(app, close, terms));
  if (there?.id === me) {
    const link = linkOf(app, code);
    const shown = input("text", { value: link, readOnly: true, onfocus: () => shown.select() });
    app.show(
      previous ? t("Waiting for a rematch") : t("Your invitation"),
      el("div", { className: "card" }, el("p", {}, previous ? t("The other player is asked. The match starts when they accept.") : t("Send this link. The match starts when your friend takes the seat.")), field(t("Link"), shown)),
      el(
        "div", { className: "buttons" },
        "share" in navigator && button(t("Share"), () => share(app, { title: t("Mastermind"), text: t("Play Mastermind with me:"), url: link }), "btn main"),
        button(t("Copy the link"), () => copy(app, link), "share" in navigator ? "btn" : "btn main"),
        button(t("Close the invitation"), () => app.attempt(close)),
      ),
      el("div", { className: "card" }, ...terms),
      command(t("In a terminal:"), "mastermind join", link),
    );
    return;
  }
  const name = nameField(app);
  const take = async () => {
    await useName(app, name);
    await app.session.request("join", { match: code });
  };
  const free = !reserved || reserved === me;
  app.show(
    t("{name} invites you", { name: nameOf(there?.name) }),
    el("div", { className: "card" }, ...terms, el("p", {}, match.maker ? t("You break a code.") : t("You hide a code."), " ", rounds > 1 && t("Then the seats change."))),
    free ? form(app, take, field(t("Your name"), name), submitButton(t("Take the seat"))) : el("p", {}, t("The seat is kept for another player.")),
    el("p", { className: "center" }, button(t("only watch"), () => app.watch(code), "link"), " · ", button(t("how to play"), () => app.help(), "link")),
  );
}
