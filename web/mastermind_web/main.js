// The start of the page: its session, its addresses, and what every page uses.

import { Refusal } from "./connection/connection.js";
import { SETTINGS, Session, findStorage, useStorage } from "./connection/session.js";
import { button, draw, el, find, link, tile } from "./elements.js";
import { loadTexts, loadWithTexts, t } from "./texts.js";
import {
  UNLOADED, describe, load, loadExplanations, openVisit, say, showConnection, showWaiting,
} from "./visit.js";

/**
 * @import {Followed} from "./connection/followed.js"
 * @import {Child} from "./elements.js"
 * @import {App, View} from "./visit.js"
 */

const forms = () => loadWithTexts(import("./pages/forms.js"));
const day = () => loadWithTexts(import("./day/day.js"));
const solve = () => loadWithTexts(import("./solve/solve.js"));
const players = () => loadWithTexts(import("./pages/players.js"));
const viewMatch = () => import("./match/match.js");
/** Return the followed matches, whose module loads when the first one is opened. */
const loadMatches = async () => {
  const { matchesOf } = await load(() => import("./connection/followed.js"));
  return matchesOf(app.session);
};
/**
 * The module with each page. A module loads when one of its pages is opened.
 * @type {{[name: string]: () => Promise<{[name: string]: any}>}}
 */
const PAGES = {
  home: () => import("./pages/home.js"),
  bot: forms,
  invite: forms,
  anyone: forms,
  watch: forms,
  leaders: players,
  player: players,
  day,
  days: day,
  solve,
  puzzle: solve,
  people: () => loadWithTexts(import("./pages/people.js")),
  statistics: () => loadWithTexts(import("./pages/statistics.js")),
  review: () => loadWithTexts(import("./pages/review.js")),
  how: () => loadWithTexts(import("./pages/how.js")),
  you: () => loadWithTexts(import("./pages/you.js")),
  settings: () => loadWithTexts(import("./pages/settings.js")),
};

/** Attempts to open a WebSocket until the page looks for the cause: a server restarts in less. */
const MANY_ATTEMPTS = 3;
const REGIONS = ["about", "them", "me", "page", "controls", "talk"];
const dialog = /** @type {HTMLDialogElement} */ (find("dialog"));
const INVITED = "mastermind.invited";
const watched = new Set();
let isFirst = true;
/** @type {ReturnType<typeof import("./match/match.js").openBoard> | undefined} */
let board;
const device = findStorage("localStorage");
const tab = findStorage("sessionStorage");
/** The match code of a shown invitation. The tab keeps it while the page is loaded again. */
let invited = useStorage(tab, (storage) => storage.getItem(INVITED)) ?? "";

