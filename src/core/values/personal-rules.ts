// What belongs to a person and can be told by its look: e-mail addresses, card numbers, bank accounts. Numbers are
// believed only with their check digits, because orders and tickets are long numbers too.
import { marker, type TextRule, toTextRule } from './text-rule.ts';

const EMAIL = toTextRule({
  name: 'email',
  kind: 'personal',
  hints: ['@', '%40'],
  pattern:
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._+-](?:[\p{L}\p{N}._%+'-]{0,63})(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}_])/gu,
  confirms: isAddress,
});

/** `git@github.com` logs in everybody, `lodash@4.17.x` is a version, and `logo@2x.png` a picture. */
function isAddress(match: string): boolean {
  return (
    !/^git(?:@|%40)/i.test(match) &&
    !/(?:@|%40)v?\d+\.[\dx]/i.test(match) &&
    !/(?:@|%40)\d+x\.\w+$/i.test(match)
  );
}

/** Digits with at most one blank or hyphen between them, 13 or more; which part of it is a card is looked for inside. */
const DIGITS = /(?<![A-Za-z0-9])(?<!\d\.)\d(?:[ -]?\d){12,200}(?![A-Za-z0-9]|\.\d)/g;

const CARD: TextRule = {
  name: 'card',
  kind: 'personal',
  hints: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  apply: (text) => text.replace(DIGITS, redactCards),
};

interface Group {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

/** Cards inside a row of digit groups: they begin and end where a group does, whatever stands before and after. */
function redactCards(row: string): string {
  const groups = [...row.matchAll(/\d+/g)].map(
    (match): Group => ({ digits: match[0], start: match.index, end: match.index + match[0].length }),
  );
  let redacted = '';
  let at = 0;
  for (let first = 0; first < groups.length; ) {
    const last = lastGroupOfCard(groups, first);
    const from = groups[first]?.start ?? 0;
    const to = groups[last ?? first]?.end ?? row.length;
    redacted += row.slice(at, from) + (last === undefined ? row.slice(from, to) : marker('card'));
    at = to;
    first = (last ?? first) + 1;
  }
  return redacted + row.slice(at);
}

function lastGroupOfCard(groups: readonly Group[], first: number): number | undefined {
  let digits = groups[first]?.digits ?? '';
  if (digits < '2' || digits >= '7') return undefined;
  let found: number | undefined;
  for (let last = first; last < groups.length && digits.length <= 19; last++) {
    if (digits.length >= 13 && isCardNumber(digits)) found = last;
    digits += groups[last + 1]?.digits ?? '';
  }
  return found;
}

/** How the numbers of the big schemes begin, and how long they are. */
const SCHEMES =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6(?:011|2\d\d|4[4-9]\d|5\d\d)\d{12,15}|(?:50|5[6-9]|6[37])\d{11,17})$/;

/** Whether a row of digits begins as cards do, is as long, and passes the Luhn check. */
export function isCardNumber(digits: string): boolean {
  if (!SCHEMES.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const IBAN = toTextRule({
  name: 'iban',
  kind: 'personal',
  hints: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  pattern: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
  confirms: isIban,
});

/** ISO 13616: rearranged and with letters as numbers it leaves 1 when divided by 97. */
function isIban(match: string): boolean {
  const plain = match.replaceAll(' ', '');
  if (plain.length < 15 || plain.length > 34) return false;
  const digits = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

export const PERSONAL_RULES: readonly TextRule[] = [EMAIL, CARD, IBAN];
