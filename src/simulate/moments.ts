/** Moments in texts: of two sessions, and so of two runs, they differ. */

export const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** Longer than any timeout. */
export const NEVER_MS = 30 * 24 * 3_600_000;
