// The pages around a match: home, forms, the invitation, lists, and how to play.

import { describeClock, writeTime } from "./clock.js";
import { findClock, findRules, playersOf } from "./game.js";
import { n, t, texts } from "./texts.js";

/**
 * @typedef {import("./main.js").App} App
 * @typedef {import("./texts.js").Rules} Rules
 * @typedef {Node | string | false | undefined} Child
 */

/**
 * Return a new element. Other texts become text nodes and never markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {{[name: string]: any}} [properties] or attributes @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) Object.assign(element, { [name]: value });
    else element.setAttribute(name, value);
  }
  element.append(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  return element;
}

/** Return the element of index.html. @param {string} id */
export const find = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Set a property only if it changes, so that nothing is announced or drawn again. @template {Node} E @param {E} element @param {keyof E} name @param {any} value */
export function set(element, name, value) {
  if (element[name] !== value) element[name] = value;
}

/** @param {string} label @param {(event: Event) => unknown} onclick @param {string} [className] */
export function button(label, onclick, className = "btn") {
  return el("button", { type: "button", className, onclick }, label);
}

/** Return an input for a code. */
const codeInput = () => input("text", { autocomplete: "off", autocapitalize: "characters", spellcheck: false, required: true });

/** Return a field with its label. @param {string} label @param {HTMLElement} input @param {string} [className] */
function field(label, input, className = "field") {
  return el("label", { className }, el("span", {}, label), input);
}

/** @param {[value: string, label: string][]} options @param {string} [value] */
function select(options, value) {
  const element = el("select", {}, ...options.map(([each, label]) => el("option", { value: each }, label)));
  if (value !== undefined) element.value = value;
  return element;
}

/** @param {string} type @param {{[name: string]: any}} [properties] */
const input = (type, properties) => el("input", { type, ...properties });

/** Return a link that looks like a card. @param {string} href @param {string} title @param {Child[]} lines */
function card(href, title, ...lines) {
  return el("a", { className: "card", href }, el("h2", {}, title), ...lines.map((line) => el("p", {}, line)));
}

/** Return a form; `submit` runs once at a time, and its refusals are shown. @param {App} app @param {() => Promise<void>} submit @param {Child[]} children */
function form(app, submit, ...children) {
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    app.attempt(submit);
  };
  return el("form", { className: "form", onsubmit }, ...children);
}

/** @param {string} label */
const submitButton = (label) => el("button", { className: "btn main" }, label);

/** Return a tile. @param {string} colour @param {string} letter */
const tile = (colour, letter) => el("span", { className: `peg ${colour}` }, letter);

/** Return the title as a row of tiles. */
export function banner() {
  const colours = "purple yellow green orange red blue purple blue green orange".split(" ");
  return [..."MASTERMIND"].map((letter, index) => tile(colours[index], letter));
}

const PROVISIONAL = 110; // a rating with this deviation or more has a question mark

/** @param {string | undefined} name */
export const nameOf = (name) => name || t("Someone");

/** @param {Rules} rules */
export function describeRules({ name, pegs: rowLength, palette, guesses: limit }) {
  const pegs = n("{number} peg", "{number} pegs", rowLength);
  const colours = n("{number} colour", "{number} colours", palette.length);
  const guesses = limit === null ? t("as many guesses as it takes") : n("{number} guess", "{number} guesses", limit);
  return t("{rules}: {pegs}, {colours}, {guesses}.", { rules: name, pegs, colours, guesses });
}

/** Return the terms of a listed match. @param {{rules: string, rounds: number, rated?: boolean, clock?: string}} listed */
function describeTerms({ rules, rounds, rated, clock }) {
  const terms = [rules, rounds > 1 && n("{number} round", "{number} rounds", rounds), clock, rated && t("rated")];
  return terms.filter(Boolean).join(", ");
}

/** Return the address of a match on this server. @param {App} app @param {string} code */
export function linkOf(app, code) {
  return new URL(code, new URL(app.session.terms?.page ?? "/", location.href)).href;
}

/** @param {Child[]} children */
export const note = (...children) => el("p", { className: "dim" }, ...children);

/** The option of commands for this server. */
export const server = () => `--server ${location.origin.replace("http", "ws")}`;

/** Return a note with a command. @param {string} label @param {string[]} words */
export const command = (label, ...words) => note(label, " ", el("code", {}, words.join(" ")));

/** Copy a text, also on a page without TLS. @param {App} app @param {string} text */
export async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const area = el("textarea", { value: text, readOnly: true });
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    if (!copied) return app.say(t("Your browser does not allow copying. Please select the text."));
  }
  return app.say(t("Copied."));
}

/** Offer `data` to the share sheet of the device, otherwise copy its text. @param {App} app @param {ShareData} data */
export async function share(app, data) {
  try {
    await navigator.share(data);
  } catch (error) { // it is missing, or was refused
    if (/** @type {Error} */ (error).name !== "AbortError") await copy(app, data.url ?? data.text ?? "");
  }
}

// ---- Home

