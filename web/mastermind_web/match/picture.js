// A picture of a match to share: its marks, and no colours of its codes.

import { nameResult } from "./ends.js";

const [ROW, PEG, GAP, MARGIN] = [28, 9, 26, 24]; // pixels: rows, radius, distance of key pegs
const SCALE = 2; // for sharp pictures on phones
const INK = { ground: "#f4f2ec", ink: "#24262b", edge: "#85878e" };

/**
 * Return the marks of a match as a PNG.
 * @param {import("../types.js").Match} match
 * @returns {Promise<Blob>}
 */
export function drawPicture(match) {
  const { played, rules } = match;
  const longest = Math.max(...played.map(({ turns }) => turns.length));
  const column = Math.max(rules.pegs * GAP, 60);
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * (2 * MARGIN + Math.max(played.length * (column + MARGIN) - MARGIN, 200));
  canvas.height = SCALE * (2 * MARGIN + (longest + 2) * ROW);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.scale(SCALE, SCALE);
  pen.fillStyle = INK.ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = INK.ink;
  pen.font = "700 18px system-ui, sans-serif";
  pen.fillText(nameResult(match), MARGIN, MARGIN + 14);
  for (const [index, round] of played.entries()) {
    drawRound(pen, round, rules.pegs, MARGIN + index * (column + MARGIN));
  }
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (
    blob ? resolve(blob) : reject(new Error("no picture"))
  )));
}

/**
 * @param {CanvasRenderingContext2D} pen @param {import("../types.js").Round} round
 * @param {number} pegs @param {number} left
 */
function drawRound(pen, { how, turns }, pegs, left) {
  pen.fillStyle = INK.ink;
  pen.font = "16px system-ui, sans-serif";
  pen.fillText(how === "broken" ? String(turns.length) : "X", left, MARGIN + ROW + 14);
  for (const [index, { black, white }] of turns.entries()) {
    for (let peg = 0; peg < pegs; peg++) {
      const isEmpty = peg >= black + white;
      const [x, y] = [left + PEG + peg * GAP, MARGIN + (index + 2) * ROW + PEG];
      pen.beginPath();
      pen.arc(x, y, isEmpty ? 3 : PEG, 0, 2 * Math.PI);
      pen.fillStyle = isEmpty ? INK.edge : INK.ink;
      pen.strokeStyle = INK.ink;
      pen.lineWidth = 2.5;
      if (isEmpty || peg < black) pen.fill();
      else pen.stroke();
    }
  }
}

/**
 * Offer the picture to the share sheet of the device, otherwise download it.
 * @param {import("../types.js").Match} match
 */
export async function sharePicture(match) {
  const file = new File([await drawPicture(match)], "mastermind.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    return navigator.share({ files: [file] }).catch((error) => {
      if (error.name !== "AbortError") throw error; // otherwise the visitor has closed the sheet
    });
  }
  const href = URL.createObjectURL(file);
  const anchor = Object.assign(document.createElement("a"), { href, download: file.name });
  anchor.click();
  URL.revokeObjectURL(href);
}
