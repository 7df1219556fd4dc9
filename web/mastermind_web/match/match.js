// The match page: its state, the playback, the entry of codes, and requests.

import { el, find, set } from "../elements.js";
import { Refusal, isBot, parseSymbol, playersOf, seatOf, toMove } from "../game.js";
import { loadWithTexts, t, texts } from "../texts.js";
import {
  countFree, emptyEntry, enterCode, fillRow, moveCursor, putPeg, swapPegs, takePeg,
} from "./entry.js";
import { describeMoment, nameRules, speakTime } from "./sentences.js";
import {
  describeBoard, describeError, describeHeader, describePalette, describePlates, findCurrentRow,
  untilTick,
} from "./view.js";

/**
 * @import {Match} from "../types.js"
 * @import {Moment} from "./sentences.js"
 * @import {Actions, Shown} from "./view.js"
 */

const SPEEDS = [3, 1.5, 0.7, 0.3]; // seconds per guess
const ENDED_SECONDS = 3; // of showing a code to spectators before the next round
const ENDED_CLOCKED_SECONDS = 6; // the same for players, whose clock of the next round runs already
/** The milliseconds left when screen readers announce the own time. */
const SPOKEN = [10_000, 30_000, 60_000];

/** Load what the page needs later than the first guess. */
const loadLater = async () => {
  const [ends, extras, { openTalk }, { enableDrag }] = await Promise.all([
    import("./ends.js"), import("./extras.js"), import("./talk.js"), import("./drag.js"),
  ]);
  return { ends, extras, openTalk, enableDrag };
};

/**
 * Return every position: each round without a guess, and after each guess.
 * @param {Match} match
 * @returns {Moment[]}
 */
function listMoments({ played, current }) {
  const rounds = current ? [...played, current] : played;
  return rounds.flatMap((round, index) => [undefined, ...round.turns].map((_, turns) => (
    { round, index, turns, ended: round.how !== undefined && turns === round.turns.length }
  )));
}

/**
 * Show a followed match.
 * @param {import("../main.js").App} app @param {string} code @param {Match} opened
 */
