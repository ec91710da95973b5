// What belongs to a person and can be told by its look: e-mail addresses, card numbers, bank accounts. Numbers are
// believed only with their check digits, because orders and tickets are long numbers too.
import { type RedactionRule, toRedactionMarker } from './redaction-rule.ts';

const EMAIL: RedactionRule = {
  name: 'email',
  kind: 'personal',
  hints: ['@', '%40'],
  apply: redactAddresses,
};

const DOMAIN = /(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;
/** What may stand before the @; RFC 5321 allows 64, and whatever is glued to it goes along. */
const LOCAL_PART = /[\p{L}\p{N}._+-][\p{L}\p{N}._%+'-]{0,63}$/u;
const MAX_LOCAL_PART_LENGTH = 64;

/** Looks for the @ first and back from there: nothing has to stand before or behind an address. */
function redactAddresses(text: string): string {
  let redacted = '';
  let at = 0;
  for (const match of text.matchAll(DOMAIN)) {
    const before = text.slice(Math.max(at, match.index - MAX_LOCAL_PART_LENGTH), match.index);
    const local = LOCAL_PART.exec(before)?.[0] ?? '';
    if (local === '' || !isAddress(local + match[0])) continue;
    redacted += text.slice(at, match.index - local.length) + toRedactionMarker('email');
    at = match.index + match[0].length;
  }
  return redacted + text.slice(at);
}

/** `git@github.com` logs in everybody, `lodash@4.17.x` is a version, and `logo@2x.png` a picture. */
function isAddress(match: string): boolean {
  return (
    !/^git(?:@|%40)/i.test(match) &&
    !/(?:@|%40)v?\d+\.[\dx]/i.test(match) &&
    !/(?:@|%40)\d+x\.\w+$/i.test(match)
  );
}

/**
 * Digits with at most one blank or hyphen between them, 13 or more; which part of it is a card is looked for inside. Letters
 * may be glued to them, digits may not: a card is not part of a longer number or behind a decimal point.
 */
const DIGIT_RUN = /(?<!\d)(?<!(?<!%[0-9a-f]|\\u[0-9a-f]{3})\d\.)\d(?:[ -]?\d){12,200}(?!\d|\.\d)/g;

const CARD: RedactionRule = {
  name: 'card',
  kind: 'personal',
  hints: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  apply: (text) =>
    text.replace(DIGIT_RUN, (row: string, offset: number) =>
      isPartOfId(text, offset) ? row : redactDigitRun(row, countEscapeDigits(text, offset)),
    ),
};

/** How many of the digits from there on may belong to an escape, `\u0026` or `%22`, that begins before them. */
function countEscapeDigits(text: string, offset: number): number {
  const before = text.slice(Math.max(0, offset - 5), offset);
  const [, units, octet] = /(?:\\u([0-9a-f]{0,3})|%([0-9a-f]?))$/i.exec(before) ?? [];
  if (units !== undefined) return 4 - units.length;
  return octet === undefined ? 0 : 2 - octet.length;
}

function redactDigitRun(run: string, escapeDigits: number): string {
  const redacted = redactCards(run);
  return redacted !== run || escapeDigits === 0
    ? redacted
    : run.slice(0, escapeDigits) + redactCards(run.slice(escapeDigits));
}

/** Lengths of digests in hex, and a UUID: now and then a part of one passes for a card. */
const WHOLE_ID =
  /^-?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-?$/i;
const MAX_ID_LENGTH = 130;

function isPartOfId(text: string, offset: number): boolean {
  const [before = ''] = /[0-9a-f-]*$/i.exec(text.slice(Math.max(0, offset - MAX_ID_LENGTH), offset)) ?? [];
  const [after = ''] = /^[0-9a-f-]*/i.exec(text.slice(offset, offset + MAX_ID_LENGTH)) ?? [];
  const id = before + after;
  return WHOLE_ID.test(id) && /[a-f]/i.test(id);
}

interface DigitGroup {
  readonly digits: string;
  readonly start: number;
  readonly end: number;
}

/** Cards inside a row of digit groups: they begin and end where a group does, whatever stands before and after. */
function redactCards(run: string): string {
  const groups = [...run.matchAll(/\d+/g)].map(
    (match): DigitGroup => ({ digits: match[0], start: match.index, end: match.index + match[0].length }),
  );
  let redacted = '';
  let at = 0;
  for (let first = 0; first < groups.length; ) {
    const last = findLastCardGroup(groups, first);
    const from = groups[first]?.start ?? 0;
    const to = groups[last ?? first]?.end ?? run.length;
    redacted += run.slice(at, from) + (last === undefined ? run.slice(from, to) : toRedactionMarker('card'));
    at = to;
    first = (last ?? first) + 1;
  }
  return redacted + run.slice(at);
}

function findLastCardGroup(groups: readonly DigitGroup[], first: number): number | undefined {
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
const CARD_SCHEMES =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6(?:011|2\d\d|4[4-9]\d|5\d\d)\d{12,15}|(?:50|5[6-9]|6[37])\d{11,17})$/;

/** Whether a row of digits begins as cards do, is as long, and passes the Luhn check. */
export function isCardNumber(digits: string): boolean {
  if (!CARD_SCHEMES.test(digits)) return false;
  let sum = 0;
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits[digits.length - 1 - position]);
    const doubled = position % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const IBAN: RedactionRule = {
  name: 'iban',
  kind: 'personal',
  hints: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
  apply: redactIbans,
};

/** How long the account numbers of a country are (IBAN registry 99): where one ends is told by nothing else. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH CR HR LI LV',
    22: 'BG BH DE GB GE IE ME RS',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VA VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) =>
    countries.split(' ').map((country): [string, number] => [country, Number(length)]),
  ),
);
const IBAN_START = /[A-Z]{2}\d{2} ?[A-Z0-9]/g;

function redactIbans(text: string): string {
  let redacted = '';
  let at = 0;
  IBAN_START.lastIndex = 0;
  for (let start = IBAN_START.exec(text); start !== null; start = IBAN_START.exec(text)) {
    const written = findIbanAt(text, start.index);
    if (written === undefined) {
      IBAN_START.lastIndex = start.index + 2;
      continue;
    }
    redacted += text.slice(at, start.index) + toRedactionMarker('iban');
    at = start.index + written.length;
    IBAN_START.lastIndex = at;
  }
  return redacted + text.slice(at);
}

/** The account number that begins there as it is written, with blanks between groups; undefined where none does. */
function findIbanAt(text: string, start: number): string | undefined {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2));
  if (length === undefined) return undefined;
  const [written = ''] = /^[A-Z0-9](?: ?[A-Z0-9]){0,33}/.exec(text.slice(start, start + 2 * length)) ?? [];
  let count = 0;
  let end = 0;
  while (end < written.length && count < length) if (written[end++] !== ' ') count += 1;
  const iban = written.slice(0, end);
  return count === length && isIban(iban) ? iban : undefined;
}

/**
 * ISO 13616: rearranged and with letters as numbers it leaves 1 when divided by 97. Account numbers are mostly digits, which
 * long texts in capitals are not.
 */
function isIban(written: string): boolean {
  const plain = written.replaceAll(' ', '');
  if (plain.replace(/\D/g, '').length < plain.length / 2) return false;
  const digits = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

export const PERSONAL_RULES: readonly RedactionRule[] = [EMAIL, CARD, IBAN];
