// TD019: unusual abbreviations. Common ones (`id`, `url`, `sql`, `repo`) are words by now, and an
// argument whose description spells it out is no riddle.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { type DeclaredArgument, declaredArguments, descriptionOf } from '../declared-arguments.ts';
import { formatList } from '../format-counts.ts';
import { nameStyle, nameWords, spellName } from '../name-words.ts';
import type { StaticRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';

const LONG_FORMS: Readonly<Record<string, string>> = {
  usr: 'user',
  msg: 'message',
  msgs: 'messages',
  cfg: 'config',
  mgr: 'manager',
  qty: 'quantity',
  amt: 'amount',
  addr: 'address',
  cnt: 'count',
  val: 'value',
  idx: 'index',
  ctx: 'context',
  btn: 'button',
  pwd: 'password',
  acct: 'account',
  txn: 'transaction',
  svc: 'service',
  dept: 'department',
  grp: 'group',
  upd: 'update',
  del: 'delete',
  chk: 'check',
  cust: 'customer',
  inv: 'invoice',
  sts: 'status',
  dt: 'date',
  nm: 'name',
  lst: 'list',
  recs: 'records',
  calc: 'calculate',
  evt: 'event',
  mtg: 'meeting',
  appt: 'appointment',
  emp: 'employee',
  trx: 'transaction',
  rpt: 'report',
  srch: 'search',
};

export const abbreviatedName: StaticRule = {
  id: 'TD019',
  level: 'note',
  title: 'Abbreviated name',
  condition:
    'The name of a tool (a warning from two on), or of an argument without description, is abbreviated in a way of its own: `upd_cust_addr`. Not `x` beside `y`, nor the `q` of a search.',
  disprovedBy: 'The word is no abbreviation, or a term of its field that models know.',
  check: (tools) =>
    tools.flatMap((tool) => [
      ...checkTool(tool),
      ...declaredArguments(tool).flatMap((one, _, all) => checkArgument(tool, one, all)),
    ]),
};

function checkTool({ name }: ToolDefinition) {
  const found = abbreviationsIn(name);
  if (found.length === 0) return [];
  return [
    {
      tool: name,
      level: found.length > 1 ? ('warning' as const) : ('note' as const),
      finding: `The name "${name}" abbreviates ${formatList(found.map((word) => LONG_FORMS[word] ?? word))}.`,
      counts: { abbreviations: found.length },
      names: { abbreviations: found },
      suggestion: 'Write the words out; a name costs few tokens.',
      edits: [{ tool: name, pointer: '/name', before: name, after: expandAbbreviations(name) }],
    },
  ];
}

function checkArgument(
  { name: tool }: ToolDefinition,
  argument: DeclaredArgument,
  all: readonly DeclaredArgument[],
) {
  const { name, path, pointer } = argument;
  if (descriptionOf(argument).trim() !== '') return [];
  const isLetter = name.length === 1 && /[a-z]/i.test(name) && !isConventionalLetter(tool, argument, all);
  const found = isLetter ? [name] : abbreviationsIn(name);
  if (found.length === 0) return [];
  return [
    {
      tool,
      argument: path,
      finding: `The argument "${path}" is abbreviated and has no description to say what it stands for.`,
      counts: { abbreviations: found.length },
      names: { abbreviations: found },
      suggestion: 'Describe it, or write its name out in the next major version.',
      edits: [{ tool, pointer: `${pointer}/description`, after: '<what it is, and an example>' }],
    },
  ];
}

/** Letters that are names by themselves when they stand side by side: coordinates, summands, colours. */
const LETTER_FAMILIES: readonly string[] = ['xyz', 'abc', 'rgb', 'uv'];

/** `x` beside `y`, and the `q` of a search. */
function isConventionalLetter(
  tool: string,
  { name, path }: DeclaredArgument,
  all: readonly DeclaredArgument[],
) {
  const letter = name.toLowerCase();
  const parentPath = path.slice(0, -1);
  const hasSibling = (other: string) =>
    all.some((one) => one.path.toLowerCase() === `${parentPath}${other}`.toLowerCase());
  if (
    LETTER_FAMILIES.some(
      (family) => family.includes(letter) && [...family].some((one) => one !== letter && hasSibling(one)),
    )
  )
    return true;
  return letter === 'q' && /^(?:search|find|query|lookup)$/.test(actionOf(tool)?.verb ?? '');
}

const abbreviationsIn = (name: string): string[] =>
  nameWords(name).filter((word) => Object.hasOwn(LONG_FORMS, word));

function expandAbbreviations(name: string): string {
  const words = nameWords(name).map((word) => LONG_FORMS[word] ?? word);
  return spellName(words, nameStyle(name));
}
