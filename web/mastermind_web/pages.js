// The pages that home leads to: forms, lists, and how to play.

import { button, command, el, field, form, input, keys, link, nameField, nameOf, note, server, submitButton, tile, useName } from "./elements.js";
import { findRules } from "./game.js";
import { card, codeInput, describeTerms } from "./home.js";
import { describeClock, describeRules } from "./sentences.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {import("./texts.js").Rules} Rules
 */

// ---- Forms

/** @param {[value: string, label: string][]} options @param {string} [value] */
export function select(options, value) {
  const element = el("select", {}, ...options.map(([each, label]) => el("option", { value: each }, label)));
  if (value !== undefined) element.value = value;
  return element;
}

const OWN = "own";

/** Show the fields of an own choice only while it is selected. @param {HTMLSelectElement} choice @param {HTMLFieldSetElement} fields */
function showWhenOwn(choice, fields) {
  choice.onchange = () => (fields.hidden = fields.disabled = choice.value !== OWN);
  fields.hidden = fields.disabled = true;
}

const OWN_SIZE = [5, 8, 12]; // the first proposal: pegs, colours, guesses

/** Return the fields that choose the rules, and a function that returns the name of the chosen ones. */
function rulesFields() {
  const presets = Object.keys(texts.presets).map((name) => /** @type {[string, string]} */ ([name, describeRules(name)]));
  const preset = select([...presets, [OWN, t("a size of your own")]]);
  const { pegs, guesses } = texts.limits;
  const ranges = [[1, pegs], [2, texts.custom.palette.length], [1, guesses]];
  const numbers = ranges.map(([min, max], index) => input("number", { min, max, value: OWN_SIZE[index], required: true }));
  const own = el("fieldset", { className: "own" }, ...[t("Pegs"), t("Colours"), t("Guesses")].map((label, index) => field(label, numbers[index])));
  showWhenOwn(preset, own);
  const name = () => (preset.value === OWN ? `${numbers[0].value}x${numbers[1].value}/${numbers[2].value}` : preset.value);
  return { fields: [field(t("Game"), preset), own], name };
}

const CLOCKS = ["5+3", "10+5", "60/move", "3d/move"];

/** Return the fields that choose the clock, and a function that returns the name of the chosen one. */
function clockFields() {
  const offered = CLOCKS.map((name) => /** @type {[string, string]} */ ([name, `${name}: ${describeClock(name)}`]));
  const clock = select([["", t("no clock")], ...offered, [OWN, t("a clock of your own")]]);
  const typed = input("text", { value: "15+10", maxLength: 12, autocomplete: "off", spellcheck: false, required: true });
  const own = el("fieldset", {}, field(t("Such as 15+10 (minutes and seconds), 45/move (seconds) or 2d/move (days)"), typed));
  showWhenOwn(clock, own);
  return { fields: [field(t("Clock"), clock), own], clock, name: () => (clock.value === OWN ? typed.value : clock.value) || undefined };
}

/** @param {number[]} numbers */
function roundsSelect(...numbers) {
  return select(numbers.map((number) => [String(number), n("{number} round", "{number} rounds", number, { number })]));
}

/** Return a choice among the server's bots. @param {App} app @param {string} preferred @param {boolean} [breaks] */
async function botSelect(app, preferred, breaks = false) {
  const { bots } = await app.session.request("bots");
  const able = bots.filter((/** @type {any} */ bot) => !breaks || bot.largest > 0);
  const names = (/** @type {any} */ { name, aliases = [] }) => [...aliases, name];
  const chosen = able.find((/** @type {any} */ bot) => names(bot).includes(preferred)) ?? able[0];
  return select(able.map((/** @type {any} */ bot) => [names(bot)[0], `${names(bot)[0]}: ${t(bot.about)}`]), names(chosen)[0]);
}

/** @param {App} app */
export async function bot(app) {
  const bots = await botSelect(app, "easy");
  const rules = rulesFields();
  const rounds = roundsSelect(1, 2, 4);
  const seat = select([["breaker", t("The bot hides a code, you break it.")], ["maker", t("You hide a code, the bot breaks it.")]]);
  const open = async () => {
    const [maker, breaker] = seat.value === "maker" ? ["me", bots.value] : [bots.value, "me"];
    const { match } = await app.session.request("open", { rules: rules.name(), maker, breaker, rounds: Number(rounds.value) });
    app.go(`/${match}`);
  };
  app.show(
    t("Play a bot"),
    form(
      app, open,
      field(t("Bot"), bots), field(t("First round"), seat), ...rules.fields, field(t("Length"), rounds),
      submitButton(t("Start")),
    ),
    command(t("Your own bot plays from a terminal:"), "mastermind bot --help"),
  );
}