/** @param {App} app */
export async function home(app) {
  const { matches } = await app.session.request("own");
  const wheel = document.querySelector("meta[name=wheel]")?.getAttribute("content");
  app.show(
    t("Mastermind"),
    ...matches.map(continueCard),
    card("/#bot", t("Play a bot"), t("It hides a code, or breaks yours.")),
    card("/#invite", t("Invite a friend"), t("You get a link to send.")),
    card("/#anyone", t("Play with anyone"), t("You meet the next player who wants this game.")),
    card("/#watch", t("Watch a match"), t("People who play now, or two bots.")),
    card("/#leaders", t("Leaderboard"), t("Rated matches between people.")),
    card("/#how", t("How to play"), t("In a minute, with an example.")),
    codeForm(app),
    note(t("You are {name}.", { name: app.session.player?.name }), " ", el("a", { href: "/#you" }, t("Name and devices"))),
    command(t("In a terminal:"), "mastermind play", server()),
    wheel ? command(t("Install it by:"), "pipx install", String(new URL(wheel, location.href))) : false,
  );
}

/** Return a form for the code of a match, or its link. @param {App} app */
function codeForm(app) {
  const code = codeInput();
  const open = async () => app.go(`/${code.value.trim().split("/").at(-1)?.toUpperCase()}`);
  return form(app, open, field(t("Code or link of a match"), code), el("button", { className: "btn" }, t("Open the match")));
}

/** @param {any} own one unfinished match */
function continueCard(own) {
  const standing = own.phase === "gathering" ? t("waiting for a friend") : own.turn ? t("your turn") : t("their turn");
  const name = own.opponent ? nameOf(own.opponent) : t("An invitation");
  const left = own.until && ` (${writeTime(Math.max(0, own.until - Date.now()), false)})`;
  return card(`/${own.match}`, t("Continue"), el("b", {}, name), ` · ${standing}${left ?? ""} · ${describeTerms(own)}`);
}

// ---- Forms

const OWN = "own";

/** Show the fields of an own choice only while it is selected. @param {HTMLSelectElement} choice @param {HTMLFieldSetElement} fields */
function showWhenOwn(choice, fields) {
  choice.onchange = () => (fields.hidden = fields.disabled = choice.value !== OWN);
  fields.hidden = fields.disabled = true;
}

const OWN_SIZE = [5, 8, 12]; // the first proposal: pegs, colours, guesses

