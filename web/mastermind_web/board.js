// The match screen: its sentences, the board, entering a code, playback, the result, and the chat.

import { MINUTE, SECOND, TENTHS, button, distrust, el, find, form, join, keys, linkOf, nameOf, note, refill, set, share, writeRating, writeTime } from "./elements.js";
import { allowsAids, isAllowed, isBot, parseSymbol, playersOf, pointsOf, roundNumber, seatOf, toMove, wholeTime } from "./game.js";
import { loadWithTexts, n, t, texts } from "./texts.js";

/**
 * @typedef {import("./types.js").Match} Match
 * @typedef {import("./types.js").Round} Round
 * @typedef {{round: Round, index: number, turns: number, ended: boolean}} Moment A position of the
 *     playback: a round with its first guesses.
 */

const SPEEDS = [3, 1.5, 0.7, 0.3]; // seconds per guess
const ENDED_SECONDS = 3; // of showing a code to spectators before the next round
const ENDED_CLOCKED_SECONDS = 6; // the same for players, whose clock of the next round runs already
const WHOLE_BOARD = 20; // a longer board grows with its guesses
const SPOKEN = [10_000, 30_000, 60_000]; // milliseconds left, when screen readers announce the own time

/** Return every position: each round without a guess, and after each guess. @param {Match} match @returns {Moment[]} */
function listMoments({ played, current }) {
  const rounds = current ? [...played, current] : played;
  return rounds.flatMap((round, index) => Array.from({ length: round.turns.length + 1 }, (_, turns) => (
    { round, index, turns, ended: round.how !== undefined && turns === round.turns.length }
  )));
}

/** Return whether an answer rules a colour out: nothing of the guess is right, or all of it. @param {Round} round @param {number} turns @param {number} colour */
function isAbsent({ turns: all }, turns, colour) {
  return all.slice(0, turns).some(({ code, black, white }) => (
    code.includes(colour) ? black + white === 0 : black + white === code.length
  ));
}

// The sentences about a running match. ends.js has those of its ends.

/** @param {Match} match @param {string} [id] */
export const findName = (match, id) => nameOf(playersOf(match).find((player) => player.id === id)?.name);

/** @param {{black: number, white: number}} feedback */
const describeFeedback = ({ black, white }) => [t("{number} black", { number: black }), t("{number} white", { number: white })]
  .map((words) => words.replaceAll(" ", "\u00a0")).join(", ");