const shell = {
  session: new Session({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`,
    match: location.pathname.slice(1).toUpperCase(),
    storage: device,
    onChange: update,
  }),
  challenges: () => load(() => loadWithTexts(import("./pages/challenges.js"))),
  opened: new Set(),
  waiting: new Map(),
  /** @type {App["show"]} */
  show(title, view, isBranded) {
    document.body.className = "";
    setTitle(title, isBranded);
    shell.draw(view);
  },
  draw(/** @type {View} */ view) {
    const described = view();
    /** @type {{[region: string]: Child[]}} */
    const regions = Array.isArray(described) ? { page: described } : described;
    const focused = document.activeElement;
    for (const region of REGIONS) draw(find(region), ...(regions[region] ?? []));
    if (focused?.closest("[hidden]") || focused?.isConnected === false) moveFocus();
  },
  go(/** @type {string} */ path) {
    history.pushState(null, "", path);
    open();
  },
  watch(/** @type {string} */ code) {
    watched.add(code);
    open();
  },
  restart: start,
  /** @type {App["help"]} */
  help: (rules) => app.attempt("help", async () => {
    const { help } = await load(() => loadWithTexts(import("./pages/how.js")));
    help(rules);
  }),
};
/** For what is on every page. */
const app = openVisit(shell);
let page = openVisit(shell);

/** Return the title as a row of tiles. */
function banner() {
  const colours = "purple yellow green orange red blue purple blue green orange".split(" ");
  return [..."MASTERMIND"].map((letter, index) => tile(colours[index], letter));
}

/** @param {string} title @param {boolean} [isBranded] */
function setTitle(title, isBranded = false) {
  const isHome = location.pathname === "/" && !location.hash;
  find("home").hidden = isHome;
  const name = t("Mastermind");
  const isName = isBranded || (isHome && title === name); // otherwise why home cannot be shown
  draw(find("title"), ...(isName ? banner() : [title]));
  find("title").ariaLabel = isName ? name : null;
  document.title = isHome ? title : `${title} - Mastermind`;
}

/** @param {string} code */
function setInvited(code) {
  invited = code;
  useStorage(tab, (storage) => storage.setItem(INVITED, code));
}

/** Close the page. */
function clear() {
  page.close();
  page = openVisit(shell);
  board?.close();
  board = undefined;
  setInvited("");
  shell.draw(() => []);
  find("main").className = "";
  say("");
  showConnection({ missing: "", notice: "" });
}

/** Show why the page cannot be shown. @param {Refusal} refusal */
async function fail(refusal) {
  const failed = page;
  const problem = await describe(refusal);
  if (failed.signal.aborted) return;
  const followed = board?.code ?? invited;
  clear();
  setInvited(followed); // until the visitor leaves
  const canReload = app.session.ending || refusal.code === UNLOADED;
  page.show(problem, () => [
    canReload
      ? button(t("Connect again"), () => location.reload(), "btn main")
      : link("/", t("To the start page"), "btn main"),
  ]);
  arrive();
}

/** Focus what comes after a part that had the focus and is gone. */
function moveFocus() {
  /** @type {HTMLElement | null} */
  const next = document.querySelector("#controls .panel button");
  (next ?? find("board") ?? find("title")).focus();
}

/** Move the focus to the title of another page. */
function arrive() {
  if (!isFirst) find("title").focus();
  isFirst = false;
}

/** Show the page of the address. */
async function open() {
  const code = location.pathname.slice(1).toUpperCase();
  const before = board?.code ?? invited;
  clear();
  dialog.close();
  if (before && before !== code) {
    leave(before).catch(({ code: why }) => {
      if (why === "wrong_phase") app.go(`/${before}`); // joined just now
    }); // or the connection is lost
  }
  const visit = page;
  try {
    if (!code) {
      const [hash, ...about] = location.hash.slice(1).split("/");
      const name = Object.hasOwn(PAGES, hash) ? hash : "home";
      const show = (await load(PAGES[name]))[name];
      if (!visit.signal.aborted) await show(visit, ...about);
    } else {
      const matches = app.session.matches ?? (await loadMatches());
      if (!matches.get(code)?.match) await matches.follow(code);
      if (!visit.signal.aborted) await openMatch(visit, code, matches.get(code));
      if (!visit.signal.aborted) matches.meet(code);
      PAGES.home().catch(() => {}); // so that it is there without a connection
    }
    if (!visit.signal.aborted) arrive();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const details = { reason: "unknown_match", match: code };
    const message = `there is no match ${code} on this server`;
    const unknown = new Refusal({ code: "unknown_match", message, details });
    const isNoCode = error.code === "invalid_message" && error.field === "match";
    if (!visit.signal.aborted) await fail(isNoCode ? unknown : error);
  }
}

/** Stop following a match, and take the visitor's challenge back. @param {string} code */
async function leave(code) {
  const { session } = app;
  const matches = session.matches ?? (await loadMatches());
  const { match } = matches.get(code) ?? (await matches.follow(code));
  const { phase, opened, maker, breaker } = match ?? {};
  const isOwn = (maker ?? breaker)?.id === session.player?.id;
  const waits = phase === "gathering" && opened?.reserved && !opened.previous;
  if (isOwn && waits) await matches.perform(code, "leave");
  await matches.unfollow(code);
}

/**
 * Show a followed match: its invitation while a seat is free, otherwise its board.
 * @param {App} visit @param {string} code @param {Followed | undefined} known
 */
async function openMatch(visit, code, known) {
  if (!known?.match) {
    const problem = t("This match cannot be shown: {problem}", { problem: known?.error?.message });
    visit.show(code, () => [el("p", { className: "alarm" }, problem)]);
  } else if (known.match.phase === "gathering" && !watched.has(code)) {
    setInvited(code);
    const { showInvitation } = await load(() => import("./pages/invitation.js"));
    await showInvitation(visit, code, known.match);
    viewMatch().catch(() => {}); // so that it is there when the seat is taken
  } else {
    const { openBoard } = await load(viewMatch);
    if (visit.signal.aborted) return;
    find("main").className = "match";
    board = openBoard(visit, code, known.match);
  }
}

/** Show that WebSockets are blocked if the server still answers requests for files. */
async function findCause() {
  const asked = fetch("/robots.txt", { cache: "no-store" });
  const answered = await asked.then(({ ok }) => ok, () => false);
  const blocked = answered ? (await loadExplanations()).describeBlocked() : "";
  if (app.session.state !== "online") showConnection({ blocked });
}

/** @param {import("./connection/followed.js").Message} message */
async function showChallenge(message) {
  const { showChallenge: show } = await app.challenges();
  show(app, message);
}
const ignore = () => {}; // the status line shows why a module is missing

/**
 * What each change of the session does to the page, beside its match.
 * @type {{[Kind in keyof import("./connection/session.js").Changes]?:
 *     (data: import("./connection/session.js").Changes[Kind]) => void}}
 */
const REACTIONS = {
  state(state) {
    const host = app.session.awayHost ?? "";
    const offline = state === "offline";
    showConnection({ offline, host, ...(state === "online" && { blocked: "" }) });
    if (app.session.ending) fail(app.session.ending);
  },
  player() { // the server sends the challenges that wait again
    app.waiting.clear();
    draw(find("news"));
    page.draw(); // a form asks a new player for a name
  },
  forgotten() {
    loadExplanations().then(({ describeForgotten }) => (
      showConnection({ notice: describeForgotten() })
    ), ignore);
  },
  unopened({ attempts }) {
    if (attempts >= MANY_ATTEMPTS) findCause().catch(ignore);
  },
  waiting: ({ retryAfter }) => showWaiting(retryAfter),
  announcement: ({ text }) => app.say(text),
  challenged: (message) => showChallenge(message).catch(ignore),
  challenge_ended: (message) => showChallenge(message).catch(ignore),
  lost({ code, refusal }) {
    if (code === (board?.code ?? invited)) fail(refusal);
  },
  match(change) {
    const isTaken = app.session.matches?.get(invited)?.match?.phase !== "gathering";
    if (change.code === invited && isTaken) open().then(() => board?.update("match", change));
  },
};

/**
 * Show a change of the session.
 * @template {keyof import("./connection/session.js").Changes} Kind
 * @param {Kind} kind @param {import("./connection/session.js").Changes[Kind]} data
 */
function update(kind, data) {
  REACTIONS[kind]?.(data);
  board?.update(kind, data);
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target).closest("a[href^='/']");
  const { button: used, ctrlKey, metaKey, shiftKey } = event;
  if (!target || used || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  app.go(target.getAttribute("href") ?? "/");
});
document.addEventListener("keydown", (event) => {
  const { ctrlKey, metaKey, altKey, key } = event;
  const target = /** @type {Element} */ (event.target);
  const types = target.matches("input:not([type=checkbox]), select, textarea");
  if (ctrlKey || metaKey || altKey || dialog.open || types) return;
  if (key === "?") app.help(board?.rules);
  else if (!board?.press(event, target)) return;
  event.preventDefault();
});
window.addEventListener("popstate", open);
find("reload").addEventListener("click", () => location.reload());

/** Show the page of the address. */
async function start() {
  find("home").ariaLabel = t("To the start page");
  find("talk").ariaLabel = t("Chat");
  await open();
}

/** Load the texts, and what this device keeps for every page. */
async function loadFirst() {
  await loadTexts();
  const kept = useStorage(device, (storage) => storage.getItem(SETTINGS));
  if (kept) await (await import("./device/settings.js")).applySettings();
}
await load(loadFirst).then(start, fail);
