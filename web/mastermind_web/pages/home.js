// The start page.

import {
  card, command, el, field, input, join, link, makeForm, nameOf, note, server, submitButton,
  writeTime,
} from "../elements.js";
import { n, t, texts } from "../texts.js";

/** @typedef {import("../main.js").App} App */

const REFRESH = 10_000; // milliseconds, as in a terminal

/** Return a field for a code. @param {string} label */
export function codeField(label) {
  const properties = { autocomplete: "off", autocapitalize: "characters", spellcheck: false };
  return field(label, input("text", { name: "code", required: true, ...properties }));
}

/**
 * Return the terms of a listed match.
 * @param {{rules: string, rounds: number, rated?: boolean, clock?: string}} listed
 */
export function describeTerms({ rules, rounds, rated, clock }) {
  const length = rounds > 1 && n("{number} round", "{number} rounds", rounds);
  return join(", ", rules, length, clock, rated && t("rated"));
}

/**
 * Return the code in a code or link, without the characters that chats append to links.
 * @param {string} text
 */
export function readCode(text) {
  const found = new RegExp(`([a-z0-9-]*[a-z0-9])${texts.linkEnd}$`, "i").exec(text);
  return (found?.[1] ?? "").toUpperCase();
}

/** @param {App} app */
export async function home(app) {
  const { session } = app;
  /** @type {any[]} */
  let own = [];
  const open = makeForm(app, async ({ code }) => app.go(`/${readCode(code)}`));
  const wheel = document.querySelector("meta[name=wheel]")?.getAttribute("content");
  const view = () => [
    el("div", { className: "list" }, ...own.map(continueCard)),
    card("/#bot", t("Play a bot"), t("It hides a code, or breaks yours.")),
    card("/#invite", t("Invite a friend"), t("You get a link to send.")),
    card("/#anyone", t("Play with anyone"), t("You meet the next player who wants this game.")),
    card("/#watch", t("Watch a match"), t("People who play now, or two bots.")),
    card("/#leaders", t("Leaderboard"), t("Rated matches between people.")),
    card("/#how", t("How to play"), t("In a minute, with an example.")),
    open.view(codeField(t("Code or link of a match")), submitButton(t("Open the match"), "btn")),
    note(
      t("You are {name}.", { name: session.player?.name }), " ",
      link("/#you", t("Name and devices")), " · ", link("/#settings", t("Settings")),
    ),
    command(t("In a terminal:"), "mastermind play", server()),
    wheel && command(t("Install it by:"), "pipx install", String(new URL(wheel, location.href))),
  ];
  const refresh = async () => {
    own = (await session.request("own")).matches;
    app.draw();
  };
  // After each answer: while the page is offline, requests wait, and must not pile up. A refused
  // one is followed by another.
  const poll = () => setTimeout(() => {
    if (!app.signal.aborted) refresh().catch(() => {}).finally(poll);
  }, REFRESH);
  const refreshed = refresh();
  if (!session.player) await refreshed; // otherwise home is there without a connection
  app.show(t("Mastermind"), view);
  refreshed.catch(() => {}).finally(poll);
}

/** @param {any} own one unfinished match */
function continueCard(own) {
  const standing = !own.opponent ? t("waiting for a player")
    : own.turn ? t("your turn")
    : t("their turn");
  const name = own.opponent ? nameOf(own.opponent) : t("Free seat");
  const left = own.until && ` (${writeTime(Math.max(0, own.until - Date.now()), false)})`;
  const about = ` · ${standing}${left ?? ""} · ${describeTerms(own)}`;
  return card(`/${own.match}`, t("Continue"), el("span", {}, el("b", {}, name), about));
}
