// Replaces ids, dates and hashes by others of the same look: the same one by the same one, different ones by different ones.
import type { Dice } from './dice.ts';
import { someDay } from './prose.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const DATE = '\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:?\\d{2})?)?';
const HEX = '(?=[a-f]*\\d)(?=\\d*[a-f])[0-9a-f]{7,64}';
const NUMBER = '\\d{5,15}';
const TOKEN = new RegExp(`(?<![0-9A-Za-z.])(?:${UUID}|${DATE}|${HEX}|${NUMBER})(?![0-9A-Za-z]|\\.\\d)`, 'g');

export interface Renewal {
  /** In any JSON value, in names of properties too. */
  renew<T>(value: T): T;
}

/**
 * Makes a replacement that stays the same for as long as it is used.
 * @param known texts that are ids although they do not look like any; replaced wherever they stand.
 */
export function createRenewal(dice: Dice, known: readonly string[] = []): Renewal {
  const renewed = new Map<string, string>();
  const given = new Set<string>();
  const renewToken = (token: string): string => {
    const fresh = renewed.get(token) ?? drawUnused(token, { dice, given });
    renewed.set(token, fresh);
    given.add(fresh);
    return fresh;
  };
  const names = [...known].sort((a, b) => b.length - a.length).map((text) => text.replaceAll(/\W/g, '\\$&'));
  const pattern = names.length === 0 ? TOKEN : new RegExp(`${names.join('|')}|${TOKEN.source}`, 'g');
  return {
    renew: (value) => renewValue(value, (text) => text.replaceAll(pattern, renewToken)) as typeof value,
  };
}

const DRAWS = 200;

function drawUnused(
  token: string,
  { dice, given }: { readonly dice: Dice; readonly given: ReadonlySet<string> },
): string {
  for (let tries = 0; tries < DRAWS; tries++) {
    const drawn = reshape(token, dice);
    if (drawn !== token && !given.has(drawn)) return drawn;
  }
  return token;
}

function renewValue(value: unknown, inText: (text: string) => string): unknown {
  if (typeof value === 'string') return inText(value);
  if (typeof value === 'number') return Number(inText(String(value)));
  if (Array.isArray(value)) return value.map((item) => renewValue(item, inText));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [inText(name), renewValue(item, inText)]);
  return Object.fromEntries(entries);
}

function reshape(token: string, dice: Dice): string {
  if (/^\d{4}-\d{2}-\d{2}/.test(token)) return someDay(dice) + shuffleTime(token.slice(10), dice);
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
function shuffleTime(text: string, dice: Dice): string {
  return text.replace(/(\d{2}):(\d{2})/, () => {
    const [hours, minutes] = [dice.between(0, 23), dice.between(0, 59)];
    return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
  });
}