/** Return the fields that choose the rules, and a function that returns the name of the chosen ones. */
function rulesFields() {
  const presets = Object.keys(texts.presets).map((name) => /** @type {[string, string]} */ ([name, describeRules(findRules(name))]));
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
  const offered = CLOCKS.map((name) => /** @type {[string, string]} */ ([name, `${name}: ${describeClock(findClock(name))}`]));
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
export async function playBot(app) {
  const bot = await botSelect(app, "easy");
  const rules = rulesFields();
  const rounds = roundsSelect(1, 2, 4);
  const seat = select([["breaker", t("The bot hides a code, you break it.")], ["maker", t("You hide a code, the bot breaks it.")]]);
  const open = async () => {
    const [maker, breaker] = seat.value === "maker" ? ["me", bot.value] : [bot.value, "me"];
    const { match } = await app.session.request("open", { rules: rules.name(), maker, breaker, rounds: Number(rounds.value) });
    app.go(`/${match}`);
  };
  app.show(
    t("Play a bot"),
    form(
      app, open,
      field(t("Bot"), bot), field(t("First round"), seat), ...rules.fields, field(t("Length"), rounds),
      submitButton(t("Start")),
    ),
    command(t("Your own bot plays from a terminal:"), "mastermind bot --help"),
  );
}

/** @param {App} app */
export async function invite(app) {
  const rules = rulesFields();
  const rounds = roundsSelect(2, 1, 4, 6);
  const seat = select([["maker", t("You hide a code, your friend breaks it.")], ["breaker", t("Your friend hides a code, you break it.")]]);
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

/** Return a field with the player's name, empty for a guest. @param {App} app */
function nameField(app) {
  const name = app.session.player?.name ?? "";
  const maxLength = app.session.terms?.bounds.name ?? 24;
  return input("text", { value: name.startsWith("guest-") ? "" : name, maxLength, autocomplete: "nickname", placeholder: name });
}

/** Change the player's name if another one was entered. @param {App} app @param {HTMLInputElement} name */
async function useName(app, name) {
  const wanted = name.value.trim();
  if (wanted && wanted !== app.session.player?.name) await app.session.identify({ name: wanted });
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

// ---- The leaderboard

/** Return a rating, with a question mark if it is provisional. @param {import("./game.js").Rating} rating */
export const writeRating = ({ rating, deviation }) => `${Math.round(rating)}${deviation >= PROVISIONAL ? "?" : ""}`;

/** @param {App} app */
export async function leaders(app) {
  const presets = Object.values(texts.presets).filter(({ guesses }) => guesses !== null);
  const rules = select(presets.map(({ name }) => [name, name]));
  const titles = [t("Place"), t("Player"), t("Rating"), t("Matches"), t("Guesses")].map((title) => el("th", { scope: "col" }, title));
  const [listed, own] = [el("tbody", {}), el("tfoot", {})];
  const standing = note();
  const row = (/** @type {any} */ { place, player, name, record: { rating, matches, guesses } }) => el(
    "tr", player === app.session.player?.id ? { "aria-current": "true" } : {},
    ...[place, name, `${writeRating(rating)} ± ${Math.round(rating.deviation)}`, matches, guesses?.toFixed(2)].map((cell) => el("td", {}, String(cell ?? ""))),
  );
  const load = async (/** @type {number} */ after) => {
    const answer = await app.session.request("leaderboard", { rules: rules.value, after });
    if (!after) listed.replaceChildren();
    listed.append(...answer.players.map(row));
    own.replaceChildren(...(answer.own && !listed.querySelector("[aria-current]") ? [row(answer.own)] : []));
    more.hidden = !answer.more;
    more.onclick = () => app.attempt(() => load(answer.players.at(-1).place));
    standing.textContent = answer.total > 0 ? n("{number} player has a place.", "{number} players have a place.", answer.total) : t("Nobody has a place yet.");
  };
  const more = button(t("More"), () => {});
  rules.onchange = () => app.attempt(() => load(0));
  app.show(
    t("Leaderboard"),
    field(t("Game"), rules),
    el("table", {}, el("thead", {}, el("tr", {}, ...titles)), listed, own),
    standing,
    more,
    note(t("A place needs ten rated matches, one of them in the last 30 days, three opponents with settled ratings, and a rating without a question mark.")),
  );
  await load(0);
}

// ---- The invitation

/**
 * Show a match with a free seat: the link to send, or the invitation to take the seat.
 * @param {App} app @param {string} code @param {import("./game.js").Match} match
 */
export function invitation(app, code, match) {
  const [there] = playersOf(match);
  const { reserved, previous, rated, rounds } = match.opened;
  const me = app.session.player?.id;
  const terms = [
    el("p", {}, describeRules(match.rules)),
    rounds > 1 && el("p", {}, n("{number} round; you swap seats after each.", "{number} rounds; you swap seats after each.", rounds)),
    match.clock && el("p", {}, describeClock(match.clock)),
    rated && el("p", {}, t("Rated: no advice, no bots.")),
  ];
  const close = async () => {
    await app.session.perform(code, "leave");
    app.go("/");
  };
  if (there?.id === me) {
    const link = linkOf(app, code);
    const shown = input("text", { value: link, readOnly: true, onfocus: () => shown.select() });
    app.show(
      previous ? t("Waiting for a rematch") : t("Your invitation"),
      el("div", { className: "card" }, el("p", {}, previous ? t("The other player is asked. The match starts when they accept.") : t("Send this link. The match starts when your friend takes the seat.")), field(t("Link"), shown)),
      el(
        "div", { className: "buttons" },
        "share" in navigator && button(t("Share"), () => share(app, { title: t("Mastermind"), text: t("Play Mastermind with me:"), url: link }), "btn main"),
        button(t("Copy the link"), () => copy(app, link), "share" in navigator ? "btn" : "btn main"),
        button(t("Close the invitation"), () => app.attempt(close)),
      ),
      el("div", { className: "card" }, ...terms),
      command(t("In a terminal:"), "mastermind join", link),
    );
    return;
  }
  const name = nameField(app);
  const take = async () => {
    await useName(app, name);
    await app.session.request("join", { match: code });
  };
  const free = !reserved || reserved === me;
  app.show(
    t("{name} invites you", { name: nameOf(there?.name) }),
    el("div", { className: "card" }, ...terms, el("p", {}, match.maker ? t("You break a code.") : t("You hide a code."), " ", rounds > 1 && t("Then the seats change."))),
    free ? form(app, take, field(t("Your name"), name), submitButton(t("Take the seat"))) : el("p", {}, t("The seat is kept for another player.")),
    el("p", { className: "center" }, button(t("only watch"), () => app.watch(code), "link"), " · ", button(t("how to play"), () => app.help(), "link")),
  );
}

// ---- How to play

const EXAMPLE = { code: "green blue green red", guess: "green yellow blue orange" };

/** Return the explanation of the game, by these rules. @param {Rules} [rules] */
export function explainGame(rules = findRules("classic")) {
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

/** Return the key pegs of an answer as dots. @param {number} black @param {number} white @param {number} pegs */
export function keys(black, white, pegs) {
  const kinds = Array.from({ length: pegs }, (_, index) => (index < black ? "b" : index < black + white ? "w" : "o"));
  const dots = el("span", { className: "keys", "aria-hidden": "true" }, ...kinds.map((className) => el("i", { className })));
  dots.style.setProperty("--columns", String(Math.ceil(pegs / 2)));
  return dots;
}

/** @param {App} app */
export function howToPlay(app) {
  app.show(t("How to play"), explainGame(), el("a", { className: "btn main", href: "/#bot" }, t("try it with a bot")));
}
