// The match page: its state, the entry of codes, and requests.

import { Refusal } from "../connection/connection.js";
import { matchesOf } from "../connection/followed.js";
import { el, find, set } from "../elements.js";
import { hasRepeat, seatOf, toMove } from "../game/rules.js";
import { loadWithTexts, t } from "../texts.js";
import {
  countFree, emptyEntry, enterCode, isDone, press, putPeg, swapPegs,
} from "./entry.js";
import { Playback } from "./playback.js";
import { describeMoment, nameRules } from "./sentences.js";
import {
  describeBoard, describeHeader, describePalette, describePlates, findCurrentRow, isAwaited,
  untilTick,
} from "./view.js";

/**
 * @import {Followed} from "../connection/followed.js"
 * @import {Match} from "../types.js"
 * @import {Actions, Shown} from "./view.js"
 */

/** The milliseconds left when screen readers announce the own time. */
const SPOKEN = [10_000, 30_000, 60_000];

/** Load what the page needs later than the first guess. */
const loadLater = async () => {
  const [ends, extras, { openTalk }, { enableDrag }, { openAttention }] = await Promise.all([
    import("./ends.js"), import("./extras.js"), import("./talk.js"), import("./drag.js"),
    import("../device/attention.js"),
  ]);
  return { ends, extras, openTalk, enableDrag, openAttention };
};

/**
 * Show a followed match.
 * @param {import("../visit.js").App} app @param {string} code @param {Match} opened
 */
