// Distinct ids of every look that servers give them.
import type { SeededRandom } from './seeded-random.ts';
import { NOUNS } from './words.ts';

export const ID_STYLES = ['uuid', 'sha', 'date', 'epoch', 'slug', 'page'] as const;
export type IdStyle = (typeof ID_STYLES)[number];

/** Names that arguments with such an id go by. */
export const ID_NAMES: Readonly<Record<IdStyle | 'code', readonly string[]>> = {
  uuid: ['id', 'uuid', 'record_id', 'object_id', 'item_uuid', 'entity'],
  sha: ['sha', 'commit', 'commit_sha', 'revision', 'ref', 'hash'],
  date: ['date', 'day', 'on', 'as_of', 'reporting_date', 'start'],
  epoch: ['timestamp', 'ts', 'at', 'since', 'from_time', 'epoch'],
  slug: ['slug', 'name', 'key', 'path', 'title', 'handle'],
  page: ['page', 'page_number', 'offset', 'cursor', 'page_token', 'next_cursor'],
  code: ['id', 'number', 'code', 'ref', 'key'],
};

const DAY_MS = 86_400_000;

/** So many ids of one look; all different. */
export function makeIds(
  style: IdStyle | 'code',
  count: number,
  dice: SeededRandom,
): readonly (string | number)[] {
  if (style === 'page') return makePages(count, dice);
  if (style === 'epoch') return makeEpochs(count, dice);
  if (style === 'date') return makeDates(count, dice);
  const length = dice.pick([7, 8, 12, 40, 40]);
  const parts = dice.between(2, 4);
  const prefix = dice.pick(['', '', 'W', '#', 'ORD-', 'T', 'X-']);
  const digits = dice.between(4, 9);
  const make: Readonly<Record<'uuid' | 'sha' | 'slug' | 'code', () => string>> = {
    uuid: () => dice.uuid(),
    sha: () => dice.hex(length),
    slug: () => dice.some(NOUNS, parts).join('-'),
    code: () => `${prefix}${dice.digits(digits)}`,
  };
  return dice.distinct(count, make[style]);
}

/** Days one after another, or any days; plain, or with a time of day. */
function makeDates(count: number, dice: SeededRandom): readonly string[] {
  const from = Date.UTC(2025, dice.between(0, 11), dice.between(1, 28));
  const step = dice.pick([1, 1, 1, 7, 30]) * (dice.chance(0.3) ? -1 : 1);
  const whole = dice.chance(0.25);
  const dates = Array.from({ length: count }, (_, at) => new Date(from + at * step * DAY_MS).toISOString());
  return dates.map((date) => (whole ? date : date.slice(0, 10)));
}

function makeEpochs(count: number, dice: SeededRandom): readonly (string | number)[] {
  const from = 1_735_689_600 + dice.between(0, 300) * 86_400;
  const step = dice.pick([60, 3600, 86_400, 604_800]);
  const scale = dice.pick([1, 1, 1000]);
  const asText = dice.chance(0.3);
  const times = Array.from({ length: count }, (_, at) => (from + at * step) * scale);
  return asText ? times.map(String) : times;
}

function makePages(count: number, dice: SeededRandom): readonly (string | number)[] {
  const step = dice.pick([1, 1, 1, 10, 20, 50]);
  const numbers = Array.from({ length: count }, (_, at) => (step === 1 ? at + 1 : at * step));
  if (dice.chance(0.6)) return numbers;
  const salt = dice.hex(6);
  return numbers.map((number) => Buffer.from(`${salt}:${number}`).toString('base64url'));
}
