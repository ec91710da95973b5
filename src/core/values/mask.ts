// Takes out of a text what changes between two equal answers: timestamps, UUIDs, hex ids, durations.
// A reader might expect all numbers to go; they stay, because a counter that grows is progress, not noise.

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?';

/** Tried left to right at each position; each begins and ends on a word boundary, which keeps the mask idempotent. */
const VOLATILE = [
  { name: 'uuid', pattern: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' },
  {
    name: 'time',
    pattern: `\\d{4}-\\d{2}-\\d{2}(?:[T ]${CLOCK}(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?)?`,
  },
  {
    name: 'time',
    pattern: `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}),? \\d{4}(?:,? ${CLOCK})?(?: (?:GMT|UTC)(?:[+-]\\d{4})?)?`,
  },
  { name: 'time', pattern: `\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?` },
  // Seconds, milli-, micro- or nanoseconds since the epoch, from 2001-09 to 2033-05.
  { name: 'time', pattern: '1\\d{9}(?:\\d{3}){0,3}(?:\\.\\d{1,9})?' },
  {
    name: 'duration',
    pattern:
      '\\d+(?:\\.\\d+)? ?(?:ns|us|µs|ms|msecs?|milliseconds?|microseconds?|secs?|seconds?|s|mins?|minutes?|hrs?|hours?|h|days?)',
  },
  // At least one digit and one letter, or the English words of a-f would go ("defaced").
  { name: 'hex', pattern: '(?:0x)?(?=[a-f]*\\d)(?=\\d*[a-f])[0-9a-f]{8,128}' },
] as const;

const MASK = new RegExp(VOLATILE.map(({ pattern }) => `\\b(${pattern})\\b`).join('|'), 'gi');

/**
 * Replaces volatile parts by `<time>`, `<uuid>`, `<hex>` and `<duration>`; everything else stays as it is.
 * @param text linear in its length; callers pass an excerpt.
 */
export function maskVolatile(text: string): string {
  return text.replace(MASK, (_match: string, ...groups: unknown[]) => {
    const at = groups.findIndex((group) => group !== undefined);
    return `<${VOLATILE[at]?.name ?? 'time'}>`;
  });
}
