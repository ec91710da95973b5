// Takes out of an answer what changes although nothing was learned: the time of the answer, how long it took, the id of the
// request, the random boundary around a quoted text. Everything else stays, ids above all: an answer that names an id not
// seen before is news. Numbers stay too, because a counter that grows is progress.

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';
const TIME_OF_DAY = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?';
const TIME_ZONE = '(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?';
const ID = '(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-z]*\\d)[0-9a-z]{8,64})';

/** Names of request ids, in JSON and in words. Not `session` or `message`: a server that makes those says something new. */
const REQUEST_ID = '(?:x-)?(?:(?:request|req|trace|span|correlation|invocation|ray)[-_ ]?(?:id|uuid)|etag)';
/** Names of the moment at which an answer was made, and of what making it took. */
const ANSWER_TIME =
  '(?:timestamp|server_?time|current_?time|(?:served|generated|fetched|retrieved|checked|requested|received|responded|computed|rendered|queried|measured|cached|accessed)_?at|as_?of|now)';
const ELAPSED_TIME =
  '(?:took|elapsed|duration|latency|(?:execution|response|query|search|processing|request)_?time)(?:_?(?:ms|s|sec|seconds|millis))?';
const KEY_END = '\\\\?"\\s{0,4}:\\s{0,4}';

interface NoiseRule {
  /** What stands right before the pattern; see `NOISE_PATTERN`. */
  readonly after?: 'quote' | 'boundary';
  readonly pattern: string;
  /** `kept` is what the pattern captured, and the quote before it. */
  readonly replacement: (match: string, kept: string, atMs: number | undefined) => string;
}

/** Each captures exactly one group. At a position at which several match, those after a boundary come last. */
const NOISE_RULES: readonly NoiseRule[] = [
  {
    after: 'quote',
    pattern: `((?:${REQUEST_ID})${KEY_END})(?:"(?:[^"\\\\]|\\\\.){0,128}"|\\\\"[^"\\\\]{0,128}\\\\"|\\d+)`,
    replacement: (_match, key) => `${key}<id>`,
  },
  {
    after: 'quote',
    pattern: `((?:trace|request|rid|correlation)${KEY_END})\\\\?"${ID}\\\\?"`,
    replacement: (_match, key) => `${key}<id>`,
  },
  {
    after: 'quote',
    pattern: `((?:${ANSWER_TIME})${KEY_END})(?:\\\\?"[^"\\\\]{0,64}\\\\?"|\\d+(?:\\.\\d+)?)`,
    replacement: (_match, key) => `${key}<time>`,
  },
  {
    after: 'quote',
    pattern: `((?:${ELAPSED_TIME})${KEY_END})(?:\\\\?"[^"\\\\]{0,64}\\\\?"|\\d+(?:\\.\\d+)?)`,
    replacement: (_match, key) => `${key}<duration>`,
  },
  {
    after: 'boundary',
    pattern: `(${REQUEST_ID}[:=# ]{1,3})[\\w-]{6,64}\\b`,
    replacement: (_match, words) => `${words}<id>`,
  },
  // A tag or a fence made up for this answer: `<untrusted-data-5f0c…>`, `boundary=…`, `----8d1f…`.
  { pattern: `(</?[a-z][\\w]*(?:-[a-z]+)*-)${ID}\\b`, replacement: (_match, tag) => `${tag}<id>` },
  {
    after: 'boundary',
    pattern: `((?:boundary|nonce|delimiter)["'=: -]{1,4})${ID}\\b`,
    replacement: (_match, words) => `${words}<id>`,
  },
  { pattern: `(-{4,}[a-z]{0,20}?)${ID}\\b`, replacement: (_match, fence) => `${fence}<id>` },
  // What a log line begins with.
  {
    pattern: `(^[\\[(]?)\\d{4}-\\d{2}-\\d{2}[T ]${TIME_OF_DAY}${TIME_ZONE}(?!\\w)`,
    replacement: (_match, bracket) => `${bracket}<time>`,
  },
  {
    after: 'boundary',
    pattern: `(\\d{4}-\\d{2}-\\d{2}[T ]${TIME_OF_DAY}${TIME_ZONE})(?!\\w)`,
    replacement: maskRecentTime,
  },
  {
    after: 'boundary',
    pattern: `((?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}),? \\d{4},? ${TIME_OF_DAY}(?: (?:GMT|UTC)(?:[+-]\\d{4})?)?)\\b`,
    replacement: maskRecentTime,
  },
  { after: 'boundary', pattern: '(\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?)\\b', replacement: () => '<time>' },
  // Seconds, milli-, micro- or nanoseconds since the epoch, from 2001-09 to 2033-05.
  { after: 'boundary', pattern: '(1\\d{9}(?:\\d{3}){0,3}(?:\\.\\d{1,9})?)\\b', replacement: maskRecentEpoch },
  {
    after: 'boundary',
    pattern:
      '((?:\\d{1,4}[dhm]){1,3}\\d{1,2}[hms]|\\d+(?:\\.\\d+)? ?(?:ns|us|µs|ms|msecs?|milliseconds?|microseconds?|secs?|seconds?|s|mins?|minutes?))\\b',
    replacement: () => '<duration>',
  },
];

