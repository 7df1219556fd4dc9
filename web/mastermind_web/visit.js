// A visit of a page: its lifetime, its locks, what it loads, and the status line.

import { Refusal } from "./connection/connection.js";
import { find, join, nameOf, set } from "./elements.js";
import { loadWithTexts, t } from "./texts.js";

/**
 * @import {Message} from "./connection/followed.js"
 * @import {Session} from "./connection/session.js"
 * @import {Child} from "./elements.js"
 *
 * @typedef {() => Child[] | {[region: string]: Child[]}} View Describes a page as it is now: the
 *     children of its main part, or those of each region of index.html by its id.
 *
 * @typedef {object} App What a page uses.
 * @property {Session} session
 * @property {Set<string>} opened The matches that the visitor has opened: they are shown from their
 *     start.
 * @property {Map<string, Message>} waiting The challenges to the visitor, by their match codes.
 * @property {(title: string, view: View, isBranded?: boolean) => void} show Draw the page by its
 *     view. The heading of a branded page is the name of the game.
 * @property {() => void} draw Draw it again, because its state has changed.
 * @property {(sentence: string, badge?: string) => void} say Announce a sentence.
 * @property {(path: string) => void} go Open another address of the page.
 * @property {(code: string) => void} watch Watch a match without taking its free seat.
 * @property {AbortSignal} signal Aborted when the page is closed: then it shows nothing more.
 * @property {(owner: unknown, action: () => unknown, display?: (sentence: string) => void)
 *     => Promise<void>} attempt Run an action, display its refusal, by default in the status line,
 *     and draw the page again. An owner, such as a form, runs one at a time.
 * @property {(wait: () => Promise<string>) => Promise<string>} pause Wait for the visitor during an
 *     action. Return the answer, or "" if the page is closed.
 * @property {<T>(modules: () => Promise<T>) => Promise<T>} load Load modules. Rejects with a
 *     Refusal.
 * @property {() => Promise<typeof import("./pages/challenges.js")>} challenges Load their module.
 * @property {(rules?: import("./texts.js").Rules) => void} help Explain the game.
 * @property {() => Promise<void>} restart Show the page of the address again: in another language.
 */

/**
 * The code of the refusal if the server does not send a module, or one of another version. The
 * status line shows it.
 */
export const UNLOADED = "unloaded";
const LOAD_PATIENCE = 20_000; // milliseconds: the largest module and its texts have 11 KB

/** The connection as the status line describes it, beside the sentence of the page. */
const line = {
  offline: false,
  /** The player who has closed the game that their program serves, or "". */
  host: "",
  /** The number of requests that the session repeats later. */
  waiting: 0,
  /** The number of running actions of the visitor. */
  running: 0,
  /** Whether the visitor repeated a running action. */
  repeated: false,
  /** What to do if the server sends files, but no WebSocket opens, or "". */
  blocked: "",
  /** Why a module is missing, until the page is loaded again, or another module loads. */
  missing: "",
  /** A sentence about the visitor's player, until the visitor leaves the page. */
  notice: "",
};

/**
 * Change the state of the connection, and show its sentence.
 * @param {Partial<typeof line>} change
 */
export function showConnection(change) {
  Object.assign(line, change);
  const { missing, notice } = line;
  write(0, join(" ", describeConnection(), notice, missing));
  set(find("reload"), "hidden", !missing);
  set(find("reload"), "textContent", missing && t("Connect again"));
}

function describeConnection() {
  const { offline, host, waiting, running, repeated, blocked } = line;
  if (!offline) {
    return waiting
      ? t("The server is busy. One moment, please.")
      : repeated && t("Still sending …");
  }
  const follows = running > 0 && t("Your last action follows.");
  const closed = host && t("{reason} has closed the game: it is kept, and continues when {reason} opens it", { reason: nameOf(host) });
  const lost = closed ? `${closed}.` : t("The connection is lost. Connecting again …");
  return join(" ", lost, follows, blocked);
}

