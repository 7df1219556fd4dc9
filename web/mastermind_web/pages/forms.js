// The pages that open a match: against a bot, with a friend or with anyone, and for spectators.

import { matchesOf } from "../connection/followed.js";
import { button, el, join, nameOf, note } from "../elements.js";
import { field, input, makeForm, select, submitButton } from "../fields.js";
import { writeMean } from "../figures.js";
import { countCodes } from "../game/rules.js";
import { command } from "../sharing.js";
import {
  OWN, botField, chooseOrEnter, namesOf, rulesFields, rulesOf,
} from "../solve/choices.js";
import { n, t, texts } from "../texts.js";
import { describeTerms } from "./home.js";
import { describeClock, describeRules, firstNameField, useName } from "./invitation.js";

/**
 * @import {Child} from "../elements.js"
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../elements.js").Properties} Values
 */

const USUAL_RULES = "classic"; // before the visitor has chosen others
const CLOCKS = ["5+3", "10+5", "60/move", "3d/move"];

/** Return the fields that choose the clock. @param {Values} values */
function clockFields(values) {
  /** @type {[string, string][]} */
  const offered = CLOCKS.map((name) => [name, `${name}: ${describeClock(name)}`]);
  const properties = { maxLength: 12, autocomplete: "off", spellcheck: false, required: true };
  const own = input("text", { name: "ownClock", value: "15+10", ...properties });
  const label = t("Such as 15+10 (minutes and seconds), 45/move (seconds) or 2d/move (days)");
  const options = /** @type {[string, string][]} */ ([["", t("no clock")], ...offered]);
  return chooseOrEnter(t("Clock"), "clock", values, options, t("a clock of your own"), field(label, own));
}

/** @param {Values} values @param {number[]} numbers */
function roundsField(values, ...numbers) {
  const options = numbers.map((number) => (
    /** @type {[string, string]} */ ([String(number), n("{number} round", "{number} rounds", number)])
  ));
  const properties = { value: values.rounds ?? String(numbers[0]) };
  return field(t("Length"), select("rounds", options, properties));
}

/** Return a choice of the visitor's seat. @param {string} breaks @param {string} hides */
const seatField = (breaks, hides) => (
  field(t("First round"), select("seat", [["breaker", breaks], ["maker", hides]]))
);

/**
 * Return the seats of a match.
 * @param {string} seat the visitor's @param {string} other the other player
 */
const assignSeats = (seat, other) => (
  seat === "maker" ? { maker: "me", breaker: other } : { maker: other, breaker: "me" }
);

/**
 * Return the pegs and colours of the chosen rules, and whether no colour comes twice.
 * @param {Values} values
 * @returns {[pegs: number, colours: number, unique: boolean]}
 */
function sizeOf({ rules = USUAL_RULES, pegs, colours, unique }) {
  if (rules === OWN) return [Number(pegs), Number(colours), unique !== undefined];
  const preset = texts.presets[rules];
  return [preset.pegs, preset.palette.length, preset.unique === true];
}

/**
 * Return how the chosen bot hides codes, and its measured means in both seats.
 * @param {any[]} bots @param {Values} values
 */
function describeBot(bots, values) {
  const chosen = bots.find((each) => namesOf(each).includes(values.bot ?? "easy"));
  if (!chosen?.hides) return false;
  const [pegs, colours, unique] = sizeOf(values);
  const size = `${pegs}x${colours}${unique ? "u" : ""}`;
  const [needs, costs] = [texts.usualGuesses, texts.hidingGuesses].map((means) => (
    writeMean(means[chosen.name]?.[size], 1)
  ));
  const words = { rules: rulesOf({ rules: USUAL_RULES, ...values }), needs, costs };
  const measured = needs && costs
    ? t("In {rules} it needs {needs} guesses on average, and costs `hard` {costs}.", words)
    : needs ? t("In {rules} it needs {needs} guesses on average.", words)
      : costs && t("In {rules} `hard` needs {costs} guesses for its codes.", words);
  return note(join(" ", t(chosen.hides), measured && measured.replaceAll("`", "")));
}

/**
 * Open a match by the values of a form, and show it.
 * @param {App} app @param {string} op @param {Values} values
 * @param {Values} [others] of the request
 */
async function openMatch(app, op, values, others) {
  const { name, rounds, clock, ownClock } = values;
  if (name) await useName(app, name);
  const terms = {
    rules: rulesOf(values),
    rounds: rounds && Number(rounds),
    clock: (clock === OWN ? ownClock : clock) || undefined,
  };
  const { match } = await matchesOf(app.session).enter(op, { ...terms, ...others });
  app.opened.add(match);
  app.go(`/${match}`);
}

