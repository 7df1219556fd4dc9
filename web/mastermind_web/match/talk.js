// The chat of a match.

import { matchesOf } from "../connection/followed.js";
import { button, el, find, join, nameOf } from "../elements.js";
import { input, makeForm } from "../fields.js";
import { n, t, texts } from "../texts.js";

/**
 * Return the chat of a followed match: `view` describes it, and `hint` the button that leads to it
 * while it is below the screen, with the number of new lines. `added` is called for a new line.
 * @param {import("../visit.js").App} app @param {string} code
 */
export function openTalk(app, code) {
  const { session } = app;
  const matches = matchesOf(session);
  let isMuted = false;
  let unread = 0;
  let isBelow = false;
  const linesOf = () => matches.get(code)?.chat ?? [];
  const isMine = (/** @type {{by: string}} */ { by }) => by === session.player?.id;
  const countOthers = () => linesOf().filter((line) => !isMine(line)).length;
  let seen = countOthers();
  const saying = makeForm(app, async ({ text }) => {
    if (!text.trim()) return;
    await matches.perform(code, "say", { text });
    const line = /** @type {HTMLInputElement} */ (find("line"));
    if (line.value === text) line.value = ""; // otherwise the next line is being typed
  });
  const sight = new IntersectionObserver(([{ isIntersecting }]) => {
    isBelow = !isIntersecting;
    if (isIntersecting) unread = 0;
    app.draw();
  });
  app.signal.addEventListener("abort", () => sight.disconnect());
  const showChat = () => {
    find("talk").scrollIntoView();
    find("lines").focus({ preventScroll: true });
  };
  const mute = () => {
    isMuted = !isMuted;
    app.draw();
  };
  const describeLine = (/** @type {import("../connection/followed.js").ChatLine} */ line) => {
    const { name, text, phrase = 0, room } = line;
    const speaker = isMine(line) ? t("You") : nameOf(name);
    const isSpectator = room === "spectators";
    const isHeard = isMine(line) || !isMuted;
    return isHeard && el(
      "p", {}, el("b", {}, speaker), isSpectator && [" (", t("watching"), ")"].join(""), " ",
      text ?? texts.phrases[phrase - 1] ?? `#${phrase}`,
    );
  };
  const phrases = texts.phrases.map((phrase, index) => button(phrase, () => (
    app.attempt("say", () => matches.perform(code, "say", { phrase: index + 1 }))
  )));
  const properties = {
    id: "line", name: "text", maxLength: session.terms?.bounds.chat ?? 120, autocomplete: "off",
    "aria-label": t("Chat line"), placeholder: t("Say something"),
  };
  return {
    view: () => [
      el(
        "div",
        { id: "lines", className: "lines", role: "log", "aria-label": t("Chat"), tabIndex: 0 },
        ...linesOf().map(describeLine),
      ),
      saying.view(input("text", properties), el("button", { className: "btn" }, t("Say"))),
      el(
        "details", {}, el("summary", {}, t("Phrases")),
        el(
          "div", { className: "buttons" }, ...phrases,
          button(t("Hide what others say"), mute, "btn", { "aria-pressed": String(isMuted) }),
        ),
      ),
    ],
    /** @param {boolean} isRunning without a new line, only a running match needs the button */
    hint(isRunning) {
      const news = unread > 0 && n("{number} new chat line", "{number} new chat lines", unread);
      return isBelow && (isRunning || news) && button(t("Chat"), showChat, news ? "btn new" : "btn", {
        "aria-label": join(": ", t("Chat"), news), "data-new": unread,
      });
    },
    /** Watch whether the chat is on the screen, once it is drawn. */
    drawn: () => sight.observe(find("line")),
    /** Count the new lines until the chat is seen, and show the last. */
    added() {
      if (isBelow && !isMuted) unread += countOthers() - seen;
      seen = countOthers();
      app.draw();
      find("lines").scrollTop = find("lines").scrollHeight;
    },
  };
}
