// Challenges: those to the visitor, on every page, one to another player, and own matches that wait.

import { button, command, copy, el, field, find, input, linkOf, nameOf, set, share } from "./elements.js";
import { describeOffer } from "./invitation.js";
import { t } from "./texts.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./types.js").Match["opened"]} Opened */
/** @typedef {import("./session.js").Message} Message */

/** The terms of the visitor's challenges, as of those from a terminal. Each of the two hides a code once. */
const TERMS = { rounds: 2, rated: true, clock: "5+3" };
const MARK = "● ";

/** Marks the title of the tab while a challenge to the visitor has its banner. */
const marker = new MutationObserver(() => {
  const title = (document.querySelector(".challenge") ? MARK : "") + document.title.replace(MARK, "");
  set(document, "title", title);
});
for (const tag of ["body", "title"]) marker.observe(/** @type {Node} */ (document.querySelector(tag)), { childList: true });

/** @param {string} match */
const findBanner = (match) => find(`challenge-${match}`);

/** Show a challenge to the visitor, or remove one that has ended. @param {App} app @param {Message} message */
export function showChallenge(app, message) {
  const { op, match, how } = message;
  const banner = findBanner(match);
  banner?.remove();
  if (op === "challenged") ask(app, message);
  else if (banner && how === "withdrawn") app.say(banner.dataset.withdrawn ?? "");
  else if (banner && how === "expired") app.say(t("The challenge of {name} has expired.", { name: banner.dataset.name }));
}

/** @param {App} app @param {any} challenged */
function ask(app, challenged) {
  const { match, by, seconds, previous } = challenged;
  const answer = (/** @type {string} */ op) => () => app.attempt(match, async () => {
    await app.session.request(op, { match });
    findBanner(match)?.remove();
    if (op === "join") app.go(`/${match}`);
  });
  const name = nameOf(by.name);
  const [asks, withdrawn] = previous
    ? [t("{name} offers a rematch.", { name }), t("{name} takes the rematch back.", { name })]
    : [t("{name} challenges you.", { name }), t("{name} takes the challenge back.", { name })];
  const banner = el(
    "section", { id: `challenge-${match}`, className: "card challenge", role: "alert", "data-name": name, "data-withdrawn": withdrawn },
    el("b", {}, asks), el("p", {}, describeOffer(challenged).join(" ")),
    el("div", { className: "buttons" }, button(t("Accept"), answer("join"), "btn main"), button(t("Decline"), answer("decline"))),
  );
  find("main").before(banner);
  if (!previous) setTimeout(() => banner.remove(), seconds * 1000); // a rematch waits longer than a timer can
}

/** Show a match of the visitor that waits for the other player. @param {App} app @param {string} code @param {Opened} opened @param {Node[]} terms */
export function showOwn(app, code, { reserved, previous, public: isPublic }, terms) {
  const asked = el("p", {}, t("The other player is asked while online. The match starts when they accept."));
  const closer = (/** @type {string} */ label) => button(label, () => app.attempt("leave", async () => {
    await app.session.perform(code, "leave");
    app.go("/");
  }));
  if (reserved && !previous) {
    app.show(t("Your challenge"), el("div", { className: "card" }, asked, ...terms), closer(t("Take it back")));
    return;
  }
  const link = linkOf(app, code);
  const [title, waits] = previous ? [t("Waiting for a rematch"), asked]
    : isPublic ? [t("Waiting for an opponent"), el("p", {}, t("Anyone may take the seat, also by this link. Then the match starts."))]
    : [t("Your invitation"), el("p", {}, t("Send this link. The match starts when your friend takes the seat."))];
  const shown = input("text", { value: link, readOnly: true, onfocus: () => shown.select() });
  app.show(
    title,
    el("div", { className: "card" }, waits, field(t("Link"), shown)),
    el(
      "div", { className: "buttons" },
      "share" in navigator && button(t("Share"), () => share(app, { title: t("Mastermind"), text: t("Play Mastermind with me:"), url: link }), "btn main"),
      button(t("Copy the link"), () => copy(app, link), "share" in navigator ? "btn" : "btn main"),
      closer(isPublic ? t("Stop waiting") : t("Close the invitation")),
    ),
    el("div", { className: "card" }, ...terms),
    command(t("In a terminal:"), "mastermind join", link),
  );
}

/** Challenge a player to a rated match, after a question. @param {App} app @param {string} player an id @param {string} name @param {string} rules */
export async function challenge(app, player, name, rules) {
  const answer = t("Challenge");
  const terms = describeOffer({ rules, ...TERMS }).join(" ");
  if (await app.ask(t("Challenge {name}?", { name: nameOf(name) }), terms, answer, t("Not now")) !== answer) return;
  const { match } = await app.session.request("challenge", { player, rules, ...TERMS });
  app.go(`/${match}`);
}
