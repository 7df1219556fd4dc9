// Dragging pegs: from the palette to a place of the row, and from place to place.

const LEAST = 8; // pixels from which a press is a drag and no tap

/**
 * Let pegs be dragged while the page is open.
 * @param {AbortSignal} signal of the page
 * @param {{put: (colour: number, place: number) => void,
 *     swap: (one: number, other: number) => void}} actions
 */
export function enableDrag(signal, { put, swap }) {
  /** @type {{peg: HTMLElement, x: number, y: number, ghost?: HTMLElement} | undefined} */
  let drag;
  const listen = (/** @type {string} */ kind, /** @type {(event: any) => void} */ act) => (
    document.addEventListener(kind, act, { signal })
  );
  const end = () => {
    drag?.ghost?.remove();
    drag = undefined;
  };
  signal.addEventListener("abort", end);
  listen("pointerdown", ({ target, clientX: x, clientY: y, isPrimary }) => {
    const peg = target.closest(".palette .peg, .now .peg:not(.empty)");
    if (peg && isPrimary) drag = { peg, x, y };
  });
  listen("pointermove", ({ clientX, clientY }) => {
    if (!drag) return;
    const [across, down] = [clientX - drag.x, clientY - drag.y];
    if (!drag.ghost && Math.hypot(across, down) < LEAST) return;
    drag.ghost ??= makeGhost(drag.peg);
    drag.ghost.style.setProperty("translate", `${clientX}px ${clientY}px`);
  });
  listen("pointerup", ({ clientX, clientY }) => {
    if (drag?.ghost) {
      const place = findPlace(document.elementFromPoint(clientX, clientY));
      const from = findPlace(drag.peg);
      if (place >= 0 && from >= 0) swap(from, place);
      else if (place >= 0) put(Number(drag.peg.dataset.colour), place);
      // The click that follows a drag on one element is no tap.
      document.addEventListener("click", stop, { capture: true, once: true, signal });
      setTimeout(() => document.removeEventListener("click", stop, { capture: true }));
    }
    end();
  });
  listen("pointercancel", end);
}

/** @param {Event} event */
function stop(event) {
  event.stopPropagation();
  event.preventDefault();
}

/** Return the place of the row at an element, or -1. @param {Element | null} [at] */
function findPlace(at) {
  const cell = at?.closest(".now .peg");
  return cell ? [.../** @type {Element} */ (cell.parentElement).children].indexOf(cell) : -1;
}

/** Return a copy of a peg that follows the pointer. @param {HTMLElement} peg */
function makeGhost({ className, textContent }) {
  const ghost = Object.assign(document.createElement("span"), { className, textContent });
  ghost.classList.add("ghost");
  ghost.ariaHidden = "true";
  document.body.append(ghost);
  return ghost;
}
