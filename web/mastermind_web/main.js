// @ts-check
/** The match code in the page's address, or "" at home. */
export const code = location.pathname.slice(1);