/** Show for some seconds that the server is busy. @param {number} seconds */
export function showWaiting(seconds) {
  showConnection({ waiting: line.waiting + 1 });
  setTimeout(() => showConnection({ waiting: line.waiting - 1 }), seconds * 1000);
}

/** @param {number} by */
function count(by) {
  const running = line.running + by;
  showConnection({ running, repeated: line.repeated && running > 0 });
}

/** @param {string} sentence @param {string} [badge] */
export function say(sentence, badge = "") {
  write(1, badge);
  write(2, sentence);
}

/**
 * Write a part of the status line: the connection's, the badge, or the page's.
 * @param {number} part @param {string} text
 */
function write(part, text) {
  if (text) {
    document.body.classList.remove("starting");
    find("status").classList.remove("unseen");
  }
  set(find("status").children[part], "textContent", text);
}

/** Load modules. Rejects with a Refusal. @template T @param {() => Promise<T>} modules */
export function load(modules) {
  const late = new Promise((_, reject) => {
    setTimeout(reject, LOAD_PATIENCE, new Error("no answer"));
  });
  return Promise.race([modules(), late]).then((loaded) => {
    showConnection({ missing: "" });
    return loaded;
  }, ({ message: problem }) => {
    const missing = t("A part of this page is missing. Load the page again. ({problem})", { problem });
    showConnection({ missing });
    throw new Refusal({ code: UNLOADED, message: missing });
  });
}

/** Load the sentences about refusals and connections. */
export const loadExplanations = () => (
  load(() => loadWithTexts(import("./connection/explain.js")))
);

/** Return a refusal as a sentence. @param {Refusal} refusal */
export async function describe(refusal) {
  const { code, message } = refusal;
  const clause = code === UNLOADED
    ? message
    : await loadExplanations().then(({ explain }) => explain(refusal), () => message);
  return clause[0].toUpperCase() + clause.slice(1) + (/[.!?]$/.test(clause) ? "" : ".");
}

/**
 * Return the App of one page, with `close`: a closed page shows, announces and opens nothing, so
 * late answers are dropped.
 * @param {Omit<App, "attempt" | "draw" | "load" | "pause" | "say" | "signal"> & {
 *   draw: (view: View) => void,
 * }} shell
 * @returns {App & {close: () => void}}
 */
export function openVisit(shell) {
  const closing = new AbortController();
  const { signal } = closing;
  const busy = new Set();
  /** @type {View | undefined} */
  let view;
  /**
   * @template {any[]} Given @param {(...given: Given) => void} action
   * @returns {(...given: Given) => void}
   */
  const whileOpen = (action) => (...given) => {
    if (!signal.aborted) action(...given);
  };
  /** @type {ReturnType<typeof openVisit>} */
  const visit = {
    ...shell,
    signal,
    load,
    close: () => closing.abort(),
    say: whileOpen(say),
    show: whileOpen((title, shown, isBranded) => {
      view = shown;
      shell.show(title, shown, isBranded);
    }),
    draw: whileOpen(() => view && shell.draw(view)),
    go: whileOpen(shell.go),
    watch: whileOpen(shell.watch),
    async pause(wait) {
      if (signal.aborted) return "";
      count(-1);
      try {
        return await wait();
      } finally {
        count(+1);
      }
    },
    async attempt(owner, action, display = visit.say) {
      if (busy.has(owner)) return showConnection({ repeated: true });
      busy.add(owner);
      count(+1);
      try {
        await action();
      } catch (error) {
        const refusal = error instanceof Refusal ? error : undefined;
        if (refusal?.code !== UNLOADED) {
          whileOpen(display)(refusal ? await describe(refusal) : String(error));
        }
        if (!refusal) throw error;
      } finally {
        busy.delete(owner);
        count(-1);
        visit.draw();
      }
    },
  };
  return visit;
}
