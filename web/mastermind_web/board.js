// The match screen: the board, entering a code, playback, the result, and the chat.

import { checkRound, isBot, parseSymbol, playersOf, pointsOf, refuse, roundNumber, seatOf, toMove } from "./game.js";
import { button, el, find, keys, linkOf, nameOf, server, set, share, terminal } from "./pages.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {import("./game.js").Match} Match
 * @typedef {import("./game.js").Round} Round
 * @typedef {{round: Round, index: number, turns: number, ended: boolean}} Moment A displayed position:
 *     a round with its first guesses.
 */

const SPEEDS = [3, 1.5, 0.7, 0.3]; // seconds per guess
const ENDED_SECONDS = 3; // of showing a code to spectators before the next round
const WHOLE_BOARD = 20; // a longer board grows with its guesses

/** Return every position of a match: each round without a guess, and after each guess. @param {Match} match @returns {Moment[]} */
function listMoments({ played, current }) {
  const rounds = current ? [...played, current] : played;
  return rounds.flatMap((round, index) => Array.from({ length: round.turns.length + 1 }, (_, turns) => (
    { round, index, turns, ended: round.how !== undefined && turns === round.turns.length }
  )));
}

export class Board {
  /** @type {(number | undefined)[]} */
  #entry = [];
  #cursor = 0;
  #sending = false;
  /** @type {Moment[]} */
  #moments = [];
  #at = -1; // the index of the displayed moment
  #playing = true;
  #speed = 1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #panelKey = "";
  #told = ""; // the moment of the last sentence
  /** @type {HTMLElement[]} */
  #rows = [];
  #lines = 0;

  /** @param {App} app @param {string} code */
  constructor(app, code) {
    this.app = app;
    this.code = code;
    const { match } = this.#known;
    if (!match) {
      app.show(code, el("p", { className: "alarm", role: "alert" }, t("This match cannot be shown: {problem}", { problem: this.#known.error?.message ?? "" })));
      return;
    }
    this.rules = match.rules;
    // Letters say more than digits.
    const alphabet = [...match.rules.alphabets].sort()[match.rules.alphabets.length - 1];
    /** The character and the name of each colour. @type {{name: string, letter: string, className: string}[]} */
    this.colours = match.rules.palette.map((name, index) => ({ name: texts.colours[name], letter: alphabet[index], className: name }));
    this.codeRow = this.#makeRow("");
    this.grid = el("div", { role: "grid", "aria-label": t("Board"), className: "board", tabIndex: -1 }, this.codeRow);
    this.grid.style.setProperty("--pegs", String(match.rules.pegs));
    this.panel = el("div", { className: "panel" });
    this.advice = el("div", { className: "buttons", hidden: true });
    this.replay = this.#makeReplay();
    this.actions = el("div", { className: "buttons actions" });
    app.show(match.rules.name, this.grid);
    find("controls").replaceChildren(this.panel, this.advice, this.replay, this.actions);
    this.#makeActions();
    this.#makeChat();
    this.#moments = listMoments(match);
    this.#at = app.shows.has(code) ? Math.min(0, this.#moments.length - 1) : this.#moments.length - 1;
    app.shows.delete(code);
    this.#step();
  }

  close() {
    clearTimeout(this.#timer);
  }

  /** Show a change of the session. @param {string} kind @param {any} data */
  update(kind, data) {
    if (!this.rules || (data?.code ?? this.code) !== this.code) return;
    const { match } = this.#known;
    if (!match) return;
    const atEnd = this.#at === this.#moments.length - 1;
    this.#moments = listMoments(match);
    if (kind === "match" && data.events.some((/** @type {any} */ { event }) => event === "guessed" || event === "secret")) this.#tidyEntry();
    if (atEnd) this.#playing = true;
    if (kind === "chat") this.#addLines();
    this.#step();
  }

  get #known() {
    const known = this.app.session.matches.get(this.code);
    if (!known) throw new RangeError(`${this.code} is not followed`);
    return known;
  }

  get #match() {
    return /** @type {Match} */ (this.#known.match);
  }

  get #me() {
    return this.app.session.player?.id;
  }

  get #moment() {
    return this.#moments[this.#at];
  }

  get #isLast() {
    return this.#at === this.#moments.length - 1;
  }

  /** The request for the entered code: of the displayed moment, if it is the player's turn. */
  get #move() {
    const match = this.#match;
    if (!this.#isLast || this.#moment?.ended || !this.#me || toMove(match)?.id !== this.#me) return undefined;
    return match.phase === "setting" ? "secret" : "guess";
  }

  /** Whether the player may fill a row: also while the opponent hides the code. */
  get #isEntering() {
    const { phase } = this.#match;
    return this.#move !== undefined || (this.#isLast && phase === "setting" && seatOf(this.#match, this.#me) === "breaker" && !this.#moment?.ended);
  }