/** Return a sentence about the time that is left, for screen readers. @param {number} left @param {boolean} live */
function speakTime(left, live) {
  const [minutes, seconds] = [Math.floor(left / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  const time = join(" ", minutes && n("{number} minute", "{number} minutes", minutes), (seconds || !minutes) && describeSeconds(seconds));
  return t("{time} left.", { time: live ? time : writeTime(left, live) });
}

/** @param {number} number */
export const describeSeconds = (number) => n("{number} second", "{number} seconds", number);

/** Return the sentence about a moment of a running round. @param {Match} match @param {Moment | undefined} moment @param {boolean} isLast @param {string | undefined} me @param {(code: number[]) => string} write */
function describeMoment(match, moment, isLast, me, write) {
  if (!moment) return match.outcome ? "" : t("Waiting for the second player.");
  const { round, turns } = moment;
  const turn = round.turns[turns - 1];
  if (turn) return t("Guess {number}, {pegs}: {answer}.", { number: turns, pegs: write(turn.code), answer: describeFeedback(turn) });
  return moment.ended ? "" : describeStart(match, round, isLast, me);
}

/** Return the sentence about a round before its first guess. @param {Match} match @param {Round} round @param {boolean} isLast @param {string} [me] */
export function describeStart(match, round, isLast, me) {
  const [maker, breaker] = [findName(match, round.maker), findName(match, round.breaker)];
  if (isLast && match.phase === "setting") return round.maker === me ? t("Hide a code for {name}.", { name: breaker }) : t("{name} is hiding a code.", { name: maker });
  if (round.drawn) return t("The time to set a secret is over: the server has drawn one.");
  if (round.maker === me) return t("Your code is hidden. {name} looks for it.", { name: breaker });
  if (!round.commitment) return t("{name} keeps no fixed code: each answer only has to fit its earlier ones.", { name: maker });
  return round.breaker === me ? t("{name} has hidden a code. Find it!", { name: maker }) : t("{breaker} looks for the code of {maker}.", { breaker, maker });
}

// The screen

/** Show a followed match. @param {import("./main.js").App} app @param {string} code @param {Match} opened */
export function openBoard(app, code, opened) {
  const { session, signal } = app;
  const { rules } = opened;
  const { pegs, palette, alphabets } = rules;
  const letters = [...[...alphabets].sort()[alphabets.length - 1]]; // say more than digits
  const write = (/** @type {number[]} */ guess) => guess.map((colour) => letters[colour]).join(" ");
  /** Return the name of a colour with its letter or digit. @param {number} colour */
  const label = (colour) => texts.colours[palette[colour]] + (letters[colour] > "9" ? ` (${letters[colour]})` : ` ${letters[colour]}`);
  const limit = rules.guesses ?? texts.limits.unlimitedGuesses;
  const emptyRow = /** @type {(number | undefined)[]} */ (Array(pegs).fill(undefined));
  let [entry, cursor, sending] = [emptyRow, 0, false];
  let moments = listMoments(opened);
  let at = app.opened.delete(code) ? Math.min(0, moments.length - 1) : moments.length - 1; // the displayed moment
  let [playing, speed] = [true, 1];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let ticking;
  let before = 0; // the time left that was shown
  /** The last change. @type {{events: import("./types.js").Event[], undone?: boolean}} */
  let change = { events: [] };
  /** The players of the two plates. @type {(import("./types.js").Player | undefined)[]} */
  let plates = [];
  /** Loads before it is needed. @type {typeof import("./ends.js") | undefined} */
  let ends;
  let loading = false; // ends
  let told = ""; // the displayed moment and its sentence

  const loadEnds = () => app.load(() => loadWithTexts(import("./ends.js")));
  const known = () => /** @type {import("./session.js").Followed} */ (session.matches.get(code));
  /** Return what the screen displays, and what the player may do now. */
  function look() {
    const match = /** @type {Match} */ (known().match);
    const me = session.player?.id;
    const isLast = at === moments.length - 1;
    const moment = /** @type {Moment | undefined} */ (moments[at]);
    const seat = seatOf(match, me);
    const ready = isLast && !moment?.ended && seat !== undefined && !match.outcome;
    const move = !ready || toMove(match)?.id !== me ? undefined : match.phase === "setting" ? "secret" : "guess";
    const entering = move !== undefined || (ready && match.phase === "setting" && seat === "breaker");
    const over = isLast && match.outcome !== undefined;
    const breaker = playersOf(match).find(({ id }) => id === (moments[at + 1] ?? moment)?.round.breaker);
    return { match, me, isLast, moment, seat, move, entering, over, paced: isBot(breaker) };
  }

  /** Return whether the match waits for the player, who may still read the end of the last round. @param {ReturnType<typeof look>} now */
  const isAwaited = ({ match, me, isLast, moment, seat }) => seat !== undefined && toMove(match)?.id === me && (isLast || moment?.ended === true);

  // Playback

  /** Show the moments that are due, schedule the next one, and draw. */
  function step() {
    clearTimeout(timer);
    if (signal.aborted) return;
    const { opened: { rated }, played, outcome } = look().match;
    if (!ends && !loading && (rated || played.length > 0 || outcome || change.undone || change.events.some(({ event }) => event === "resumed"))) {
      loading = true;
      loadEnds().then((module) => {
        ends = module;
        step();
      }, () => (loading = false)); // the status line shows why, and the next change loads it again
    }
    while (playing && at < moments.length - 1) {
      const { moment, seat, paced } = look();
      const seconds = moment?.ended ? (!seat ? ENDED_SECONDS : isLive() ? ENDED_CLOCKED_SECONDS : Infinity) : moment && paced ? SPEEDS[speed] : 0;
      if (seconds > 0) {
        if (seconds < Infinity) timer = setTimeout(() => show(at + 1), seconds * 1000);
        break;
      }
      at++;
    }
    draw();
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
    app.say(t("{seconds} seconds a guess.", { seconds: SPEEDS[speed].toLocaleString(texts.language) }));
    step();
  }

  // The row

  const isLive = () => known().match?.clock?.live === true;
  const isFull = () => !entry.includes(undefined);

  /** @param {(number | undefined)[]} pegsOfRow @param {number} place */
  function enter(pegsOfRow, place) {
    entry = pegsOfRow;
    cursor = Math.max(0, Math.min(place, pegs));
    draw();
  }

  /** @param {number} colour */
  function place(colour) {
    if (cursor === pegs) return;
    const filled = entry.map((before, peg) => (peg === cursor ? colour : before));
    const free = [filled.indexOf(undefined, cursor), filled.indexOf(undefined)].find((peg) => peg >= 0);
    enter(filled, free ?? pegs);
  }

  function erase() {
    const peg = entry[cursor] === undefined ? Math.max(0, cursor - 1) : cursor;
    enter(entry.map((colour, index) => (index === peg ? undefined : colour)), peg);
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
      draw();
      try {
        await session.perform(code, move, { code: entry });
      } finally {
        sending = false;
        draw();
      }
    });
  }

  /** Forget the entered code once it is sent, here or on another connection. */
  function tidyEntry() {
    if (change.events.some((event) => event.event === "round_ended" || (event.event === "guessed" && String(event.code) === String(entry)) || (event.event === "secret" && String(event.code) === String(entry)))) [entry, cursor] = [emptyRow, 0];
  }

  /** Focus the row above or below. @param {number} by */
  function focusRow(by) {
    const all = [codeRow, ...rows];
    const focused = all.findIndex((row) => row === document.activeElement);
    const start = focused < 0 ? (moments[at]?.turns ?? 0) + (by < 0 ? 1 : 0) : focused; // up: the last guess
    all[Math.max(0, Math.min(start + by, all.length - 1))].focus();
  }

  /** Handle a key, and return whether it means something here. @param {string} key @param {Element} target */
  function press(key, target) {
    const colour = parseSymbol(key, rules);
    const [up, left] = [{ ArrowUp: -1, ArrowDown: 1 }[key], { ArrowLeft: -1, ArrowRight: 1 }[key]];
    if (key === ".") {
      told = "";
      app.say("");
      setTimeout(draw);
    } else if (key === ",") {
      const left = session.timeLeft(code);
      set(find("time"), "textContent", "");
      setTimeout(() => set(find("time"), "textContent", left === undefined ? "" : speakTime(left, isLive())));
    } else if (key === "/") find("line").focus();
    else if (up) focusRow(up);
    else if (!look().entering) return false;
    else if (colour !== undefined || key === "Backspace" || key === "Delete") {
      if (colour === undefined) erase();
      else place(colour);
      if (target.closest("button, a, summary") && !target.closest(".palette")) grid.focus(); // Enter sends
    }
    else if (left) enter(entry, cursor + left);
    else if (key === "Enter" && (!target.closest("button, a, summary") || (isFull() && target.closest(".palette")))) send();
    else return false;
    return true;
  }

  /** @param {string} number */
  function makeRow(number) {
    const cells = Array.from({ length: pegs }, (_, peg) => (
      el("span", { role: "gridcell", onclick: () => row.classList.contains("now") && enter(entry, peg) })
    ));
    const row = el(
      "div", { role: "row", className: "row", tabIndex: -1 },
      el("span", { className: "number", ...(number && { role: "rowheader" }) }, number),
      el("span", { className: "pegs" }, ...cells),
      el("span", { role: "gridcell", className: "answer" }),
    );
    return row;
  }

  // Drawing

  /** @param {HTMLElement} row @param {(number | undefined)[]} [pegsOfRow] @param {"now" | "sealed" | ""} [state] */
  function drawRow(row, pegsOfRow, state = "") {
    for (const [peg, cell] of [...row.children[1].children].entries()) {
      const colour = pegsOfRow?.[peg];
      const current = state === "now" && peg === cursor ? " current" : "";
      const [name, letter, words] = colour !== undefined
        ? [palette[colour], letters[colour], label(colour)]
        : state === "sealed" ? [state, "?", t("hidden")] : ["empty", "", t("empty")];
      set(cell, "className", `peg ${name}${current}`);
      set(cell, "textContent", letter);
      set(cell, "ariaLabel", words);
    }
    row.classList.toggle("now", state === "now");
  }

  function draw() {
    if (signal.aborted) return;
    if (!grid.isConnected) begin();
    const focused = document.activeElement;
    const now = look();
    drawHeader(now);
    drawClocks();
    const badge = isAwaited(now) ? t("Your turn") : ends?.hasRematch(now) ? t("Rematch") : "";
    document.title = `${badge || rules.name} - Mastermind`;
    const { outcome, played, current } = now.match;
    const begun = outcome || played.length > 0 || current?.turns.length;
    const displayed = ends?.describeEnds(now.match, now.moment, now.isLast, now.me) || describeMoment(now.match, now.moment, now.isLast, now.me, write);
    const watches = !now.seat && current && change.events.length === 0 && t("Both seats are taken: you are watching.");
    const sentence = join(" ", watches, ends?.describeNews(now.match, change, now.me), displayed, !begun && ends?.describeProspects(now.match, now.me));
    if (told !== at + badge + sentence) app.say(sentence, badge);
    told = at + badge + sentence;
    drawControls(now);
    drawBoard(now); // the last, as it scrolls within the height that the others leave
    if (focused && (focused.closest("[hidden]") || !focused.isConnected)) (panel.querySelector("button") ?? grid).focus();
  }

  /** @param {ReturnType<typeof look>} now */
  function drawHeader({ match, me, moment, seat }) {
    const { spectators, present } = known();
    const { rounds, rated, clock } = match.opened;
    const about = join(
      " · ",
      !seat && !match.outcome && t("you are watching"),
      rated && (match.unrated ? t("not rated") : t("rated")),
      clock,
      rounds > 1 && t("round {number} of {rounds}", { number: (moment?.index ?? 0) + 1, rounds }),
      code,
      spectators > 0 && n("{number} watching", "{number} watching", spectators),
    );
    set(find("about"), "textContent", about);
    const scored = { ...match, played: moment ? match.played.slice(0, moment.index + (moment.ended ? 1 : 0)) : [] };
    const players = playersOf(match).sort((one, other) => (other.id === me || (one.id !== me && one.id < other.id) ? -1 : 1));
    plates = players.length === 1 && players[0].id === me ? [undefined, ...players] : players;
    for (const [index, id] of ["them", "me"].entries()) {
      const plate = find(id);
      const player = plates[index];
      if (!plate.firstChild) plate.append(el("span", {}, el("b"), " ", el("small")), el("span", { className: "clock" }));
      const [name, standing] = plate.children[0].children;
      const points = player ? pointsOf(scored, player.id) : 0;
      const absent = player && !isBot(player) && player.id !== me && !present.includes(player.id);
      const hides = player?.id === (moment?.round.maker ?? match.maker?.id);
      const rating = player && (match.ratings?.find((change) => change.player === player.id)?.after ?? match.before[player.id]);
      const words = player && join(
        " · ",
        rating && writeRating(rating),
        player.id === me ? t("you") : isBot(player) && t("bot"),
        match.left.includes(player.id) ? t("has left") : absent ? t("away") : hides ? t("hides it") : t("breaks it"),
        rounds > 1 && n("{number} point", "{number} points", points),
      );
      set(name, "textContent", player ? nameOf(player.name) : match.outcome ? "" : t("Free seat"));
      set(standing, "textContent", words ?? "");
      plate.classList.toggle("mine", player !== undefined && player.id === me);
      plate.classList.toggle("turn", player !== undefined && toMove(match)?.id === player.id);
    }
  }

  /** Show the clocks, announce the end of one's own time, and show them again when they change. */
  function drawClocks() {
    clearTimeout(ticking);
    const { match, me } = look();
    const { clock, phase } = match;
    if (!clock) return;
    const left = session.timeLeft(code);
    const mover = toMove(match);
    const whole = writeTime(wholeTime(clock, "breaking"), true);
    for (const [index, id] of ["them", "me"].entries()) {
      const shown = find(id).children[1];
      const runs = left !== undefined && plates[index]?.id === mover?.id;
      // The other player has the whole time ahead, if it still breaks a code.
      const waits = phase === "gathering" || (phase === "setting" && plates[index]?.id === match.breaker?.id) || (phase !== "finished" && roundNumber(match) < match.opened.rounds);
      set(shown, "textContent", runs ? writeTime(left, clock.live) : clock.live && waits ? whole : "");
      shown.classList.toggle("low", runs && clock.live && left <= wholeTime(clock, phase) / 10);
    }
    if (left === undefined) return;
    const due = clock.live && mover?.id === me && SPOKEN.find((each) => before > each && left <= each);
    if (due) set(find("time"), "textContent", speakTime(due, true));
    before = left;
    const unit = !clock.live ? MINUTE : left > TENTHS ? 1000 : 100;
    if (left > 0) ticking = setTimeout(drawClocks, (left % unit) + 1);
  }

  /** @param {ReturnType<typeof look>} now */
  function drawBoard({ match, me, moment, move, entering }) {
    const turns = moment?.turns ?? 0;
    const length = limit <= WHOLE_BOARD ? limit : Math.min(limit, Math.max(6, turns + 2, rows.length));
    while (rows.length < length) rows.push(makeRow(String(rows.length + 1)));
    grid.append(...rows.filter((row) => !row.parentNode));
    const { secret, maker, drawn, advised: advice } = moment?.round ?? {};
    const hiding = move === "secret";
    const code = hiding ? entry : moment?.ended || maker === me ? secret : undefined;
    drawRow(codeRow, code, hiding ? "now" : code ? "" : "sealed");
    set(codeRow.children[2], "textContent", !maker ? "" : drawn ? t("The code") : maker === me ? t("Your code") : t("The code of {name}", { name: findName(match, maker) }));
    for (const [index, row] of rows.entries()) {
      const turn = index < turns ? moment?.round.turns[index] : undefined;
      const isEntry = !hiding && entering && index === turns;
      const [number, , answer] = row.children;
      drawRow(row, turn?.code ?? (isEntry ? entry : []), isEntry ? "now" : "");
      const missing = isEntry ? entry.filter((colour) => colour === undefined).length : 0;
      const words = turn ? describeFeedback(turn) : missing ? n("{number} more peg", "{number} more pegs", missing) : "";
      if (answer.textContent !== words) answer.replaceChildren(...(turn ? [keys(turn.black, turn.white, pegs)] : []), el("span", { className: turn ? "" : "dim" }, words));
      set(number, "textContent", turn && advice?.includes(index + 1) ? `${index + 1}*` : String(index + 1));
      set(/** @type {HTMLElement} */ (number), "title", turn && advice?.includes(index + 1) ? t("with advice") : "");
    }
    const current = moment?.ended ? turns : Math.min(turns + 1, rows.length); // the last guess, below the code, which stays visible
    currentRow = hiding ? codeRow : [codeRow, ...rows][current];
    scroll();
  }

  /** Scroll the board to its current row, with the rows above and below if they fit. */
  function scroll() {
    const { offsetTop, offsetHeight } = currentRow;
    const margin = Math.min(offsetHeight, Math.max(0, grid.clientHeight - offsetHeight) / 2);
    grid.scrollTop = Math.max(Math.min(grid.scrollTop, offsetTop - margin), offsetTop + offsetHeight + margin - grid.clientHeight);
  }

  /** @param {ReturnType<typeof look>} now */
  function drawControls({ match, me, moment, seat, isLast, move, entering, over, paced }) {
    colours.hidden = !entering;
    set(sendButton, "textContent", match.phase === "setting" && seat === "maker" ? t("Hide it") : t("Send"));
    for (const [colour, key] of tiles.entries()) {
      const absent = move === "guess" && allowsAids(match) && moment !== undefined && isAbsent(moment.round, moment.turns, colour);
      key.classList.toggle("absent", absent);
      key.ariaLabel = absent ? t("{colour}, not in the code", { colour: label(colour) }) : label(colour);
    }
    sendButton.ariaDisabled = String(!move || !isFull() || sending);
    const { error, advice } = known();
    const result = ends && (moment?.ended || over) ? ends.makeResult(app, code, () => show(at + 1, true), look()) : [];
    refill(panel, ...(error ? [distrust(), note(error.message)] : result));
    const held = moment?.ended && seat && !match.outcome;
    replay.hidden = entering || held || moments.length < 2 || (seat !== undefined && isLast && !over && !paced);
    set(play, "textContent", playing ? "❚❚" : "▶");
    play.ariaLabel = playing ? t("Pause") : t("Play back");
    for (const control of actions.querySelectorAll("button")) {
      const { op } = control.dataset;
      control.hidden = op !== undefined && (!isLast || match.outcome !== undefined || !isAllowed(match, { op }, me));
    }
    if (refill(advicePanel, ...(advice && move === "guess" ? listAdvice(advice) : [])) && advicePanel.firstChild) {
      app.say([...advicePanel.children].map(({ textContent }) => textContent).join(" "), t("Your turn"));
      // The key for advice is hidden by now, and its focus is on the board.
      if (document.activeElement === grid && !isFull()) advicePanel.querySelector("button")?.focus();
    }
  }

  /** @param {any} advice */
  function listAdvice({ left, guesses }) {
    const fill = (/** @type {{code: number[]}} */ { code: guess }) => button(write(guess), () => {
      enter([...guess], pegs);
      grid.focus(); // Enter sends
    });
    return [el("span", {}, n("{number} code is possible. Try:", "{number} codes are possible. Try:", left)), ...guesses.map(fill)];
  }

  // Requests

  /** @param {string} op @param {{}} [fields] */
  const perform = (op, fields) => app.attempt(op, () => session.perform(code, op, fields));

  const resign = () => app.attempt("resign", async () => (await loadEnds()).resign(app, code));
  const leave = () => app.attempt("leave", async () => (await loadEnds()).leave(app, code, isLive()));

  async function say() {
    const text = line.value;
    if (!text.trim()) return;
    await session.perform(code, "say", { text });
    if (line.value === text) line.value = ""; // otherwise the next line is being typed
  }

  /** Add the lines that the log lacks, and count them until the log is seen. @param {boolean} [isNew] */
  function addLines(isNew = false) {
    const added = known().chat.slice(log.childElementCount);
    if (isNew && hint.dataset.below && !log.classList.contains("muted")) {
      unread += added.filter(({ by }) => by !== session.player?.id).length;
      hint.textContent = n("{number} new chat line", "{number} new chat lines", unread);
      hint.hidden = unread === 0;
    }
    for (const { by, name, text, phrase = 0, room } of added) {
      const speaker = el("b", {}, by === session.player?.id ? t("You") : nameOf(name));
      log.append(el("p", { className: by === session.player?.id ? "" : "theirs" }, speaker, room === "spectators" && [" (", t("watching"), ")"].join(""), " ", text ?? texts.phrases[phrase - 1] ?? `#${phrase}`));
    }
    log.scrollTop = log.scrollHeight;
  }

  // The elements

  /** @type {HTMLElement[]} */
  const rows = [];
  const codeRow = makeRow("");
  let currentRow = /** @type {HTMLElement} */ (codeRow);
  const grid = el("div", { role: "grid", "aria-label": t("Board"), className: "board", tabIndex: 0 }, codeRow);
  grid.style.setProperty("--pegs", String(pegs));
  const resized = new ResizeObserver(scroll);
  const tiles = palette.map((name, colour) => (
    el("button", { type: "button", className: `peg ${name}`, onclick: () => place(colour) }, letters[colour])
  ));
  const sendButton = button(t("Send"), send, "btn main");
  const colours = el(
    "div", {},
    el("div", { className: "palette", role: "group", "aria-label": t("Colours") }, ...tiles),
    el("div", { className: "go" }, button(t("Erase"), erase), sendButton),
  );
  colours.style.setProperty("--columns", String(tiles.length > 7 ? Math.ceil(tiles.length / 2) : tiles.length));
  const panel = el("div", { className: "panel" });
  const advicePanel = el("div", { className: "buttons" });
  /** @type {[sign: string, label: string, act: () => void][]} */
  const controls = [
    ["«", t("To the start"), () => show(0, false)],
    ["‹", t("One guess back"), () => show(at - 1, false)],
    ["▶", t("Play back"), () => show(at, !playing)],
    ["›", t("One guess on"), () => show(at + 1, false)],
    ["»", t("To the end"), () => show(moments.length - 1, true)],
    ["−", t("Slower"), () => setPace(-1)],
    ["+", t("Faster"), () => setPace(1)],
  ];
  const signs = controls.map(([sign, label, onclick]) => el("button", { type: "button", className: "btn", "aria-label": label, onclick }, sign));
  const play = signs[2];
  const replay = el("div", { className: "buttons replay", role: "group", "aria-label": t("Playback") }, ...signs);
  /** @type {[op: string, label: string, act: () => unknown][]} */
  const moves = [["advise", t("Advice"), () => perform("advise", { most: 3 })], ["resign", t("Give up"), resign], ["leave", t("Leave"), leave]];
  const actions = el(
    "div", { className: "buttons actions" },
    ...moves.map(([op, label, onclick]) => el("button", { type: "button", className: "btn", "data-op": op, onclick }, label)),
    button(t("Help"), () => app.help(rules)),
    button(t("Share"), () => share(app, { url: linkOf(app, code) })),
  );
  const log = el("div", { className: "lines", role: "log", "aria-label": t("Chat"), tabIndex: 0 });
  const hint = button("", () => find("talk").scrollIntoView(), "btn hint");
  let unread = 0;
  const sight = new IntersectionObserver(([{ isIntersecting }]) => {
    hint.dataset.below = isIntersecting ? "" : "yes";
    if (isIntersecting) [unread, hint.hidden] = [0, true];
  });
  const line = el("input", { id: "line", type: "text", maxLength: session.terms?.bounds.chat ?? 120, autocomplete: "off", "aria-label": t("Chat line"), placeholder: t("Say something") });
  const phrases = texts.phrases.map((phrase, index) => button(phrase, () => perform("say", { phrase: index + 1 })));
  const mute = button(t("Hide what others say"), () => (mute.ariaPressed = String(log.classList.toggle("muted"))));
  mute.ariaPressed = "false";
  const forms = [
    log,
    form(app, say, line, el("button", { className: "btn" }, t("Say"))),
    el("details", {}, el("summary", {}, t("Phrases")), el("div", { className: "buttons" }, ...phrases, mute)),
  ];
  step();

  function begin() {
    find("talk").replaceChildren(...forms);
    find("talk").hidden = false;
    hint.hidden = true;
    sight.observe(line);
    resized.observe(grid);
    find("controls").replaceChildren(colours, panel, advicePanel, replay, actions, hint);
    app.show(rules.name, grid);
    addLines();
  }

  return {
    code,
    rules,
    press,
    close() {
      clearTimeout(timer);
      clearTimeout(ticking);
      set(find("time"), "textContent", "");
      sight.disconnect();
      resized.disconnect();
    },
    /** Show a change of the session. @param {string} kind @param {any} data */
    update(kind, data) {
      const { match } = known() ?? {};
      if (!match || (data?.code ?? code) !== code) return;
      moments = listMoments(match);
      at = Math.min(at, moments.length - 1);
      if (kind === "match") {
        [change, before] = [data, 0];
        tidyEntry();
        set(find("time"), "textContent", "");
      }
      if (kind === "chat") addLines(true);
      step();
    },
  };
}