const QUOTED_RULES = NOISE_RULES.filter(({ after }) => after === 'quote');
const OTHER_RULES = NOISE_RULES.filter(({ after }) => after === undefined);
const BOUNDARY_RULES = NOISE_RULES.filter(({ after }) => after === 'boundary');
const RULES_BY_GROUP = [...QUOTED_RULES, ...OTHER_RULES, ...BOUNDARY_RULES];

/** A quote and a word boundary are looked for once at a position and not by each rule: 50 µs for 8 kB of JSON instead of 80. */
const NOISE_PATTERN = new RegExp(
  `\\\\?"(?:${toAlternatives(QUOTED_RULES)})|${toAlternatives(OTHER_RULES)}|\\b(?:${toAlternatives(BOUNDARY_RULES)})`,
  'gim',
);

function toAlternatives(rules: readonly NoiseRule[]): string {
  return rules.map(({ pattern }) => pattern).join('|');
}

/**
 * Replaces what is known to be noise by `<time>`, `<duration>` and `<id>`; everything else stays as it is.
 * @param text linear in its length; callers pass an excerpt.
 * @param atMs when the answer was made, in epoch milliseconds: only times around it are noise, an appointment is not.
 *   Where it is not known, only times to the second are noise.
 */
export function maskNoise(text: string, atMs?: number): string {
  return text.replace(NOISE_PATTERN, (match: string, ...groups: unknown[]) => {
    const at = groups.findIndex((group) => group !== undefined);
    const rule = RULES_BY_GROUP[at];
    const quote = rule?.after === 'quote' ? match.slice(0, match.indexOf('"') + 1) : '';
    return rule?.replacement(match, quote + String(groups[at]), atMs) ?? match;
  });
}

/** How far the time in an answer may lie from when it was made, in milliseconds: caches, clocks that differ. */
const MAX_CLOCK_DIFFERENCE_MS = 600_000;
/** A local time without a zone is off by a multiple of half an hour, by so much at the most, and a little. */
const ZONE_STEP_MS = 1_800_000;
const MAX_ZONE_OFFSET_MS = 14 * 3_600_000;
const MAX_LOCAL_DIFFERENCE_MS = 120_000;

/** A clock wrote it: people make appointments at whole minutes. */
const SECOND_PRECISION = /:\d{2}:(?!00(?:[.,]0+)?(?!\d))\d{2}|[.,](?=\d*[1-9])\d{1,9}/;

function maskRecentTime(match: string, _kept: string, atMs: number | undefined): string {
  if (SECOND_PRECISION.test(match)) return '<time>';
  if (atMs === undefined) return match;
  const hasZone = /(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})$/i.test(match);
  const statedMs = Date.parse(
    hasZone ? match.replace(/ (?=(?:Z|[+-]\d))/, '') : `${match.replace(',', '.')}Z`,
  );
  if (Number.isNaN(statedMs)) return '<time>';
  const differenceMs = Math.abs(statedMs - atMs);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS) return '<time>';
  if (hasZone || differenceMs > MAX_ZONE_OFFSET_MS + MAX_LOCAL_DIFFERENCE_MS) return match;
  const remainderMs = differenceMs % ZONE_STEP_MS;
  return Math.min(remainderMs, ZONE_STEP_MS - remainderMs) <= MAX_LOCAL_DIFFERENCE_MS ? '<time>' : match;
}

function maskRecentEpoch(match: string, _kept: string, atMs: number | undefined): string {
  if (atMs === undefined) return match;
  const digits = match.split('.', 1)[0] ?? match;
  const ms = Number(match) * 10 ** (13 - digits.length);
  return Math.abs(ms - atMs) <= MAX_CLOCK_DIFFERENCE_MS ? '<time>' : match;
}
