// The pages that home leads to: forms, lists, and how to play.

import { button, command, el, field, form, input, join, keys, link, nameOf, note, server, submitButton, tile } from "./elements.js";
import { findRules } from "./game.js";
import { card, codeField, describeTerms } from "./home.js";
import { describeClock, describeRules, nameField, useName } from "./invitation.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {import("./texts.js").Rules} Rules
 */

// ---- Forms

/** @param {string} name @param {[value: string, label: string][]} options @param {string} [value] */
export function select(name, options, value) {
  const element = el("select", { name }, ...options.map(([each, label]) => el("option", { value: each }, label)));
  if (value !== undefined) element.value = value;
  return element;
}

const OWN = "own";

/**
 * Return a choice, and the fields of an own one, which show only while it is selected.
 * @param {string} label @param {string} name @param {[value: string, label: string][]} options
 * @param {string} own the label of the own choice @param {HTMLElement[]} fields
 */
function chooseOrEnter(label, name, options, own, ...fields) {
  const entered = el("fieldset", { hidden: true, disabled: true }, ...fields);
  const choice = select(name, [...options, [OWN, own]]);
  choice.onchange = () => (entered.hidden = entered.disabled = choice.value !== OWN);
  return [field(label, choice), entered];
}

/** Return the fields that choose the rules. */
function rulesFields() {
  /** @type {[string, string][]} */
  const presets = Object.keys(texts.presets).map((name) => [name, describeRules(name)]);
  /** @type {[name: string, label: string, min: number, max: number, value: number][]} */
  const numbers = [
    ["pegs", t("Pegs"), 1, texts.limits.pegs, 5],
    ["colours", t("Colours"), 2, texts.custom.palette.length, 8],
    ["guesses", t("Guesses"), 1, texts.limits.guesses, 12],
  ];
  const own = numbers.map(([name, label, min, max, value]) => field(label, input("number", { name, min, max, value, required: true })));
  return chooseOrEnter(t("Game"), "rules", presets, t("a size of your own"), ...own);
}

const CLOCKS = ["5+3", "10+5", "60/move", "3d/move"];

/** Return the fields that choose the clock. */
function clockFields() {
  /** @type {[string, string][]} */
  const offered = CLOCKS.map((name) => [name, `${name}: ${describeClock(name)}`]);
  const own = input("text", { name: "ownClock", value: "15+10", maxLength: 12, autocomplete: "off", spellcheck: false, required: true });
  const label = t("Such as 15+10 (minutes and seconds), 45/move (seconds) or 2d/move (days)");
  return chooseOrEnter(t("Clock"), "clock", [["", t("no clock")], ...offered], t("a clock of your own"), field(label, own));
}

/** @param {number[]} numbers */
function roundsField(...numbers) {
  return field(t("Length"), select("rounds", numbers.map((number) => [String(number), n("{number} round", "{number} rounds", number)])));
}

/** Return a choice of the visitor's seat. @param {string} breaks @param {string} hides */
const seatField = (breaks, hides) => field(t("First round"), select("seat", [["breaker", breaks], ["maker", hides]]));

/** Return the seats of a match. @param {string} seat the visitor's @param {string} other the other player */
const assignSeats = (seat, other) => (seat === "maker" ? { maker: "me", breaker: other } : { maker: other, breaker: "me" });

/** Return a choice among the server's bots. @param {App} app @param {string} label @param {string} name @param {string} preferred @param {boolean} [breaks] */
async function botField(app, label, name, preferred, breaks = false) {
  const { bots } = await app.session.request("bots");
  const able = bots.filter((/** @type {any} */ bot) => !breaks || bot.largest > 0);
  const names = (/** @type {any} */ { name, aliases = [] }) => [...aliases, name];
  const chosen = able.find((/** @type {any} */ bot) => names(bot).includes(preferred)) ?? able[0];
  return field(label, select(name, able.map((/** @type {any} */ bot) => [names(bot)[0], `${names(bot)[0]}: ${t(bot.about)}`]), names(chosen)[0]));
}

/**
 * Open a match by the values of a form, and show it.
 * @param {App} app @param {string} op @param {{[name: string]: string}} values @param {{[field: string]: any}} [others] of the request
 */
