// Replaces ids, dates and hashes by others of the same look: the same one by the same one, different ones by different ones.

import { sampleDay } from './prose.ts';
import type { SeededRandom } from './seeded-random.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const DATE = '\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?';
const HEX = '(?=[a-f]*\\d)(?=\\d*[a-f])[0-9a-f]{7,64}';
const NUMBER = '\\d{5,15}';
const TOKEN = new RegExp(`(?<![0-9A-Za-z.])(?:${UUID}|${DATE}|${HEX}|${NUMBER})(?![0-9A-Za-z]|\\.\\d)`, 'g');

export interface IdReplacer {
  /** In any JSON value, in names of properties too. */
  renew<T>(value: T): T;
}

/**
 * Makes a replacement that stays the same for as long as it is used.
 * @param known texts that are ids although they do not look like any; replaced wherever they stand.
 */
export function createIdReplacer(dice: SeededRandom, known: readonly string[] = []): IdReplacer {
  const renewed = new Map<string, string>();
  const given = new Set<string>();
  const renewToken = (token: string): string => {
    const fresh = renewed.get(token) ?? sampleUnused(token, { dice, given });
    renewed.set(token, fresh);
    given.add(fresh);
    return fresh;
  };
  const names = [...known].sort((a, b) => b.length - a.length).map((text) => text.replaceAll(/\W/g, '\\$&'));
  const pattern = names.length === 0 ? TOKEN : new RegExp(`${names.join('|')}|${TOKEN.source}`, 'g');
  return {
    renew: (value) => replaceInValue(value, (text) => text.replaceAll(pattern, renewToken)) as typeof value,
  };
}

const MAX_TRIES = 200;

function sampleUnused(
  token: string,
  { dice, given }: { readonly dice: SeededRandom; readonly given: ReadonlySet<string> },
): string {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const drawn = sampleSimilar(token, dice);
    if (drawn !== token && !given.has(drawn)) return drawn;
  }
  return token;
}

function replaceInValue(value: unknown, inText: (text: string) => string): unknown {
  if (typeof value === 'string') return inText(value);
  if (typeof value === 'number') return Number(inText(String(value)));
  if (Array.isArray(value)) return value.map((item) => replaceInValue(item, inText));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [inText(name), replaceInValue(item, inText)]);
  return Object.fromEntries(entries);
}

function sampleSimilar(token: string, dice: SeededRandom): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(token)) return sampleDay(dice) + shuffleTime(token.slice(10), dice);
  // Seconds and milliseconds since the epoch stay what they are.
  const kept = /^1[67]\d{8}(?:\d{3})?$/.test(token) ? 2 : 0;
  const isHex = /^[0-9a-f-]{7,}$/.test(token) && /[a-f]/.test(token);
  const shape = isHex ? /[0-9a-f]/g : /\d/.test(token) ? /\d/g : /[A-Z]/g;
  return (
    token.slice(0, kept) +
    token.slice(kept).replaceAll(shape, (old, at: number) => {
      if (isHex) return /\d/.test(old) ? String(dice.between(0, 9)) : dice.pick([...'abcdef']);
      return /\d/.test(old) ? String(dice.between(at === 0 ? 1 : 0, 9)) : dice.pick([...LETTERS]);
    })
  );
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Another time of day in the same format. */
function shuffleTime(text: string, dice: SeededRandom): string {
  return text.replace(/(\d{2}):(\d{2})/, () => {
    const [hours, minutes] = [dice.between(0, 23), dice.between(0, 59)];
    return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
  });
}