/** @param {App} app */
export async function bot(app) {
  const { bots } = await app.session.request("bots");
  const form = makeForm(app, (values) => {
    const { largest } = bots.find((/** @type {any} */ each) => namesOf(each).includes(values.bot));
    // A bot that breaks no such codes hides one, and the match ends.
    const isAlone = values.seat === "breaker" && countCodes(...sizeOf(values)) > largest;
    const rounds = isAlone ? "1" : values.rounds;
    const seats = assignSeats(values.seat, values.bot);
    return openMatch(app, "open", { ...values, rounds }, seats);
  });
  app.show(t("Play a bot"), () => [
    form.view(
      botField(bots, t("Bot"), "bot", "easy"),
      describeBot(bots, form.values),
      seatField(
        t("The bot hides a code, you break it."), t("You hide a code, the bot breaks it."),
      ),
      ...rulesFields(form.values, describeRules),
      roundsField(form.values, 2, 1, 4),
      submitButton(t("Start")),
    ),
    command(t("Your own bot plays from a terminal:"), "mastermind bot --help"),
  ]);
}

/** @param {App} app */
export function invite(app) {
  const form = makeForm(app, (values) => {
    const terms = { rated: "rated" in values, public: "public" in values };
    return openMatch(app, "open", values, { ...assignSeats(values.seat, "open"), ...terms });
  });
  const onchange = () => { // before the form's own handler reads the values
    const { rated, clock, rounds } = /** @type {any} */ (document.querySelector("#page form"));
    if (rated.checked && !clock.value) clock.value = CLOCKS[0];
    if (rated.checked && !["2", "4"].includes(rounds.value)) rounds.value = "2";
  };
  app.show(t("Invite a friend"), () => [
    form.view(
      firstNameField(app),
      ...rulesFields(form.values, describeRules),
      roundsField(form.values, 2, 1, 4, 6),
      // The friend hides first by default: who takes the seat is at the screen, and the inviter
      // may be away.
      seatField(
        t("Your friend hides a code, you break it."), t("You hide a code, your friend breaks it."),
      ),
      clockFields(form.values),
      field(
        t("Rated: a clock, two or four rounds, no advice, no bots"),
        input("checkbox", { name: "rated", onchange }), "check",
      ),
      field(t("Anyone may take the seat"), input("checkbox", { name: "public" }), "check"),
      submitButton(t("Get the link")),
    ),
  ]);
}

/** @param {App} app */
export function anyone(app) {
  const form = makeForm(app, (values) => openMatch(app, "seek", values, { rounds: 2 }));
  app.show(t("Play with anyone"), () => [
    form.view(
      firstNameField(app),
      ...rulesFields(form.values, describeRules),
      clockFields(form.values),
      submitButton(t("Find an opponent")),
    ),
  ]);
}

/** @param {App} app */
export async function watch(app) {
  const { session } = app;
  const { bots } = await session.request("bots");
  const breakers = bots.filter((/** @type {any} */ { largest }) => largest > 0);
  /** @type {any[]} */
  let matches = [];
  const refresh = async () => {
    const kinds = ["running", "waiting"].map((what) => session.request("list", { what }));
    matches = (await Promise.all(kinds)).flatMap((listed) => listed.matches);
  };
  const form = makeForm(app, (values) => (
    openMatch(app, "open", values, { maker: values.maker, breaker: values.breaker })
  ));
  await refresh();
  app.show(t("Watch a match"), () => [
    el(
      "ul", { className: "list" },
      ...matches.map((match) => el("li", {}, listedCard(match))),
      matches.length === 0 && el("li", { className: "dim" }, t("Nobody plays in public now.")),
    ),
    el("p", {}, button(t("Refresh"), () => app.attempt("refresh", refresh))),
    form.view(
      el("h2", {}, t("Two bots")),
      botField(bots, t("It hides the code"), "maker", "random"),
      botField(breakers, t("It breaks the code"), "breaker", "easy"),
      ...rulesFields(form.values, describeRules),
      submitButton(t("Start the show")),
    ),
  ]);
}

/** @param {any} listed */
function listedCard(listed) {
  const { match, maker, breaker, phase } = listed;
  const players = phase === "gathering"
    ? t("{name} waits for you", { name: nameOf(maker ?? breaker) })
    : t("{breaker} and {maker}", { breaker: nameOf(breaker), maker: nameOf(maker) });
  return card(`/${match}`, players, `${describeTerms(listed)} · ${match}`);
}

/**
 * Return a link that looks like a card.
 * @param {string} href @param {Child} title @param {Child[]} lines
 */
function card(href, title, ...lines) {
  const texts = lines.map((line) => el("p", {}, line));
  return el("a", { className: "card", href }, el("h2", {}, title), ...texts);
}