async function openMatch(app, op, { name, rules, pegs, colours, guesses, rounds, clock, ownClock }, others) {
  if (name) await useName(app, name);
  const terms = {
    rules: rules === OWN ? `${pegs}x${colours}/${guesses}` : rules,
    rounds: rounds && Number(rounds),
    clock: (clock === OWN ? ownClock : clock) || undefined,
  };
  const { match } = await app.session.request(op, { ...terms, ...others });
  app.opened.add(match);
  app.go(`/${match}`);
}

/** @param {App} app */
export async function bot(app) {
  const bots = await botField(app, t("Bot"), "bot", "easy");
  app.show(
    t("Play a bot"),
    form(
      app, (values) => openMatch(app, "open", values, assignSeats(values.seat, values.bot)),
      bots, seatField(t("The bot hides a code, you break it."), t("You hide a code, the bot breaks it.")), ...rulesFields(), roundsField(1, 2, 4),
      submitButton(t("Start")),
    ),
    command(t("Your own bot plays from a terminal:"), "mastermind bot --help"),
  );
}

/** @param {App} app */
export function invite(app) {
  const rated = input("checkbox", { name: "rated" });
  rated.onchange = () => {
    const { clock, rounds } = /** @type {any} */ (rated.form);
    if (rated.checked && !clock.value) clock.value = CLOCKS[0];
    if (rated.checked && !["2", "4"].includes(rounds.value)) rounds.value = "2";
  };
  app.show(
    t("Invite a friend"),
    form(
      app, (values) => openMatch(app, "open", values, { ...assignSeats(values.seat, "open"), rated: "rated" in values, public: "public" in values }),
      nameField(app), ...rulesFields(), roundsField(2, 1, 4, 6),
      // The friend hides first by default: who takes the seat is at the screen, and the inviter may be away.
      seatField(t("Your friend hides a code, you break it."), t("You hide a code, your friend breaks it.")), ...clockFields(),
      field(t("Rated: a clock, two or four rounds, no advice, no bots"), rated, "check"), field(t("Anyone may take the seat"), input("checkbox", { name: "public" }), "check"),
      submitButton(t("Get the link")),
    ),
  );
}

/** @param {App} app */
export function anyone(app) {
  const seek = (/** @type {any} */ values) => openMatch(app, "seek", values, { rounds: 2 });
  app.show(t("Play with anyone"), form(app, seek, nameField(app), ...rulesFields(), ...clockFields(), submitButton(t("Find an opponent"))));
}

/** @param {App} app */
export function you(app) {
  const shown = el("div", {});
  const greet = () => app.say(t("You are {name}.", { name: app.session.player?.name }));
  const give = async () => {
    const { code, seconds } = await app.session.request("transfer");
    const minutes = Math.floor(seconds / 60);
    const valid = n("It is valid for {number} minute, once.", "It is valid for {number} minutes, once.", minutes);
    shown.replaceChildren(el("b", { className: "secret" }, code), " ", valid, command(t("In a terminal:"), "mastermind transfer", code, server()));
  };
  /** Become another player, after a question. @param {{transfer?: string, token?: string}} fields @param {string} answer */
  const become = async (fields, answer) => {
    const { matches } = await app.session.request("own");
    const name = app.session.player?.name;
    const left = n("{name} has {number} unfinished match.", "{name} has {number} unfinished matches.", matches.length, { name });
    const cost = join(" ", matches.length > 0 && left, t("You can be {name} again on this page, as long as the browser keeps its data.", { name }));
    if (await app.ask(t("Be another player on this device?"), cost, answer, t("Not now")) !== answer) return;
    await app.session.identify(fields);
    app.go("/");
  };
  const take = (/** @type {any} */ { code }) => become({ transfer: code.trim().toUpperCase() }, t("Be that player here"));
  const former = app.session.former.map(({ name, token }) => {
    const label = t("Be {name} again", { name });
    return form(app, () => become({ token }, label), el("button", { className: "btn" }, label));
  });
  app.show(
    t("Name and devices"),
    form(app, ({ name }) => useName(app, name).then(greet), nameField(app), submitButton(t("Save"))),
    el("p", {}, link("/#player", t("Your rated matches"))),
    form(app, give, el("h2", {}, t("Play on another device too")), el("p", {}, t("A code makes you the same player there. Keep it to yourself.")), shown, submitButton(t("Get a code"))),
    form(app, take, el("h2", {}, t("You have a code from another device?")), codeField(t("Code")), submitButton(t("Be that player here"))),
    ...former,
    app.session.isGuest && note(t("Your browser keeps no data of this page, so your seat lasts as long as this tab.")),
  );
}

