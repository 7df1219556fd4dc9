// Challenges: those to the visitor, on every page, one to another player, and own matches that wait.

import { button, command, copy, el, field, find, input, linkOf, nameOf, share } from "./elements.js";
import { describeOffer } from "./sentences.js";
import { t } from "./texts.js";

/** @typedef {import("./main.js").App} App */
/** @typedef {import("./game.js").Opened} Opened */
/** @typedef {import("./session.js").Message} Message */

/** The terms of the visitor's challenges, as of those from a terminal. Each of the two hides a code once. */
const TERMS = { rounds: 2, rated: true, clock: "5+3" };
const MARK = "● ";

/** The challenges that wait for the visitor, by match. @type {Map<string, {name: string, banner: HTMLElement}>} */
const waiting = new Map();

/** Mark the title of the tab while a challenge waits. */
function markTitle() {
  const { title } = document;
  if (title.startsWith(MARK) !== waiting.size > 0) document.title = waiting.size > 0 ? MARK + title : title.slice(MARK.length);
}
new MutationObserver(markTitle).observe(/** @type {Node} */ (document.querySelector("title")), { childList: true });

/** @param {string} match */
function remove(match) {
  waiting.get(match)?.banner.remove();
  waiting.delete(match);
  markTitle();
}

/** Remove all challenges to the visitor. */
export function removeAll() {
  for (const match of waiting.keys()) remove(match);
}

/** Show a challenge to the visitor, or remove one that has ended. @param {App} app @param {Message} message */
export function showChallenge(app, message) {
  const { op, match, how } = message;
  if (op === "challenged") return ask(app, message);
  const { name } = waiting.get(match) ?? {};
  remove(match);
  if (name && how === "withdrawn") app.say(t("{name} takes the challenge back.", { name }));
  if (name && how === "expired") app.say(t("The challenge of {name} has expired.", { name }));
}

/** @param {App} app @param {any} challenged */
function ask(app, challenged) {
  const { match, by, seconds } = challenged;
  remove(match);
  const answer = (/** @type {string} */ op) => () => app.attempt(async () => {
    await app.session.request(op, { match });
    remove(match);
    if (op === "join") app.go(`/${match}`);
  });
  const name = nameOf(by.name);
  const banner = el(
    "section", { className: "card", role: "alert" },
    el("b", {}, t("{name} challenges you.", { name })), el("p", {}, describeOffer(challenged).join(" ")),
    el("div", { className: "buttons" }, button(t("Accept"), answer("join"), "btn main"), button(t("Decline"), answer("decline"))),
  );
  waiting.set(match, { name, banner });
  find("main").before(banner);
  markTitle();
  setTimeout(() => waiting.get(match)?.banner === banner && remove(match), seconds * 1000);
}

/** Show a match of the visitor that waits for the other player. @param {App} app @param {string} code @param {Opened} opened @param {Node[]} terms */
export function showOwn(app, code, { reserved, previous }, terms) {
  const asked = el("p", {}, t("The other player is asked. The match starts when they accept."));
  const closer = (/** @type {string} */ label) => button(label, () => app.attempt(async () => {
    await app.session.perform(code, "leave");
    app.go("/");
  }));
  if (reserved && !previous) {
    app.show(t("Your challenge"), el("div", { className: "card" }, asked, ...terms), closer(t("Take it back")));
    return;
  }
  const link = linkOf(app, code);
  const shown = input("text", { value: link, readOnly: true, onfocus: () => shown.select() });
  app.show(
    previous ? t("Waiting for a rematch") : t("Your invitation"),
    el("div", { className: "card" }, previous ? asked : el("p", {}, t("Send this link. The match starts when your friend takes the seat.")), field(t("Link"), shown)),
    el(
      "div", { className: "buttons" },
      "share" in navigator && button(t("Share"), () => share(app, { title: t("Mastermind"), text: t("Play Mastermind with me:"), url: link }), "btn main"),
      button(t("Copy the link"), () => copy(app, link), "share" in navigator ? "btn" : "btn main"),
      closer(t("Close the invitation")),
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
