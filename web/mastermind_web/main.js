// The start of the page: its session, its addresses, and what every page uses.

import { button, el, find, link, set, tile } from "./elements.js";
import { Refusal } from "./game.js";
import { Session, findStorage } from "./session.js";
import { explain, loadMoreTexts, loadTexts, loadWithTexts, t } from "./texts.js";

/**
 * @typedef {object} App What a page uses.
 * @property {Session} session
 * @property {Set<string>} opened The matches that the visitor has opened: they are shown from their start.
 * @property {(title: string, ...children: (Node | string | false | undefined)[]) => void} show Fill the page.
 * @property {(sentence: string, badge?: string) => void} say Announce a sentence.
 * @property {(path: string) => void} go Open another address of the page.
 * @property {(code: string) => void} watch Watch a match without taking its free seat.
 * @property {(action: () => unknown) => Promise<void>} attempt Run an action, and announce its refusal.
 * @property {(question: string, cost: string, ...answers: string[]) => Promise<string>} ask Return the chosen answer, or "".
 * @property {<T>(modules: () => Promise<T>) => Promise<T>} load Load modules. Rejects with a Refusal.
 * @property {() => Promise<typeof import("./challenges.js")>} challenges Load their module.
 * @property {(rules?: import("./texts.js").Rules) => void} help Explain the game.
 */

const pages = () => loadWithTexts(import("./pages.js"));
const players = () => loadWithTexts(import("./players.js"));
const viewBoard = () => import("./board.js");
/**
 * The module with each page. A module loads when one of its pages is opened.
 * @type {{[name: string]: () => Promise<{[name: string]: any}>}}
 */
const PAGES = { home: () => import("./home.js"), bot: pages, invite: pages, anyone: pages, watch: pages, leaders: players, player: players, how: pages, you: pages };

/** The code of the refusal if the server does not send a module, or one of another version. */
const UNLOADED = "unloaded";
const LOAD_PATIENCE = 20_000; // milliseconds: the largest module and its texts have 11 KB
const dialog = /** @type {HTMLDialogElement} */ (find("dialog"));
const INVITED = "mastermind.invited";
const watched = new Set();
let busy = false;
let visit = 0;
/** @type {ReturnType<typeof import("./board.js").openBoard> | undefined} */
let board;
const tab = findStorage("sessionStorage");
/** The match code of a shown invitation. The tab keeps it while the page is loaded again. */
let invited = tab?.getItem(INVITED) ?? "";

