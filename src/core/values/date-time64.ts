// Instants with microseconds as text: the form of a DateTime64(6) column, and ISO 8601.

/** The formatted second of the last instant; consecutive calls often share it. */
let lastSecond = Number.NaN;
let lastSecondText = '';

/**
 * @param us microseconds since the epoch, not before it
 * @returns `YYYY-MM-DD hh:mm:ss.ffffff` in UTC
 */
export function formatDateTime64(us: number): string {
  const second = Math.floor(us / 1_000_000);
  if (second !== lastSecond) {
    lastSecondText = new Date(second * 1000).toISOString().slice(0, 19).replace('T', ' ');
    lastSecond = second;
  }
  return `${lastSecondText}.${String(Math.floor(us - second * 1_000_000)).padStart(6, '0')}`;
}

/** Reverses `formatDateTime64`. */
export function parseDateTime64(text: string): number {
  return Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`) * 1000 + Number(text.slice(20));
}

/**
 * @param us microseconds since the epoch, not before it
 * @returns ISO 8601 in UTC with six decimals
 */
export function formatIso(us: number): string {
  return `${formatDateTime64(us).replace(' ', 'T')}Z`;
}