// ---- Watching

/** @param {App} app */
export async function watch(app) {
  const list = el("ul", { className: "list" });
  const refresh = async () => {
    const [running, waiting] = await Promise.all(["running", "waiting"].map((what) => app.session.request("list", { what })));
    const matches = [...running.matches, ...waiting.matches];
    const items = matches.map((/** @type {any} */ match) => el("li", {}, listedCard(match)));
    list.replaceChildren(...(items.length > 0 ? items : [el("li", { className: "dim" }, t("Nobody plays in public now."))]));
  };
  const maker = await botField(app, t("It hides the code"), "maker", "random");
  const breaker = await botField(app, t("It breaks the code"), "breaker", "easy", true);
  app.show(
    t("Watch a match"),
    list,
    el("p", {}, button(t("Refresh"), () => app.attempt("refresh", refresh))),
    form(
      app, (values) => openMatch(app, "open", values, { maker: values.maker, breaker: values.breaker }),
      el("h2", {}, t("Two bots")), maker, breaker, ...rulesFields(), submitButton(t("Start the show")),
    ),
  );
  await refresh();
}

/** @param {any} listed */
function listedCard(listed) {
  const { match, maker, breaker, phase } = listed;
  const players = phase === "gathering" ? t("{name} waits for you", { name: nameOf(maker ?? breaker) }) : t("{breaker} and {maker}", { breaker: nameOf(breaker), maker: nameOf(maker) });
  return card(`/${match}`, players, `${describeTerms(listed)} · ${match}`);
}

// ---- How to play

const EXAMPLE = { code: "green blue green red", guess: "green yellow blue orange" };

/** Return the explanation of the game, by these rules. @param {Rules} [rules] */
function explainGame(rules = findRules("classic")) {
  const row = (/** @type {string} */ colours) => colours.split(" ").map((colour) => tile(colour, colour[0].toUpperCase()));
  const { guesses } = rules;
  const [black, white] = [t("black"), t("white")];
  const search = guesses === null
    ? t("The other player guesses until it is found. Each guess gets an answer:")
    : n("The other player has {number} guess to find it. It gets an answer:", "The other player has {number} guesses to find it. Each one gets an answer:", guesses);
  return el(
    "div", { className: "how" },
    el("p", {}, t("One player hides a row of pegs: the code. Colours may repeat."), " ", search),
    el("p", {}, keys(1, 0, 1), " ", t("{key}: a peg has the right colour, in the right place.", { key: black })),
    el("p", {}, keys(0, 1, 1), " ", t("{key}: a peg has a right colour, but in the wrong place.", { key: white })),
    el("p", {}, t("It does not name the pegs. Working that out is the game.")),
    el(
      "div", { className: "card" },
      el("b", {}, t("For example:")),
      el("div", { className: "example" }, el("span", {}, t("the code")), ...row(EXAMPLE.code)),
      el("div", { className: "example" }, el("span", {}, t("a guess")), ...row(EXAMPLE.guess), keys(1, 1, 4)),
      el("p", {}, t("{placed} is in its place. {elsewhere} is in the code, elsewhere. {absent} is not.", { placed: "G", elsewhere: "B", absent: "Y" })),
    ),
    el("p", {}, t("The hider scores a point per guess. Then you swap seats."), " ", t("The code is locked before guess 1, checked at the end: no cheating.")),
  );
}

/** Return the explanation of the game, and of the keys. @param {Rules} [rules] */
export function help(rules) {
  const keyboard = t("Letters place pegs, Backspace takes one back, Enter sends. Left and right choose a place, up and down read the guesses, / writes in the chat, . repeats the last sentence, a comma says the time left.");
  return [explainGame(rules), el("p", {}, keyboard)];
}

/** @param {App} app */
export function how(app) {
  app.show(t("How to play"), explainGame(), link("/#bot", t("try it with a bot"), "btn main"));
}
