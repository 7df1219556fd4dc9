// The settings: those of this device, and whether the player takes challenges.

import { hasNotices, playSound } from "../device/attention.js";
import { applySettings, changeSettings, isKept, readSettings } from "../device/settings.js";
import { el, link, note, tile } from "../elements.js";
import { field, input, select } from "../fields.js";
import { t, texts } from "../texts.js";

/**
 * @typedef {import("../visit.js").App} App
 * @typedef {import("../elements.js").Child} Child
 * @typedef {import("../device/settings.js").Settings} Settings
 */

/** The colours of the sample: those of the usual game. */
const SAMPLE = ["red", "green", "blue", "yellow", "orange", "purple"];

/** @returns {[value: string, label: string][]} */
const listLanguages = () => [["", t("As in the browser")], ...Object.entries(texts.languages)];

/** @returns {[value: string, label: string][]} */
const listPalettes = () => [
  ["default", t("As usual")],
  ["okabe-ito", t("Okabe-Ito, for colour blindness")],
  ["high-contrast", t("High contrast")],
  ["mono", t("Letters only")],
];

/** @param {App} app */
export function settings(app) {
  const { session } = app;
  /** Absent until the server has answered. @type {boolean | undefined} */
  let takesChallenges;

  /** Change a setting of this device, and show the page by it. @param {Partial<Settings>} change */
  const change = (change) => {
    changeSettings(change);
    return app.attempt({}, () => app.load(applySettings)); // no change waits for another one
  };
  const changeLanguage = async (/** @type {any} */ { target }) => {
    await change({ language: target.value });
    app.restart();
  };
  const changePalette = (/** @type {any} */ { target }) => change({ palette: target.value });
  const changeSound = (/** @type {any} */ { target }) => {
    change({ sound: target.checked });
    if (target.checked) playSound();
  };
  const changeNotices = (/** @type {any} */ { target }) => change({ notices: target.checked });
  /** @param {any} event */
  const changeChallenges = ({ target }) => app.attempt("challenges", async () => {
    const allowed = !target.checked;
    try {
      await session.request("challenges", { allowed });
      takesChallenges = allowed;
    } finally {
      target.checked = !takesChallenges; // as before, if the server has refused
    }
  });
  app.attempt("profile", async () => {
    takesChallenges = (await session.request("profile")).challenges ?? true;
  });
  app.show(t("Settings"), () => {
    const { language, palette, sound, notices } = readSettings();
    return [
      el(
        "form", { className: "columns" },
        group(
          t("Display"),
          field(t("Language"), select(
            "language", listLanguages(), { value: language, onchange: changeLanguage },
          )),
          field(t("Colours of the pegs"), select(
            "palette", listPalettes(), { value: palette, onchange: changePalette },
          )),
          el("div", { className: "sample", "aria-hidden": "true" }, ...describeSample()),
        ),
        group(
          t("When it is your turn, or someone challenges you"),
          check(t("Sound and vibration"), sound, changeSound),
          describeNotices(notices, changeNotices),
        ),
        group(
          t("You"),
          takesChallenges !== undefined
            && check(t("Take no challenges"), !takesChallenges, changeChallenges),
          el("p", {}, link("/#you", t("Name and devices"))),
        ),
      ),
      note(isKept()
        ? t("This browser keeps the settings, and the server whether you take challenges.")
        : t("Your browser keeps no data of this page, so the settings last as long as this tab.")),
    ];
  });
}

/** @param {string} title @param {Child[]} fields */
const group = (title, ...fields) => (
  el("section", { className: "card" }, el("h2", {}, title), ...fields)
);

/** @param {string} label @param {boolean} checked @param {(event: any) => unknown} onchange */
const check = (label, checked, onchange) => (
  field(label, input("checkbox", { checked, onchange }), "check")
);

function describeSample() {
  const { palette, alphabets } = texts.presets.classic;
  return SAMPLE.map((colour) => tile(colour, alphabets[1][palette.indexOf(colour)]));
}

/** @param {boolean} notices @param {(event: any) => unknown} onchange @returns {Child} */
function describeNotices(notices, onchange) {
  return hasNotices() && {
    default: note(t("At the end of a match, you can allow notifications.")),
    denied: note(t("This browser does not allow notifications of this page.")),
    granted: check(t("Notification, if this page is not visible"), notices, onchange),
  }[Notification.permission];
}