  /** @param {string | undefined} id */
  #name(id) {
    return nameOf(playersOf(this.#match).find((player) => player.id === id)?.name);
  }

  // ---- Playback

  /** Return the seconds until the next moment is shown; Infinity if the player asks for it. @param {Moment} next */
  #delay(next) {
    const moment = this.#moment;
    if (!moment) return 0;
    if (moment.ended) return seatOf(this.#match, this.#me) ? Infinity : ENDED_SECONDS;
    const breaker = playersOf(this.#match).find(({ id }) => id === next.round.breaker);
    return isBot(breaker) ? SPEEDS[this.#speed] : 0;
  }

  /** Show the moments that are due, and schedule the next one. */
  #step() {
    clearTimeout(this.#timer);
    while (this.#playing && !this.#isLast) {
      const delay = this.#delay(this.#moments[this.#at + 1]);
      if (delay > 0) {
        if (delay < Infinity) this.#timer = setTimeout(() => this.#show(this.#at + 1), delay * 1000);
        break;
      }
      this.#at++;
    }
    this.#draw();
  }

  /** Show a moment. @param {number} index @param {boolean} [playing] */
  #show(index, playing = this.#playing) {
    const before = this.#moment?.index;
    this.#at = Math.max(0, Math.min(index, this.#moments.length - 1));
    this.#playing = playing || this.#isLast;
    if (this.#moment?.index !== before) this.#clearEntry();
    this.#step();
  }

  #makeReplay() {
    const symbol = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => void} */ onclick) => (
      el("button", { type: "button", className: "btn", title: label, "aria-label": label, onclick }, sign)
    );
    const pace = (/** @type {number} */ by) => {
      this.#speed = Math.max(0, Math.min(this.#speed + by, SPEEDS.length - 1));
      this.app.say(t("{seconds} seconds a guess.", { seconds: SPEEDS[this.#speed].toLocaleString(texts.language) }));
      this.#step();
    };
    this.play = symbol("", "", () => this.#show(this.#at, !this.#playing));
    return el(
      "div", { className: "buttons replay", role: "group", "aria-label": t("Playback") },
      symbol("«", t("To the start"), () => this.#show(0, false)),
      symbol("‹", t("One guess back"), () => this.#show(this.#at - 1, false)),
      this.play,
      symbol("›", t("One guess on"), () => this.#show(this.#at + 1, false)),
      symbol("»", t("To the end"), () => this.#show(this.#moments.length - 1, true)),
      symbol("−", t("Slower"), () => pace(-1)),
      symbol("+", t("Faster"), () => pace(1)),
    );
  }

  // ---- The row

  #clearEntry() {
    this.#entry = [];
    this.#cursor = 0;
  }

  /** Forget a code that this player has sent, here or on another connection. */
  #tidyEntry() {
    const { current } = this.#match;
    const sent = current?.turns.at(-1)?.code ?? current?.secret;
    if (String(sent) === String(this.#entry)) this.#clearEntry();
  }

  get #full() {
    return this.#entry.length === this.rules?.pegs && !this.#entry.includes(undefined);
  }

  /** @param {number} colour */
  #place(colour) {
    const pegs = this.rules?.pegs ?? 0;
    if (this.#cursor >= pegs) return;
    this.#entry = Array.from({ length: pegs }, (_, peg) => (peg === this.#cursor ? colour : this.#entry[peg]));
    const free = this.#entry.findIndex((each, peg) => peg > this.#cursor && each === undefined);
    this.#cursor = free >= 0 ? free : this.#full ? pegs : this.#entry.indexOf(undefined);
    this.#draw();
  }

  #erase() {
    if (this.#entry[this.#cursor] === undefined) this.#cursor = Math.max(0, this.#cursor - 1);
    this.#entry[this.#cursor] = undefined;
    this.#draw();
  }

  /** @param {number} peg */
  #moveTo(peg) {
    this.#cursor = Math.max(0, Math.min(peg, this.rules?.pegs ?? 0));
    this.#draw();
  }

  async #send() {
    const move = this.#move;
    if (!move || this.#sending) return;
    if (!this.#full) {
      this.app.say(t("The row is not full yet."), t("Your turn"));
      return;
    }
    this.#sending = true;
    this.#draw();
    await this.app.attempt(() => this.app.session.perform(this.code, move, { code: [...this.#entry] }));
    this.#sending = false;
    this.#draw();
  }

  /** Handle a key, and return whether it means something here. @param {string} key @param {Element} target */
  press(key, target) {
    const colour = this.rules && parseSymbol(key, this.rules);
    if (key === ".") {
      this.#told = "";
      this.app.say("");
      setTimeout(() => this.#draw());
    } else if (key === "/") document.getElementById("line")?.focus();
    else if (key === "ArrowUp" || key === "ArrowDown") this.#focusRow(key === "ArrowUp" ? -1 : 1);
    else if (!this.#isEntering) return false;
    else if (colour !== undefined) this.#place(colour);
    else if (key === "Backspace" || key === "Delete") this.#erase();
    else if (key === "ArrowLeft" || key === "ArrowRight") this.#moveTo(this.#cursor + (key === "ArrowLeft" ? -1 : 1));
    else if (key === "Enter" && (!target.closest("button, a") || (this.#full && target.closest(".palette")))) this.#send();
    else return false;
    return true;
  }

  /** @param {number} by */
  #focusRow(by) {
    const rows = [this.codeRow, ...this.#rows];
    const focused = rows.findIndex((row) => row === document.activeElement);
    const start = focused >= 0 ? focused : (this.#moment?.turns ?? 0) + (by > 0 ? 0 : 1);
    rows[Math.max(0, Math.min(start + by, rows.length - 1))]?.focus();
  }

  /** @param {string} number */
  #makeRow(number) {
    const cells = Array.from({ length: this.rules?.pegs ?? 0 }, (_, peg) => (
      el("span", { role: "gridcell", className: "peg empty", onclick: () => row.dataset.entry && this.#moveTo(peg) })
    ));
    const row = el(
      "div", { role: "row", className: "row", tabIndex: -1 },
      el("span", { className: "number", ...(number && { role: "rowheader" }) }, number),
      el("span", { className: "pegs" }, ...cells),
      el("span", { role: "gridcell", className: "answer" }),
    );
    return row;
  }

  /** Draw the pegs of a row. @param {HTMLElement} row @param {(number | undefined)[] | undefined} code @param {{entry?: boolean, sealed?: boolean}} [state] */
  #paint(row, code, { entry, sealed } = {}) {
    const cells = row.children[1].children;
    for (const [peg, cell] of [...cells].entries()) {
      const colour = code?.[peg];
      const current = entry && peg === this.#cursor ? " current" : "";
      const shown = colour === undefined ? undefined : this.colours?.[colour];
      set(cell, "className", `peg ${shown?.className ?? (sealed ? "sealed" : "empty")}${current}`);
      set(cell, "textContent", shown?.letter ?? (sealed ? "?" : ""));
      set(cell, "ariaLabel", shown?.name ?? (sealed ? t("hidden") : t("empty")));
    }
    if (entry) row.dataset.entry = "true";
    else delete row.dataset.entry;
    row.classList.toggle("now", entry === true);
  }

  // ---- Drawing

  #draw() {
    this.#drawHeader();
    this.#drawBoard();
    this.#drawStatus();
    this.#drawControls();
  }

  #drawHeader() {
    const match = this.#match;
    const { spectators, present } = this.#known;
    const { rounds, rated } = match.opened;
    const number = (this.#moment?.index ?? 0) + 1;
    const about = [
      rated && t("rated"),
      rounds > 1 && t("round {number} of {rounds}", { number, rounds }),
      this.code,
      spectators > 0 && n("{number} watching", "{number} watching", spectators, { number: spectators }),
    ];
    set(find("about"), "textContent", about.filter(Boolean).join(" · "));
    const players = playersOf(match).sort((one, other) => (one.id < other.id ? -1 : 1));
    const mine = players.findIndex(({ id }) => id === this.#me);
    const [them, me] = mine === 0 ? [players[1], players[0]] : players;
    for (const [id, player] of /** @type {const} */ ([["them", them], ["me", me]])) {
      const plate = find(id);
      if (plate.children.length === 0) plate.append(el("span", {}, el("b"), " ", el("small")), el("span", { className: "clock" }));
      const [name, about] = plate.children[0].children;
      const hides = player?.id === (this.#moment?.round.maker ?? match.maker?.id);
      const away = player && player.bot === undefined && !present.includes(player.id) && player.id !== this.#me;
      const what = !player ? "" : match.left.includes(player.id) ? t("has left") : away ? t("away") : hides ? t("hides it") : t("breaks it");
      set(name, "textContent", player ? nameOf(player.name) : t("Free seat"));
      set(about, "textContent", [player?.id === this.#me ? t("you") : isBot(player) && t("bot"), what].filter(Boolean).join(" · "));
      set(plate.children[1], "textContent", player && rounds > 1 ? n("{number} point", "{number} points", this.#points(player.id), { number: this.#points(player.id) }) : "");
      plate.classList.toggle("mine", player !== undefined && player.id === this.#me);
      plate.classList.toggle("turn", player !== undefined && toMove(match)?.id === player.id);
    }
  }

  /** Return the points of a player up to the displayed moment. @param {string} id */
  #points(id) {
    const shown = (this.#moment?.index ?? 0) + (this.#moment?.ended ? 1 : 0);
    return pointsOf({ ...this.#match, played: this.#match.played.slice(0, shown) }, id);
  }

  #drawBoard() {
    const { rules } = this;
    const moment = this.#moment;
    if (!rules || !this.codeRow) return;
    const entering = this.#isEntering;
    const hiding = this.#move === "secret";
    const limit = rules.guesses ?? texts.limits.unlimitedGuesses;
    const turns = moment?.turns ?? 0;
    const wanted = limit <= WHOLE_BOARD ? limit : Math.min(limit, Math.max(6, turns + 2, this.#rows.length));
    while (this.#rows.length < wanted) {
      const row = this.#makeRow(String(this.#rows.length + 1));
      this.#rows.push(row);
      this.grid?.append(row);
    }
    const { secret, maker } = moment?.round ?? {};
    const known = moment?.ended || maker === this.#me ? secret : undefined;
    this.#paint(this.codeRow, hiding ? this.#entry : known, { entry: hiding, sealed: !hiding && !known });
    const label = maker === this.#me && maker ? t("Your code") : known ? t("The code of {name}", { name: this.#name(maker) }) : t("The code of {name}, hidden", { name: this.#name(maker) });
    set(this.codeRow.children[2], "textContent", maker ? label : "");
    for (const [index, row] of this.#rows.entries()) {
      const turn = moment && index < turns ? moment.round.turns[index] : undefined;
      const entry = !turn && !hiding && entering && index === turns;
      this.#paint(row, turn?.code ?? (entry ? this.#entry : undefined), { entry });
      row.classList.toggle("later", !turn && index > turns);
      const answer = row.children[2];
      const advised = turn && moment?.round.advised.includes(index + 1);
      const words = turn ? this.#describe(turn) + (advised ? `, ${t("with advice")}` : "") : entry ? this.#countMissing() : "";
      if (answer.textContent !== words) answer.replaceChildren(...(turn ? [keys(turn.black, turn.white, rules.pegs)] : []), el("span", { className: turn ? "" : "dim" }, words));
    }
    const current = hiding ? this.codeRow : this.#rows[Math.min(turns, this.#rows.length - 1)];
    if (current && this.grid) {
      const [top, bottom] = [current.offsetTop - current.offsetHeight, current.offsetTop + current.offsetHeight * 2];
      if (top < this.grid.scrollTop) this.grid.scrollTop = top;
      if (bottom > this.grid.scrollTop + this.grid.clientHeight) this.grid.scrollTop = bottom - this.grid.clientHeight;
    }
  }

  #countMissing() {
    const missing = (this.rules?.pegs ?? 0) - this.#entry.filter((colour) => colour !== undefined).length;
    return missing > 0 ? n("{number} more peg", "{number} more pegs", missing, { number: missing }) : "";
  }

  /** @param {{black: number, white: number}} feedback */
  #describe({ black, white }) {
    return [t("{number} black", { number: black }), t("{number} white", { number: white })].join(", ");
  }

  /** Say one sentence about each displayed moment. */
  #drawStatus() {
    const match = this.#match;
    const moment = this.#moment;
    const badge = this.#move ? t("Your turn") : "";
    document.title = `${badge || match.rules.name} - Mastermind`;
    const told = [this.#at, match.phase, badge, match.outcome?.how, match.left.length, match.current?.commitment].join();
    if (told === this.#told) return;
    this.#told = told;
    this.app.say(moment ? this.#tell(moment) : this.#tellGathering(), badge);
  }

  #tellGathering() {
    return this.#match.phase === "gathering" ? t("Waiting for the second player.") : t("The match is closed.");
  }

  /** @param {Moment} moment */
  #tell(moment) {
    const { round, turns, ended } = moment;
    const [maker, breaker] = [this.#name(round.maker), this.#name(round.breaker)];
    if (ended) return [this.#tellEnd(moment), this.#isLast && this.#tellOutcome()].filter(Boolean).join(" ");
    if (this.#isLast && this.#match.outcome) return this.#tellOutcome();
    const turn = round.turns[turns - 1];
    if (turn) {
      const pegs = turn.code.map((colour) => this.colours?.[colour].letter).join(" ");
      return t("Guess {number}, {pegs}: {answer}.", { number: turns, pegs, answer: this.#describe(turn) });
    }
    if (this.#isLast && this.#match.phase === "setting") return round.maker === this.#me ? t("Hide a code for {name}.", { name: breaker }) : t("{name} is hiding a code.", { name: maker });
    if (round.maker === this.#me) return t("Your code is hidden. {name} looks for it.", { name: breaker });
    if (!round.commitment) return t("{name} keeps no fixed code: each answer only has to fit its earlier ones.", { name: maker });
    return round.breaker === this.#me ? t("{name} has hidden a code. Find it!", { name: maker }) : t("{breaker} looks for the code of {maker}.", { breaker, maker });
  }

  /** @param {Moment} moment */
  #tellEnd({ round, turns: number }) {
    const [mine, values] = [round.breaker === this.#me, { number, name: this.#name(round.breaker) }];
    if (round.how === "broken") {
      return mine
        ? n("You broke the code in {number} guess.", "You broke the code in {number} guesses.", number, values)
        : n("{name} broke the code in {number} guess.", "{name} broke the code in {number} guesses.", number, values);
    }
    if (round.how === "resigned") {
      return mine
        ? n("You gave up after {number} guess: the code stands.", "You gave up after {number} guesses: the code stands.", number, values)
        : n("{name} gave up after {number} guess: the code stands.", "{name} gave up after {number} guesses: the code stands.", number, values);
    }
    if (round.how === "left") return n("The round ends after {number} guess.", "The round ends after {number} guesses.", number, values);
    return n("The code stands: {number} guess used, none left.", "The code stands: {number} guesses used, none left.", number, values);
  }

  #tellOutcome() {
    const { outcome, left } = this.#match;
    if (!outcome) return "";
    if (outcome.how === "closed") return t("The match is closed.");
    const leaver = left.find((id) => id !== outcome.winner);
    const gone = outcome.how === "left" && (leaver === this.#me ? t("You left.") : t("{name} left.", { name: this.#name(leaver) }));
    const { winner } = outcome;
    const won = !winner ? t("The match is a draw.") : winner === this.#me ? t("You win.") : t("{name} wins.", { name: this.#name(winner) });
    return [gone, won].filter(Boolean).join(" ");
  }

  /** Return how a round contradicts itself, or "". @param {Round} round */
  #findFraud(round) {
    const fraud = this.rules && checkRound(round, this.rules);
    if (!fraud) return "";
    if (fraud.kind === "feedback") return t("the answer to guess {number} was wrong", { number: fraud.guess });
    return { hidden: t("the code was not shown"), changed: t("this was not the locked code"), illegal: t("this is no code of the game") }[fraud.kind];
  }

  /** Return the sentence about the check of a round. @param {Round} round */
  #prove(round) {
    const fraud = this.#findFraud(round);
    if (fraud) return el("p", { className: "alarm", role: "alert" }, t("WARNING! CODE NOT PROVEN: {fraud}. You have been cheated.", { fraud }));
    return el("p", { className: "dim" }, round.commitment ? t("Code proven: it is the locked one, and all feedback fits it.") : t("All feedback fits it; there was no commitment to check."));
  }

  // ---- Controls

  #drawControls() {
    const match = this.#match;
    const moment = this.#moment;
    const seat = seatOf(match, this.#me);
    const over = this.#isLast && match.outcome !== undefined;
    const broken = this.#known.error;
    const panelKey = broken ? "broken" : this.#isEntering ? "palette" : moment?.ended || over ? [this.#at, over, match.rematch, match.left.length].join() : "";
    if (panelKey !== this.#panelKey) {
      const focused = this.panel?.contains(document.activeElement);
      this.#panelKey = panelKey;
      const children = broken ? this.#makeBroken(broken) : panelKey === "palette" ? this.#makePalette() : panelKey ? this.#makeResult(over) : [];
      this.panel?.replaceChildren(...children);
      if (focused) (this.panel?.querySelector("button") ?? find("title")).focus();
    }
    const send = this.panel?.querySelector(".send");
    if (send) {
      set(send, "textContent", match.phase === "setting" && seat === "maker" ? t("Hide it") : t("Send"));
      set(send, "ariaDisabled", String(!this.#move || !this.#full || this.#sending));
    }
    const breaker = playersOf(match).find(({ id }) => id === moment?.round.breaker);
    if (this.replay) this.replay.hidden = this.#moments.length < 2 || (!this.#isLast && moment?.ended && !!seat && !match.outcome) || !(!seat || over || !this.#isLast || (isBot(breaker) && match.phase === "breaking"));
    if (this.play) {
      set(this.play, "textContent", this.#playing ? "❚❚" : "▶");
      set(this.play, "ariaLabel", this.#playing ? t("Pause") : t("Play"));
    }
    for (const control of this.actions?.children ?? []) {
      if (!(control instanceof HTMLElement) || !control.dataset.op) continue;
      control.hidden = !this.#isLast || moment?.ended || refuse(match, { op: control.dataset.op }, this.#me) !== undefined || (control.dataset.op === "leave" && over);
    }
    this.#drawAdvice();
  }

  /** @param {Error} error */
  #makeBroken(error) {
    const problem = t("The server's report of this match contradicts itself. Do not trust it.");
    return [el("p", { className: "alarm", role: "alert" }, problem), el("p", { className: "dim" }, error.message)];
  }

  #makePalette() {
    const pegs = (this.colours ?? []).map(({ name, letter, className }, colour) => (
      el("button", { type: "button", className: `peg ${className}`, "aria-label": `${name} (${letter})`, onclick: () => this.#place(colour) }, letter)
    ));
    const palette = el("div", { className: "palette", role: "group", "aria-label": t("Colours") }, ...pegs);
    palette.style.setProperty("--columns", String(pegs.length > 7 ? Math.ceil(pegs.length / 2) : pegs.length));
    const send = button(t("Send"), () => this.#send(), "btn main send");
    return [palette, el("div", { className: "go" }, button(t("Erase"), () => this.#erase()), send)];
  }

  /** Return the end of the displayed round, or of the match. @param {boolean} over */
  #makeResult(over) {
    const match = this.#match;
    const seat = seatOf(match, this.#me);
    const moment = this.#moment;
    const buttons = [];
    if (!over) buttons.push(seat ? button(t("Next round"), () => this.#show(this.#at + 1, true), "btn main") : undefined);
    else if (seat && match.left.length === 0 && match.outcome?.how !== "closed") buttons.push(button(match.rematch ? t("Accept the rematch") : t("Play again"), () => this.app.attempt(() => this.#rematch()), "btn main"));
    else if (match.rematch) buttons.push(el("a", { className: "btn main", href: `/${match.rematch}` }, t("watch the rematch")));
    if (over && match.played.length > 0) buttons.push(button(t("Share the result"), () => share(this.app, { text: `${this.#drawResult()}\n${linkOf(this.app, this.code)}` })));
    if (over) buttons.push(el("a", { className: "btn", href: "/" }, t("To the start page")));
    const headline = over ? this.#tellOutcome() : moment && this.#tellEnd(moment);
    return [
      el("h2", {}, headline),
      moment?.ended && this.#prove(moment.round),
      el("div", { className: "buttons" }, ...buttons),
      over && match.played.length > 0 && el("p", { className: "dim" }, t("How good was each guess? In a terminal:"), " ", terminal("review", this.code, server())),
    ].filter((child) => child instanceof HTMLElement);
  }

  async #rematch() {
    const { match } = await this.app.session.perform(this.code, "rematch");
    this.app.go(`/${match}`);
  }

  /** Return the rounds as a picture that does not show the codes. */
  #drawResult() {
    const { pegs = 0, guesses, palette = [] } = this.rules ?? {};
    return this.#match.played.map((round) => {
      const score = `${round.how === "broken" ? round.turns.length : "X"}${guesses ? `/${guesses}` : ""}`;
      const rows = round.turns.map(({ black, white }) => "●".repeat(black) + "○".repeat(white) + "·".repeat(pegs - black - white));
      return [`Mastermind ${pegs}x${palette.length} · ${score}`, ...rows].join("\n");
    }).join("\n\n");
  }

  #makeActions() {
    const { session } = this.app;
    const perform = (/** @type {string} */ op, /** @type {{}} */ fields = {}) => this.app.attempt(() => session.perform(this.code, op, fields));
    const resign = async () => {
      const { question, answer, cost } = texts.actions.resign;
      if (await this.app.ask(question, cost, answer)) await perform("resign");
    };
    const leave = async () => {
      const cost = this.#match.phase === "gathering" ? t("The match is closed.") : t("The other player wins. To go on later, just close this page: your seat is kept.");
      if (!(await this.app.ask(t("Leave the match?"), cost, t("Leave for good")))) return;
      await perform("leave");
      this.app.go("/");
    };
    const add = (/** @type {string} */ op, /** @type {string} */ label, /** @type {() => unknown} */ act) => {
      const made = button(label, act);
      if (op) made.dataset.op = op;
      this.actions?.append(made);
    };
    add("advise", t("Advice"), () => perform("advise", { most: 3 }));
    add("resign", t("Give up"), resign);
    add("leave", t("Leave"), leave);
    add("", t("Help"), () => this.app.help(this.rules));
    add("", t("Share"), () => share(this.app, { url: linkOf(this.app, this.code) }));
  }

  #drawAdvice() {
    const { advice } = this.#known;
    if (!this.advice) return;
    const key = advice && this.#move === "guess" ? `${this.#at} ${advice.guess}` : "";
    if (this.advice.dataset.key === key) return;
    this.advice.dataset.key = key;
    this.advice.hidden = key === "";
    if (!advice || !key) return this.advice.replaceChildren();
    const codes = n("{number} code is possible. Try:", "{number} codes are possible. Try:", advice.left, { number: advice.left });
    const fill = (/** @type {number[]} */ code) => {
      this.#entry = [...code];
      this.#cursor = code.length;
      this.#draw();
    };
    const guesses = advice.guesses.map((/** @type {{code: number[]}} */ { code }) => button(code.map((colour) => this.colours?.[colour].letter).join(" "), () => fill(code)));
    return this.advice.replaceChildren(el("span", {}, codes), ...guesses);
  }

  // ---- Chat

  #makeChat() {
    const talk = find("talk");
    const line = el("input", { id: "line", type: "text", maxLength: this.app.session.terms?.bounds.chat ?? 120, autocomplete: "off", "aria-label": t("Chat line"), placeholder: t("Say something") });
    const say = (/** @type {{}} */ fields) => this.app.attempt(async () => {
      await this.app.session.perform(this.code, "say", fields);
      line.value = "";
    });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      if (line.value.trim()) say({ text: line.value });
    };
    const phrases = texts.phrases.map((phrase, index) => button(phrase, () => say({ phrase: index + 1 })));
    this.log = el("div", { className: "lines", role: "log", "aria-label": t("Chat"), tabIndex: 0 });
    talk.replaceChildren(
      this.log,
      el("form", { onsubmit }, line, el("button", { className: "btn" }, t("Say"))),
      el("details", {}, el("summary", {}, t("Phrases")), el("div", { className: "buttons" }, ...phrases)),
    );
    talk.hidden = false;
    this.#addLines();
  }

  #addLines() {
    const { chat } = this.#known;
    for (const { by, name, text, phrase, room } of chat.slice(this.#lines)) {
      const said = text ?? texts.phrases[(phrase ?? 0) - 1] ?? `#${phrase}`;
      const speaker = by === this.#me ? t("You") : nameOf(name);
      this.log?.append(el("p", {}, el("b", {}, speaker), room === "spectators" && el("small", {}, ` ${t("watching")}`), " ", said));
    }
    this.#lines = chat.length;
    if (this.log) this.log.scrollTop = this.log.scrollHeight;
  }
}
