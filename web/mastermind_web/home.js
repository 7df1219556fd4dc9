// The start page.

import { command, el, field, form, input, join, link, nameOf, note, refill, server, writeTime } from "./elements.js";
import { n, t, texts } from "./texts.js";

/** @typedef {import("./main.js").App} App */

/** Return a field for a code. @param {string} label */
export const codeField = (label) => field(label, input("text", { name: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: false, required: true }));

/** Return a link that looks like a card. @param {string} href @param {string} title @param {(Node | string)[]} lines */
export function card(href, title, ...lines) {
  return el("a", { className: "card", href }, el("h2", {}, title), ...lines.map((line) => el("p", {}, line)));
}

/** Return the terms of a listed match. @param {{rules: string, rounds: number, rated?: boolean, clock?: string}} listed */
export function describeTerms({ rules, rounds, rated, clock }) {
  return join(", ", rules, rounds > 1 && n("{number} round", "{number} rounds", rounds), clock, rated && t("rated"));
}

/** Return the code in a code or link, without the characters that chats append to links. @param {string} text */
export const readCode = (text) => (new RegExp(`([a-z0-9-]*[a-z0-9])${texts.linkEnd}$`, "i").exec(text)?.[1] ?? "").toUpperCase();

const REFRESH = 10_000; // milliseconds, as in a terminal

/** @param {App} app */
export async function home(app) {
  const own = el("div", { className: "list" });
  const refresh = async () => {
    const { matches } = await app.session.request("own");
    refill(own, ...matches.map(continueCard));
  };
  const refreshed = refresh();
  if (!app.session.player) await refreshed; // otherwise home is there without a connection
  const open = async (/** @type {any} */ { code }) => app.go(`/${readCode(code)}`);
  const wheel = document.querySelector("meta[name=wheel]")?.getAttribute("content");
  app.show(
    t("Mastermind"),
    own,
    card("/#bot", t("Play a bot"), t("It hides a code, or breaks yours.")),
    card("/#invite", t("Invite a friend"), t("You get a link to send.")),
    card("/#anyone", t("Play with anyone"), t("You meet the next player who wants this game.")),
    card("/#watch", t("Watch a match"), t("People who play now, or two bots.")),
    card("/#leaders", t("Leaderboard"), t("Rated matches between people.")),
    card("/#how", t("How to play"), t("In a minute, with an example.")),
    form(app, open, codeField(t("Code or link of a match")), el("button", { className: "btn" }, t("Open the match"))),
    note(t("You are {name}.", { name: app.session.player?.name }), " ", link("/#you", t("Name and devices"))),
    command(t("In a terminal:"), "mastermind play", server()),
    wheel ? command(t("Install it by:"), "pipx install", String(new URL(wheel, location.href))) : false,
  );
  // After each answer: while the page is offline, requests wait, and must not pile up. A refused one is followed by another.
  const poll = () => setTimeout(() => own.isConnected && refresh().catch(() => {}).finally(poll), REFRESH);
  refreshed.catch(() => {}).finally(poll);
}

/** @param {any} own one unfinished match */
function continueCard(own) {
  const standing = !own.opponent ? t("waiting for a player") : own.turn ? t("your turn") : t("their turn");
  const name = own.opponent ? nameOf(own.opponent) : t("Free seat");
  const left = own.until && ` (${writeTime(Math.max(0, own.until - Date.now()), false)})`;
  return card(`/${own.match}`, t("Continue"), el("span", {}, el("b", {}, name), ` · ${standing}${left ?? ""} · ${describeTerms(own)}`));
}