export function openBoard(app, code, opened) {
  const { session, signal } = app;
  const matches = matchesOf(session);
  const { rules } = opened;
  const day = opened.opened.contest?.replace("day/", "");
  const title = day ? t("Code {day}", { day }) : nameRules(rules);
  let entry = emptyEntry(rules.pegs);
  let sending = false;
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
  /** @type {ReturnType<typeof import("../device/attention.js").openAttention> | undefined} */
  let call;
  let loading = false;
  let told = ""; // the displayed moment and its sentence

  const known = () => /** @type {Followed} */ (matches.get(code));

  /** Return what the page displays, and what the player may do now. @returns {Shown} */
  function look() {
    const match = /** @type {Match} */ (known().match);
    const me = session.player?.id;
    const { isLast, moment, playing, isPaced: paced, last } = playback;
    const seat = seatOf(match, me);
    const isReady = isLast && !moment?.ended && seat !== undefined && !match.outcome;
    const hasTurn = isReady && toMove(match)?.id === me;
    const move = !hasTurn ? undefined : match.phase === "setting" ? "secret" : "guess";
    /** @type {Shown} */
    const shown = {
      match, code, me, seat, moment, isLast, move, playing, paced, sending, entry,
      known: known(),
      moments: last + 1,
      entering: hasTurn || (isReady && match.phase === "setting" && seat === "breaker"),
      over: isLast && match.outcome !== undefined,
      left: matches.findTimeLeft(code),
    };
    return { ...shown, ruledOut: extras?.findRuledOut(shown) };
  }

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
        ...(
          extras?.describeExtras(app, shown, actions, playback, talk?.hint(!shown.over))
          ?? [el("div", { className: "actions" })]
        ),
      ],
      talk: talk?.view() ?? [],
    };
  }

  /** Return whether the end of the match is shown in place of the match. @param {Shown} shown */
  const isEnded = ({ over, known: { error } }) => over && result !== undefined && !error;

  /** Return what an error, or an end, adds. @param {Shown} shown */
  const describePanel = (shown) => (
    shown.known.error
      ? ends?.describeError(shown)
      : ends?.describeRoundEnd(shown, () => playback.show(playback.at + 1, true))
  ) ?? [];

  /** Draw a change of the state, and announce it. */
  function refresh() {
    if (signal.aborted) return;
    app.draw();
    const shown = look();
    const badge = isAwaited(shown) ? t("Your turn") : ends?.hasRematch(shown) ? t("Rematch") : "";
    set(document, "title", `${badge || title} - Mastermind`);
    const layout = isEnded(shown) ? "ended" : "match";
    if (find("main").className !== layout) scrollTo(0, 0);
    find("main").className = layout;
    announce(shown, badge);
    scroll();
  }

  /** @param {Shown} shown @param {string} badge */
  function announce(shown, badge) {
    const { match, moment, isLast, me, seat } = shown;
    const { outcome, played, current } = match;
    const isBegun = outcome || played.length > 0 || current?.turns.length;
    const isNewcomer = !seat && current && change.events.every(({ event }) => event === "joined");
    const news = ends?.describeNews(match, change, me);
    const isKnown = news && isEnded(shown); // in large type
    const sentence = [
      isNewcomer && t("Both seats are taken: you are watching."),
      news,
      !isKnown && (
        ends?.describeEnds(match, moment, isLast, me) || describeMoment(match, moment, isLast, me)
      ),
      !isBegun && ends?.describeProspects(match, me),
    ].filter(Boolean).join(" ");
    const telling = playback.at + badge + sentence;
    if (told !== telling) app.say(sentence, badge);
    told = telling;
    // The end of a match shows its sentence in large type.
    const isShown = isEnded(shown) && find("status").textContent?.trim() === sentence;
    find("status").classList.toggle("unseen", isShown);
    call?.(badge, sentence);
  }

  const grid = () => find("board");

  /** Scroll the board to its current row, with the rows above and below if they fit. */
  function scroll() {
    const board = grid();
    const row = /** @type {HTMLElement} */ (board.children[findCurrentRow(look())]);
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
    if (due && ends) set(find("time"), "textContent", ends.speakTime(due, true));
    before = left;
    const pause = untilTick(shown);
    if (pause) {
      ticking = setTimeout(() => {
        app.draw();
        tick();
      }, pause);
    }
  }

  // ---- What comes later than the first guess

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
      if (match && result) {
        const { askForCode, openReview } = result;
        if (!review) await app.attempt("day", () => askForCode(app, match));
        if (signal.aborted) return;
        review ??= openReview(app, code, look().match);
      }
      playback.step();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      loading = false;
    }
  }

  /** Use what has loaded. @param {Awaited<ReturnType<typeof loadLater>>} later */
  function start(later) {
    ({ ends, extras } = later);
    if (!day) talk = later.openTalk(app, code);
    call = later.openAttention(app, code);
    later.enableDrag(signal, {
      put: (colour, place) => enter(putPeg(entry, colour, place)),
      swap: (one, other) => enter(swapPegs(entry, one, other)),
    });
    app.draw();
    talk?.drawn();
  }

  // ---- The row

  const isFull = () => countFree(entry) === 0;

  /** @param {import("./entry.js").Entry} changed */
  function enter(changed) {
    const isRefused = rules.unique && hasRepeat(changed.pegs);
    if (isRefused) return void extras?.sayRepeat(app, look(), changed.pegs);
    const isChange = changed.pegs !== entry.pegs;
    entry = changed;
    refresh();
    const { ruledOut: number } = look();
    if (isChange && number) app.say(t("Guess {number} rules this out.", { number }), t("Your turn"));
  }

  /** Enter the last guess of the round. */
  function again() {
    const turn = playback.moment?.round.turns.at(-1);
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
        await matches.perform(code, move, { code: entry.pegs });
      } finally {
        sending = false;
        refresh();
      }
    });
  }

  // ---- Keys

  /** Announce the last sentence again. */
  function repeat() {
    told = "";
    app.say("");
    setTimeout(refresh);
  }

  function sayTime() {
    const left = matches.findTimeLeft(code);
    const isLive = known().match?.clock?.live === true;
    const time = (left !== undefined && ends?.speakTime(left, isLive)) || "";
    set(find("time"), "textContent", "");
    setTimeout(() => set(find("time"), "textContent", time));
  }

  /** Draw the displayed position. */
  function changed() {
    if (signal.aborted) return;
    if (!loading && (!ends || (!result && look().match.outcome))) load();
    refresh();
    tick();
  }

  const playback = new Playback(opened, app.opened.delete(code), () => {
    const match = /** @type {Match} */ (known().match);
    return { match, seat: seatOf(match, session.player?.id) };
  }, changed);
  /** @type {Actions} */
  const actions = {
    enter,
    again,
    send,
  };
  app.show(title, view);
  const resized = new ResizeObserver(scroll);
  resized.observe(grid());
  playback.step();

  return {
    code,
    rules,
    press: (/** @type {KeyboardEvent} */ pressed, /** @type {Element} */ target) => (
      press(pressed, target, look(), { ...actions, repeat, sayTime })
    ),
    close() {
      playback.stop();
      clearTimeout(ticking);
      set(find("time"), "textContent", "");
      resized.disconnect();
    },
    /**
     * Show a change of the session.
     * @template {keyof import("../connection/session.js").Changes} Kind
     * @param {Kind} kind @param {import("../connection/session.js").Changes[Kind]} data
     */
    update(kind, data) {
      const { match } = known() ?? {};
      if (!match || (/** @type {any} */ (data)?.code ?? code) !== code) return;
      playback.follow(match);
      if (kind === "match") {
        change = /** @type {import("../connection/session.js").Change} */ (data);
        before = 0;
        if (isDone(entry, change.events)) entry = emptyEntry(rules.pegs); // sent on any connection
        set(find("time"), "textContent", "");
      }
      if (kind === "chat") talk?.added();
      playback.step();
    },
  };
}
