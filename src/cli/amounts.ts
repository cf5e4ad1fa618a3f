/** Ages, sizes, counts of processes: roughly, for a person who decides by them. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** `now`, `5 min`, `3 h`, `12 days`; '' for what is no age. */
export function ageText(ms: number): string {
  if (Number.isNaN(ms)) return '';
  if (ms < MINUTE_MS) return 'now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}

/** `0 KB`, `37 KB`, `1.2 MB`: units of 1024, whole KB, rounded up. */
export function sizeText(bytes: number): string {
  let amount = Math.ceil(bytes / 1024);
  let unit = 0;
  for (; amount >= 1024 && unit < UNITS.length - 1; unit++) amount /= 1024;
  return `${amount < 10 && unit > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`;
}

/** `1 process`, `2 processes`. */
export function processesText(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}
