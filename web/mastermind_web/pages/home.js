// The start page.

import { Refusal } from "../connection/connection.js";
import { DAY, MINUTE, el, join, link, note, tile, writeTime } from "../elements.js";
import { field, input, makeForm, submitButton } from "../fields.js";
import { loadWithTexts, n, t, texts } from "../texts.js";

/** @typedef {import("../visit.js").App} App */

const REFRESH = 10_000; // milliseconds, as in a terminal
const DAY_AGE = 60_000; // milliseconds: the numbers of the day change slowly
const FINISH = 30 * MINUTE; // after its day a running try can be finished

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
  /** @type {import("../elements.js").Child} */
  let own;
  /** @type {Awaited<ReturnType<typeof import("./overview.js").openOverview>> | undefined} */
  let overview;
  /** @type {any} */
  let today;
  const loadOverview = () => app.load(() => loadWithTexts(import("./overview.js")));
  const open = makeForm(app, async ({ code }) => app.go(`/${readCode(code)}`));
  const view = () => {
    const more = overview?.lines ?? {};
    const tiles = [
      makeTile("bot", t("Play a bot"), t("It hides a code, or breaks yours."), "red green blue yellow"),
      makeTile("invite", t("Invite a friend"), t("You get a link to send."), "orange purple"),
      makeTile(
        "anyone", t("Play with anyone"),
        more.anyone || t("You meet the next player who wants this game."), "yellow green",
      ),
      makeTile(
        "watch", t("Watch a match"), more.watch || t("People who play now, or two bots."),
        "purple yellow orange",
      ),
      makeTile("leaders", t("Leaderboard"), t("Rated matches between people."), "red blue"),
      makeTile("how", t("How to play"), t("In a minute, with an example."), "green"),
    ];
    const opening = open.view(
      codeField(t("Code or link of a match")), submitButton(t("Open the match"), "btn"),
    );
    const left = [
      today && describeDay(today),
      own,
      el("nav", { className: "tiles" }, ...tiles, ...(overview?.tiles ?? [])),
      el("div", { className: "inline" }, opening),
    ];
    const right = [
      ...(overview?.view() ?? []),
      note(
        t("You are {name}.", { name: session.player?.name }), " ",
        el(
          "span", { className: "whole" },
          link("/#you", t("Name and devices")), " · ", link("/#settings", t("Settings")),
        ),
      ),
      ...(overview?.commands ?? []),
    ];
    return {
      about: [link("/#you", join(" ", session.player?.name, overview?.rating), "btn")],
      page: [
        el(
          "div", { className: "two" },
          el("div", { className: "col" }, ...left), el("div", { className: "col" }, ...right),
        ),
      ],
    };
  };
  /** @type {ReturnType<typeof import("../device/attention.js").openTurns> | undefined} */
  let callForTurns;
  const readDay = async () => {
    const isKnown = session.terms?.can.includes("day") ?? true; // before the first answer
    if (!isKnown || Date.now() < today?.readAt + DAY_AGE) return;
    let found = await session.request("day");
    if (found.now % DAY < FINISH && found.day > 0) {
      const before = await session.request("day", { day: found.day - 1 });
      if (before.own && !before.own.how) found = before;
    }
    today = { ...found, readAt: Date.now() };
  };
  const refresh = async () => {
    const reading = readDay().catch((error) => { // home is there without it
      if (!(error instanceof Refusal)) throw error;
    });
    const { matches } = await session.request("own");
    own = matches.length > 0 && (await loadOverview()).describeOwn(matches);
    app.draw();
    if (matches.length > 0 && !callForTurns) {
      const { openTurns } = await app.load(() => loadWithTexts(import("../device/attention.js")));
      callForTurns = openTurns(app);
    }
    callForTurns?.(matches);
    await reading;
  };
  const refreshOverview = async () => {
    if (document.hidden) return;
    overview ??= await (await loadOverview()).openOverview(app);
    await overview.refresh();
    app.draw();
  };
  // The next after each answer: while the page is offline, requests wait, and must not pile up. A
  // refused one is followed by another. A hidden page calls for turns in unfinished matches.
  const poll = (/** @type {Promise<void>} */ refreshed) => {
    refreshed.then(refreshOverview).catch(() => {}).finally(() => setTimeout(async () => {
      if (document.hidden && !own) await becomesVisible();
      if (!app.signal.aborted) poll(refresh());
    }, REFRESH));
  };
  const refreshed = refresh();
  if (!session.player) await refreshed; // otherwise home is there without a connection
  app.show(t("Mastermind"), view);
  poll(refreshed);
}

const becomesVisible = () => new Promise((resolve) => {
  document.addEventListener("visibilitychange", resolve, { once: true });
});

/**
 * Return a tile that leads to a page.
 * @param {string} page @param {string} title @param {string} line @param {string} colours of pegs
 */
export function makeTile(page, title, line, colours) {
  const pegs = colours.split(" ").map((colour) => tile(colour, ""));
  return el(
    "a", { className: "card tile", href: `/#${page}` },
    el("span", { className: "icon", "aria-hidden": "true" }, ...pegs),
    el("h2", {}, title), el("p", {}, line),
  );
}

/**
 * Return the code of the day: the way to it, or what the visitor has reached.
 * @param {any} found the answer, with the time `readAt` of this device at which it was read
 */
function describeDay({ day, today, now, readAt, state, own, streak }) {
  const next = DAY - now % DAY - (Date.now() - readAt); // milliseconds until the next code
  const isOver = own?.how || state === "withdrawn";
  const running = own && !isOver;
  const left = writeTime(Math.max(0, running ? next + FINISH - (today - day) * DAY : next), false);
  const row = n("{number} day in a row", "{number} days in a row", streak.current ?? 0);
  const { pegs, guesses } = texts.presets.classic;
  const sealed = Array.from({ length: pegs }, () => tile("sealed", "?"));
  const style = { "--pegs": pegs };
  return el(
    "section", { className: "card today" },
    el(
      "h2", {}, day === today ? t("Today's code") : t("Code {day}", { day }), " ",
      day === today && el("small", {}, day),
    ),
    own?.how
      ? el("b", {}, `${own.guesses || "X"}/${guesses}`)
      : el("div", { className: "pegs", "aria-hidden": "true", style }, ...sealed),
    el(
      "div", { className: "buttons" },
      running ? link(`/${own.match}`, t("Continue"), "btn main big")
        : isOver ? link("/#day", own ? t("Your result") : t("Today's code"), "btn big")
        : link("/#day", t("Break it"), "btn main big"),
      el(
        "p", {},
        ...isOver
          ? [t("Next code in {time}", { time: left }), ". "]
          : [t("One code for everybody, one try."), " ", t("{time} left.", { time: left }), " "],
        streak.current > 0 && el("b", {}, row),
      ),
    ),
  );
}
