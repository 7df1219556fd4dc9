// The visitor's name, and its other devices.

import { ask } from "../dialog.js";
import { el, join, link, note } from "../elements.js";
import { makeForm, submitButton } from "../fields.js";
import { command, server } from "../sharing.js";
import { n, t } from "../texts.js";
import { codeField } from "./home.js";
import { nameField, useName } from "./invitation.js";

/** @typedef {import("../visit.js").App} App */

/** @param {App} app */
export function you(app) {
  const { session } = app;
  /** @type {{code: string, seconds: number} | undefined} */
  let given;
  const naming = makeForm(app, async ({ name }) => {
    await useName(app, name);
    app.say(t("You are {name}.", { name: session.player?.name }));
  });
  const giving = makeForm(app, async () => {
    given = /** @type {any} */ (await session.request("transfer"));
  });
  const taking = makeForm(app, ({ code }) => (
    become(app, { transfer: code.trim().toUpperCase() }, t("Be that player here"))
  ));
  const former = session.tokens.former.map(({ name, token }) => {
    const label = t("Be {name} again", { name });
    return { label, form: makeForm(app, () => become(app, { token }, label)) };
  });
  app.show(t("Name and devices"), () => [
    naming.view(nameField(app), submitButton(t("Save"))),
    el("p", {}, link("/#statistics", t("Your statistics"))),
    el("p", {}, link("/#player", t("Your rated matches"))),
    giving.view(
      el("h2", {}, t("Play on another device too")),
      el("p", {}, t("A code makes you the same player there. Keep it to yourself.")),
      given && describeTransfer(given),
      submitButton(t("Get a code")),
    ),
    taking.view(
      el("h2", {}, t("You have a code from another device?")),
      codeField(t("Code")),
      submitButton(t("Be that player here")),
    ),
    ...former.map(({ label, form }) => form.view(submitButton(label, "btn"))),
    session.tokens.isGuest && note(
      t("Your browser keeps no data of this page, so your seat lasts as long as this tab."),
    ),
  ]);
}

/** @param {{code: string, seconds: number}} given */
function describeTransfer({ code, seconds }) {
  const minutes = Math.floor(seconds / 60);
  return el(
    "div", {},
    el("b", { className: "secret" }, code), " ",
    n("It is valid for {number} minute, once.", "It is valid for {number} minutes, once.", minutes),
    command(t("In a terminal:"), "mastermind transfer", code, server()),
  );
}

/**
 * Become another player, after a question.
 * @param {App} app @param {{transfer?: string, token?: string}} fields @param {string} answer
 */
async function become(app, fields, answer) {
  const { session } = app;
  const { matches } = await session.request("own");
  const name = session.player?.name;
  const left = n(
    "{name} has {number} unfinished match.", "{name} has {number} unfinished matches.",
    matches.length, { name },
  );
  const again = t("You can be {name} again on this page, as long as the browser keeps its data.", { name });
  const cost = join(" ", matches.length > 0 && left, again);
  const question = t("Be another player on this device?");
  if (await ask(app, question, cost, answer, t("Not now")) !== answer) return;
  await session.identify(fields);
  app.go("/");
}