/** @type {App} */
const app = {
  session: new Session({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`,
    storage: findStorage("localStorage"),
    onChange: update,
  }),
  load,
  challenges: () => load(() => loadWithTexts(import("./challenges.js"))),
  opened: new Set(),
  show(title, ...children) {
    document.body.className = "";
    setTitle(title);
    find("page").replaceChildren(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  },
  say(sentence, badge = "") {
    if (sentence) document.body.className = "";
    const [label, text] = find("status").children;
    set(label, "textContent", badge);
    set(text, "textContent", sentence);
  },
  go(path) {
    history.pushState(null, "", path);
    open();
  },
  watch(code) {
    watched.add(code);
    open();
  },
  async attempt(action) {
    if (busy) return;
    busy = true;
    try {
      await action();
    } catch (error) {
      app.say(error instanceof Refusal ? await describe(error) : String(error));
      if (!(error instanceof Refusal)) throw error;
    } finally {
      busy = false;
    }
  },
  ask: (question, cost, ...answers) => showDialog(question, [el("p", {}, cost)], answers),
  help: (rules) => app.attempt(async () => {
    const { help } = await load(pages);
    showDialog(t("How to play"), help(rules), [t("Close")]);
  }),
};

/** Return the chosen answer, or "". @param {string} title @param {Node[]} content @param {string[]} answers @returns {Promise<string>} */
function showDialog(title, content, answers) {
  const buttons = answers.map((value, index) => el("button", { value, className: index ? "btn" : "btn main" }, value));
  dialog.replaceChildren(el("h2", { id: "question" }, title), ...content, el("form", { method: "dialog", className: "buttons" }, ...buttons));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => (dialog.onclose = () => resolve(dialog.returnValue)));
}

/** @template T @param {() => Promise<T>} modules */
function load(modules) {
  const late = new Promise((_, reject) => setTimeout(reject, LOAD_PATIENCE, new Error("no answer")));
  return Promise.race([modules(), late]).catch(({ message: problem }) => {
    throw new Refusal({ code: UNLOADED, message: t("A part of this page is missing. Load the page again. ({problem})", { problem }) });
  });
}

/** Return a refusal as a sentence. @param {Refusal} refusal */
async function describe(refusal) {
  const { code, message } = refusal;
  const clause = code === UNLOADED ? message : await load(loadMoreTexts).then(() => explain(refusal), () => message);
  return clause[0].toUpperCase() + clause.slice(1) + (/[.!?]$/.test(clause) ? "" : ".");
}

/** Return the title as a row of tiles. */
function banner() {
  const colours = "purple yellow green orange red blue purple blue green orange".split(" ");
  return [..."MASTERMIND"].map((letter, index) => tile(colours[index], letter));
}

/** @param {string} title */
function setTitle(title) {
  const isHome = location.pathname === "/" && !location.hash;
  find("home").hidden = isHome;
  find("title").replaceChildren(...(isHome ? banner() : [title]));
  find("title").ariaLabel = isHome ? title : null;
  document.title = isHome ? title : `${title} - Mastermind`;
}

/** @param {string} code */
function setInvited(code) {
  invited = code;
  tab?.setItem(INVITED, code);
}

/** Remove the page. */
function clear() {
  board?.close();
  board = undefined;
  setInvited("");
  for (const id of ["them", "me", "page", "controls", "about"]) find(id).replaceChildren();
  find("talk").hidden = true;
  find("main").className = "";
  app.say(app.session.state === "offline" ? t("The connection is lost. Connecting again …") : "");
}

/** Show why the page cannot be shown. @param {Refusal} refusal */
async function fail(refusal) {
  const turn = visit;
  const problem = await describe(refusal);
  if (turn !== visit) return;
  const followed = board?.code ?? invited;
  clear();
  setInvited(followed); // until the visitor leaves
  const canReload = app.session.ending || refusal.code === UNLOADED;
  app.show(problem, canReload ? button(t("Connect again"), () => location.reload(), "btn main") : link("/", t("To the start page"), "btn main"));
}

/** Show the page of the address. */
async function open() {
  const turn = ++visit;
  const code = location.pathname.slice(1).toUpperCase();
  const before = board?.code ?? invited;
  clear();
  dialog.close();
  if (before && before !== code) withdraw(before).then(() => app.session.unfollow(before)).catch(({ code: why }) => why === "wrong_phase" && app.go(`/${before}`)); // joined just now; or the connection is lost
  const shown = { ...app, show: (/** @type {Parameters<App["show"]>} */ ...content) => turn === visit && app.show(...content) };
  try {
    if (!code) {
      const [hash, about] = location.hash.slice(1).split("/");
      const name = Object.hasOwn(PAGES, hash) ? hash : "home";
      const page = (await load(PAGES[name]))[name];
      if (turn === visit) await page(shown, about);
    } else {
      if (!app.session.matches.get(code)?.match) await app.session.follow(code);
      if (turn === visit) await openMatch(shown, code, turn);
      PAGES.home().catch(() => {}); // so that it is there without a connection
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const unknown = { code: "unknown_match", message: `there is no match ${code} on this server`, details: { reason: "unknown_match", match: code } };
    if (turn === visit) await fail(error.field === "match" ? new Refusal(unknown) : error); // no code at all
  }
  if (turn === visit && turn > 1) find("title").focus();
}

/** Take the visitor's challenge back. @param {string} code */
async function withdraw(code) {
  const { session } = app;
  const { match } = session.matches.get(code) ?? (await session.follow(code));
  const { phase, opened, maker, breaker } = match ?? {};
  const isOwn = (maker ?? breaker)?.id === session.player?.id;
  if (phase === "gathering" && isOwn && opened?.reserved && !opened.previous) await session.perform(code, "leave");
}

/**
 * Show a followed match: its invitation while a seat is free, otherwise its board.
 * @param {App} shown @param {string} code @param {number} turn
 */
async function openMatch(shown, code, turn) {
  const known = app.session.matches.get(code);
  if (!known?.match) app.show(code, el("p", { className: "alarm" }, t("This match cannot be shown: {problem}", { problem: known?.error?.message })));
  else if (known.match.phase === "gathering" && !watched.has(code)) {
    setInvited(code);
    const { showInvitation } = await load(() => import("./invitation.js"));
    await showInvitation(shown, code, known.match);
    viewBoard().catch(() => {}); // so that it is there when the seat is taken
  } else {
    const { openBoard } = await load(viewBoard);
    if (turn !== visit) return;
    find("main").className = "match";
    board = openBoard(app, code, known.match);
  }
}

/** Show a change of the session. @param {string} kind @param {any} data */
function update(kind, data) {
  if (kind === "state" && data === "offline") app.say(t("The connection is lost. Connecting again …"));
  else if (kind === "state" && data === "online") app.say("");
  else if (kind === "player") for (const banner of document.querySelectorAll(".challenge")) banner.remove(); // the server sends those that wait again
  else if (kind === "state" && data === "ended" && app.session.ending) fail(app.session.ending);
  else if (kind === "waiting") app.say(t("The server is busy. One moment, please."));
  else if (kind === "announcement") app.say(data.text);
  else if (/^chall/.test(kind)) app.challenges().then((it) => it.showChallenge(app, data), (refusal) => app.say(refusal.message));
  else if (kind === "lost" && data.code === (board?.code ?? invited)) fail(data.refusal);
  else if (kind === "match" && data.code === invited && app.session.matches.get(invited)?.match?.phase !== "gathering") open().then(() => board?.update(kind, data));
  board?.update(kind, data);
}

document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[href^='/']");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  app.go(link.getAttribute("href") ?? "/");
});
document.addEventListener("keydown", (event) => {
  const { ctrlKey, metaKey, altKey, key, target } = event;
  if (ctrlKey || metaKey || altKey || dialog.open || /** @type {Element} */ (target).matches("input:not([type=checkbox]), select, textarea")) return;
  if (key === "?") app.help(board?.rules);
  else if (!board?.press(key, /** @type {Element} */ (target))) return;
  event.preventDefault();
});
window.addEventListener("popstate", open);

await loadTexts();
find("home").ariaLabel = t("To the start page");
find("talk").ariaLabel = t("Chat");
await open();
