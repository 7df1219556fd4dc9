// A visit of a page: its lifetime, its locks, and the status line.

import { Refusal } from "./connection/refusals.js";
import { find, join, set } from "./elements.js";
import { t } from "./texts.js";

/** @typedef {import("./main.js").App} App */

/**
 * The code of the refusal if the server does not send a module, or one of another version. The
 * status line shows it.
 */
export const UNLOADED = "unloaded";

/** The connection as the status line describes it, beside the sentence of the page. */
const line = {
  offline: false,
  /** The number of requests that the session repeats later. */
  waiting: 0,
  /** The number of running actions of the visitor. */
  running: 0,
  /** Whether the visitor repeated a running action. */
  repeated: false,
  /** Whether the server sends files, but no WebSocket opens. */
  blocked: false,
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
  const { offline, waiting, running, repeated, blocked } = line;
  if (!offline) {
    return waiting
      ? t("The server is busy. One moment, please.")
      : repeated && t("Still sending …");
  }
  const remedy = blocked && t("The server sends files, but no WebSocket opens. If this lasts, try another network, or turn off extensions, VPN and proxy.");
  const follows = running > 0 && t("Your last action follows.");
  return join(" ", t("The connection is lost. Connecting again …"), follows, remedy);
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

/**
 * Return the App of one page, with `close`: a closed page shows, announces and opens nothing, so
 * late answers are dropped.
 * @param {Omit<App, "attempt" | "draw" | "say" | "signal"> & {
 *   describe: (refusal: Refusal) => Promise<string>,
 *   draw: (view: import("./main.js").View) => void,
 * }} shell
 * @returns {App & {close: () => void}}
 */
export function openVisit(shell) {
  const closing = new AbortController();
  const { signal } = closing;
  const busy = new Set();
  /** @type {import("./main.js").View | undefined} */
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
    close: () => closing.abort(),
    say: whileOpen(say),
    show: whileOpen((title, shown, isBranded) => {
      view = shown;
      shell.show(title, shown, isBranded);
    }),
    draw: whileOpen(() => view && shell.draw(view)),
    go: whileOpen(shell.go),
    watch: whileOpen(shell.watch),
    async ask(...question) {
      if (signal.aborted) return "";
      count(-1); // the action waits for the visitor
      try {
        return await shell.ask(...question);
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
          whileOpen(display)(refusal ? await shell.describe(refusal) : String(error));
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