export function openBoard(app, code, opened) {
  const { session, signal } = app;
  const { rules } = opened;
  let entry = emptyEntry(rules.pegs);
  let sending = false;
  let moments = listMoments(opened);
  let at = moments.length - 1; // the displayed moment
  if (app.opened.delete(code)) at = Math.min(0, at);
  let [playing, speed] = [true, 1];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let ticking;
  let before = 0; // the time left that was shown
  /** The last change. @type {{events: import("../types.js").Event[], undone?: boolean}} */
  let change = { events: [] };
  /** @type {typeof import("./ends.js") | undefined} */
  let ends;
  /** @type {typeof import("./extras.js") | undefined} */
  let extras;
  /** @type {ReturnType<typeof import("./talk.js").openTalk> | undefined} */
  let talk;
  /** Loads at the end of the match. @type {typeof import("./result.js") | undefined} */
  let result;
  /** @type {ReturnType<typeof import("./review.js").openReview> | undefined} */
  let review;
  let loading = false;
  let told = ""; // the displayed moment and its sentence

  const known = () => /** @type {import("../session.js").Followed} */ (session.matches.get(code));

  /** Return what the page displays, and what the player may do now. @returns {Shown} */
  function look() {
    const match = /** @type {Match} */ (known().match);
    const me = session.player?.id;
    const isLast = at === moments.length - 1;
    const moment = /** @type {Moment | undefined} */ (moments[at]);
    const seat = seatOf(match, me);
    const isReady = isLast && !moment?.ended && seat !== undefined && !match.outcome;
    const hasTurn = isReady && toMove(match)?.id === me;
    const move = !hasTurn ? undefined : match.phase === "setting" ? "secret" : "guess";
    const next = (moments[at + 1] ?? moment)?.round.breaker;
    /** @type {Shown} */
    const shown = {
      match, code, me, seat, moment, isLast, move, playing, sending, entry,
      known: known(),
      moments: moments.length,
      entering: hasTurn || (isReady && match.phase === "setting" && seat === "breaker"),
      over: isLast && match.outcome !== undefined,
      paced: isBot(playersOf(match).find(({ id }) => id === next)),
      left: session.timeLeft(code),
    };
    return { ...shown, ruledOut: extras?.findRuledOut(shown) };
  }

  /**
   * Return whether the match waits for the player, who may still read the end of the last round.
   * @param {Shown} shown
   */
  const isAwaited = ({ match, me, isLast, moment, seat }) => (
    seat !== undefined && toMove(match)?.id === me && (isLast || moment?.ended === true)
  );
  const isLive = () => known().match?.clock?.live === true;

  // ---- Drawing

  function view() {
    const shown = look();
    const [them, me] = describePlates(shown);
    return {
      about: describeHeader(shown),
      them,
      me,
      page: [
        isEnded(shown) && result?.describeHero(app, shown),
        isEnded(shown) && review?.(),
        describeBoard(shown, actions),
      ],
      controls: [
        describePalette(shown, actions),
        el("div", { className: "panel" }, ...describePanel(shown)),
        ...(extras?.describeExtras(app, shown, actions) ?? []),
        talk?.hint(),
      ],
      talk: talk?.view() ?? [],
    };
  }

  /** Return whether the end of the match is shown in place of the match. @param {Shown} shown */
  const isEnded = ({ over, known: { error } }) => over && result !== undefined && !error;

  /** Return what an error, or an end, adds. @param {Shown} shown */
  const describePanel = (shown) => (
    shown.known.error
      ? describeError(shown)
      : ends?.describeRoundEnd(shown, () => show(at + 1, true)) ?? []
  );

  /** Draw a change of the state, and announce it. */
  function refresh() {
    if (signal.aborted) return;
    app.draw();
    const shown = look();
    const badge = isAwaited(shown) ? t("Your turn") : ends?.hasRematch(shown) ? t("Rematch") : "";
    set(document, "title", `${badge || nameRules(rules)} - Mastermind`);
    find("main").className = isEnded(shown) ? "ended" : "match";
    announce(shown, badge);
    scroll();
  }

  /** @param {Shown} shown @param {string} badge */
  function announce(shown, badge) {
    const { match, moment, isLast, me, seat } = shown;
    const { outcome, played, current } = match;
    const isBegun = outcome || played.length > 0 || current?.turns.length;
    const isNewcomer = !seat && current && change.events.length === 0;
    const sentence = [
      isNewcomer && t("Both seats are taken: you are watching."),
      ends?.describeNews(match, change, me),
      ends?.describeEnds(match, moment, isLast, me) || describeMoment(match, moment, isLast, me),
      !isBegun && ends?.describeProspects(match, me),
    ].filter(Boolean).join(" ");
    if (told !== at + badge + sentence) app.say(sentence, badge);
    told = at + badge + sentence;
    // The end of a match shows its sentence in large type.
    const isShown = isEnded(shown) && find("status").textContent?.trim() === sentence;
    find("status").classList.toggle("unseen", isShown);
  }

  const grid = () => find("board");
  const rows = () => /** @type {HTMLElement[]} */ ([...grid().children]);

  /** Scroll the board to its current row, with the rows above and below if they fit. */
  function scroll() {
    const [board, row] = [grid(), rows()[findCurrentRow(look())]];
    const { offsetTop, offsetHeight } = row;
    const space = board.clientHeight - offsetHeight;
    const margin = Math.min(offsetHeight, Math.max(0, space) / 2);
    const top = Math.min(board.scrollTop, offsetTop - margin);
    board.scrollTop = Math.max(top, offsetTop + margin - space);
  }

  /** Draw the clocks when they change, and announce the end of one's own time. */
  function tick() {
    clearTimeout(ticking);
    const shown = look();
    const { match, me, left } = shown;
    if (left === undefined) return;
    const isMine = match.clock?.live && toMove(match)?.id === me;
    const due = isMine && SPOKEN.find((each) => before > each && left <= each);
    if (due) set(find("time"), "textContent", speakTime(due, true));
    before = left;
    const pause = untilTick(shown);
    if (pause) {
      ticking = setTimeout(() => {
        app.draw();
        tick();
      }, pause);
    }
  }

  // ---- Playback

  /** Show the moments that are due, and schedule the next one. */
  function step() {
    clearTimeout(timer);
    if (signal.aborted) return;
    if (!loading && (!ends || (!result && look().match.outcome))) load();
    while (playing && at < moments.length - 1) {
      const seconds = findPause(look());
      if (seconds > 0) {
        if (seconds < Infinity) timer = setTimeout(() => show(at + 1), seconds * 1000);
        break;
      }
      at++;
    }
    refresh();
    tick();
  }

  /** Return the seconds until the next moment is shown. @param {Shown} shown */
  function findPause({ moment, seat, paced }) {
    if (!moment?.ended) return moment && paced ? SPEEDS[speed] : 0;
    if (!seat) return ENDED_SECONDS;
    return isLive() ? ENDED_CLOCKED_SECONDS : Infinity;
  }

  /** Load what comes later; the status line shows a failure, and the next change loads again. */
  async function load() {
    loading = true;
    try {
      const later = await app.load(() => loadWithTexts(loadLater()));
      if (signal.aborted) return;
      const { match } = known();
      if (match?.outcome) result = await app.load(() => import("./result.js"));
      if (signal.aborted) return;
      if (!ends) start(later);
      if (match && result) review ??= result.openReview(app, code, match);
      step();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      loading = false;
    }
  }

  /** Use what has loaded. @param {Awaited<ReturnType<typeof loadLater>>} later */
  function start(later) {
    ({ ends, extras } = later);
    talk = later.openTalk(app, code);
    later.enableDrag(signal, {
      put: (colour, place) => enter(putPeg(entry, colour, place)),
      swap: (one, other) => enter(swapPegs(entry, one, other)),
    });
    app.draw();
    talk.drawn();
  }

  /** @param {number} index @param {boolean} [goesOn] */
  function show(index, goesOn = playing) {
    at = Math.max(0, Math.min(index, moments.length - 1));
    playing = goesOn || at === moments.length - 1;
    step();
  }

  /** @param {number} by */
  function setPace(by) {
    speed = Math.max(0, Math.min(speed + by, SPEEDS.length - 1));
    const seconds = SPEEDS[speed].toLocaleString(texts.language);
    app.say(t("{seconds} seconds a guess.", { seconds }));
    step();
  }

  // ---- The row

  const isFull = () => countFree(entry) === 0;

  /** @param {import("./entry.js").Entry} changed */
  function enter(changed) {
    const isChange = changed.pegs !== entry.pegs;
    entry = changed;
    refresh();
    const { ruledOut: number } = look();
    if (isChange && number) app.say(t("Guess {number} rules this out.", { number }), t("Your turn"));
  }

  /** Enter the last guess of the round. */
  function again() {
    const turn = moments[at]?.round.turns.at(-1);
    if (turn && look().move === "guess") enter(enterCode(entry, turn.code));
  }

  async function send() {
    const { move } = look();
    if (!move) return;
    if (!isFull()) {
      app.say(t("The row is not full yet."), t("Your turn"));
      return;
    }
    await app.attempt("move", async () => {
      sending = true;
      refresh();
      try {
        await session.perform(code, move, { code: entry.pegs });
      } finally {
        sending = false;
        refresh();
      }
    });
  }

  /** Forget the entered code once it is sent, here or on another connection. */
  function tidyEntry() {
    const isSent = change.events.some((event) => (
      event.event === "round_ended"
      || ((event.event === "guessed" || event.event === "secret")
        && String(event.code) === String(entry.pegs))
    ));
    if (isSent) entry = emptyEntry(rules.pegs);
  }

  // ---- Keys

  /** Focus the row above or below. @param {number} by */
  function focusRow(by) {
    const all = rows();
    const focused = all.findIndex((row) => row === document.activeElement);
    const last = (moments[at]?.turns ?? 0) + (by < 0 ? 1 : 0); // up: the last guess
    const start = focused < 0 ? last : focused;
    all[Math.max(0, Math.min(start + by, all.length - 1))].focus();
  }

  /** Announce the last sentence again. */
  function repeat() {
    told = "";
    app.say("");
    setTimeout(refresh);
  }

  function sayTime() {
    const left = session.timeLeft(code);
    const time = left === undefined ? "" : speakTime(left, isLive());
    set(find("time"), "textContent", "");
    setTimeout(() => set(find("time"), "textContent", time));
  }

  /**
   * Handle a key, and return whether it means something here.
   * @param {string} key @param {Element} target
   */
  function press(key, target) {
    const colour = parseSymbol(key, rules);
    const isOnControl = target.closest("button, a, summary") !== null;
    const isOnPalette = target.closest(".palette") !== null;
    /** @type {{[key: string]: () => void}} */
    const anytime = {
      ".": repeat,
      ",": sayTime,
      "/": () => find("line")?.focus(),
      ArrowUp: () => focusRow(-1),
      ArrowDown: () => focusRow(1),
    };
    /** @type {{[key: string]: () => void}} */
    const inRow = {
      Backspace: () => enter(takePeg(entry)),
      Delete: () => enter(takePeg(entry)),
      "=": again,
      ArrowLeft: () => enter(moveCursor(entry, entry.cursor - 1)),
      ArrowRight: () => enter(moveCursor(entry, entry.cursor + 1)),
    };
    if (!isOnControl || (isFull() && isOnPalette)) inRow.Enter = send;
    const entering = look().entering;
    const act = anytime[key]
      ?? (entering && (inRow[key] ?? (colour !== undefined && (() => actions.put(colour)))));
    if (!act) return false;
    act();
    const changes = colour !== undefined || key === "Backspace" || key === "Delete";
    if (changes && entering && isOnControl && !isOnPalette) grid().focus(); // Enter sends
    return true;
  }

  // ---- Requests

  /** @param {string} op @param {{}} [fields] */
  const perform = (op, fields) => app.attempt(op, () => session.perform(code, op, fields));
  /** @param {"resign" | "leave"} op */
  const end = (op) => app.attempt(op, async () => {
    const { ends: { [op]: ask } } = await app.load(() => loadWithTexts(loadLater()));
    await ask(app, code, isLive());
  });

  /** Take advice, whose button is hidden then. */
  async function advise() {
    await perform("advise", { most: 3 });
    const advice = /** @type {HTMLElement | null} */ (document.querySelector(".advice"));
    if (!advice?.textContent) return;
    const sentence = [...advice.children].map(({ textContent }) => textContent).join(" ");
    app.say(sentence, t("Your turn"));
    if (document.activeElement === grid() && !isFull()) advice.querySelector("button")?.focus();
  }

  /** @type {Actions} */
  const actions = {
    put: (colour) => enter(putPeg(entry, colour)),
    undo: () => enter(entry.before ?? entry),
    again,
    fill: () => enter(fillRow(entry)),
    place: (peg) => enter(moveCursor(entry, peg)),
    send,
    copyAdvice(advised) {
      enter(moveCursor(enterCode(entry, advised), rules.pegs));
      grid().focus(); // Enter sends
    },
    start: () => show(0, false),
    back: () => show(at - 1, false),
    play: () => show(at, !playing),
    forth: () => show(at + 1, false),
    end: () => show(moments.length - 1, true),
    slower: () => setPace(-1),
    faster: () => setPace(1),
    advise,
    resign: () => end("resign"),
    leave: () => end("leave"),
  };
  app.show(nameRules(rules), view);
  const resized = new ResizeObserver(scroll);
  resized.observe(grid());
  step();

  return {
    code,
    rules,
    press,
    close() {
      clearTimeout(timer);
      clearTimeout(ticking);
      set(find("time"), "textContent", "");
      resized.disconnect();
    },
    /**
     * Show a change of the session.
     * @template {keyof import("../session.js").Changes} Kind
     * @param {Kind} kind @param {import("../session.js").Changes[Kind]} data
     */
    update(kind, data) {
      const { match } = known() ?? {};
      if (!match || (/** @type {any} */ (data)?.code ?? code) !== code) return;
      moments = listMoments(match);
      at = Math.min(at, moments.length - 1);
      if (kind === "match") {
        change = /** @type {import("../session.js").Change} */ (data);
        before = 0;
        tidyEntry();
        set(find("time"), "textContent", "");
      }
      if (kind === "chat") talk?.added();
      step();
    },
  };
}