/** @param {App} app */
export async function invite(app) {
  const rules = rulesFields();
  const rounds = roundsSelect(2, 1, 4, 6);
  // The friend hides first by default: who takes the seat is at the screen, and the inviter may be away.
  const seat = select([["breaker", t("Your friend hides a code, you break it.")], ["maker", t("You hide a code, your friend breaks it.")]]);
  const clock = clockFields();
  const [rated, open] = [input("checkbox"), input("checkbox")];
  rated.onchange = () => {
    if (rated.checked && !clock.clock.value) clock.clock.value = CLOCKS[0];
    if (rated.checked && !["2", "4"].includes(rounds.value)) rounds.value = "2";
  };
  const name = nameField(app);
  const send = async () => {
    await useName(app, name);
    const [maker, breaker] = seat.value === "maker" ? ["me", "open"] : ["open", "me"];
    const fields = { rules: rules.name(), maker, breaker, rounds: Number(rounds.value), clock: clock.name(), rated: rated.checked, public: open.checked };
    const { match } = await app.session.request("open", fields);
    app.go(`/${match}`);
  };
  app.show(
    t("Invite a friend"),
    form(
      app, send,
      field(t("Your name"), name), ...rules.fields, field(t("Length"), rounds), field(t("First round"), seat), ...clock.fields,
      field(t("Rated: a clock, two or four rounds, no advice, no bots"), rated, "check"), field(t("Anyone may take the seat"), open, "check"),
      submitButton(t("Get the link")),
    ),
  );
}

/** @param {App} app */
export function anyone(app) {
  const [rules, clock] = [rulesFields(), clockFields()];
  const name = nameField(app);
  const seek = async () => {
    await useName(app, name);
    const { match } = await app.session.request("seek", { rules: rules.name(), rounds: 2, clock: clock.name() });
    app.go(`/${match}`);
  };
  app.show(t("Play with anyone"), form(app, seek, field(t("Your name"), name), ...rules.fields, ...clock.fields, submitButton(t("Find an opponent"))));
}

/** @param {App} app */
export async function you(app) {
  const name = nameField(app);
  const typed = codeInput();
  const shown = el("div", {});
  const rename = async () => {
    await useName(app, name);
    app.say(t("You are {name}.", { name: app.session.player?.name }));
  };
  const give = async () => {
    const { code, seconds } = await app.session.request("transfer");
    const minutes = Math.floor(seconds / 60);
    const valid = n("It is valid for {number} minute, once.", "It is valid for {number} minutes, once.", minutes);
    shown.replaceChildren(el("b", { className: "secret" }, code), " ", valid, command(t("In a terminal:"), "mastermind transfer", code, server()));
  };
  const take = async () => {
    await app.session.identify({ transfer: typed.value.trim().toUpperCase() });
    app.go("/");
    app.say(t("You are {name}.", { name: app.session.player?.name }));
  };
  app.show(
    t("Name and devices"),
    form(app, rename, field(t("Your name"), name), submitButton(t("Save"))),
    el("p", {}, link("/#player", t("Your rated matches"))),
    form(app, give, el("h2", {}, t("Play on another device too")), el("p", {}, t("A code makes you the same player there. Keep it to yourself.")), shown, submitButton(t("Get a code"))),
    form(app, take, el("h2", {}, t("You have a code from another device?")), field(t("Code"), typed), submitButton(t("Be that player here"))),
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
  const [maker, breaker] = [await botSelect(app, "random"), await botSelect(app, "easy", true)];
  const rules = rulesFields();
  const open = async () => {
    const { match } = await app.session.request("open", { rules: rules.name(), maker: maker.value, breaker: breaker.value });
    app.shows.add(match);
    app.go(`/${match}`);
  };
  app.show(
    t("Watch a match"),
    list,
    el("p", {}, button(t("Refresh"), () => app.attempt(refresh))),
    form(
      app, open,
      el("h2", {}, t("Two bots")), field(t("It hides the code"), maker), field(t("It breaks the code"), breaker), ...rules.fields,
      submitButton(t("Start the show")),
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
