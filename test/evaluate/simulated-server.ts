// One server as its seed has it: what it is about, how it names things, how it answers and how it fails.

import { ID_NAMES, type IdStyle, makeIds } from './ids.ts';
import { fieldValue } from './prose.ts';
import { RESULT_FORMATS, type ResultFormat, type Row, renderResult } from './render.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Arguments, SyntheticCall, SyntheticResult, ToolRole } from './synthetic-call.ts';
import { DOMAINS, type Domain } from './words.ts';

export interface SimulatedServer {
  readonly dice: SeededRandom;
  readonly domain: Domain;
  /** About how many bytes a text field has. */
  readonly textBytes: number;
  /** The name of a tool, in the server's style. */
  tool(verb: readonly string[] | string, noun?: string): string;
  /** The name of an argument, in the server's style. */
  argument(name: string): string;
  /** A record with that id; new values at each call. */
  record(id: string | number): Row;
  ok(value: string | Row | readonly Row[]): SyntheticResult;
  /** A failed call. */
  fail(text: string, code?: string): SyntheticResult;
}

/** Verbs of tools, by what they do. */
export const VERBS = {
  read: ['get', 'fetch', 'read', 'show', 'describe', 'lookup', 'retrieve'],
  search: ['search', 'find', 'query', 'list', 'filter'],
  create: ['create', 'add', 'insert', 'register', 'book'],
  change: ['update', 'archive', 'delete', 'close', 'approve', 'tag', 'publish', 'move', 'sync'],
  process: ['import', 'process', 'export', 'aggregate', 'backfill', 'index', 'render'],
  check: ['test', 'validate', 'check', 'verify', 'lint', 'build'],
} as const;

const NAMING_STYLES = ['snake', 'snake', 'camel', 'kebab', 'dotted', 'prefixed'] as const;

/** Everything about a server that stays through a session. */
export function createSimulatedServer(dice: SeededRandom): SimulatedServer {
  const domain = dice.pick(DOMAINS);
  const style = dice.pick(NAMING_STYLES);
  const dialect: ResultFormat = dice.pick(RESULT_FORMATS);
  const textBytes = dice.pick([8, 30, 60, 120, 300, 900, 3000]);
  const fields = dice.some(domain.fields, dice.between(1, domain.fields.length));
  const coded = dice.chance(0.5);
  const camelArguments = style === 'camel' || dice.chance(0.15);
  const settled = new Map<string, string>();
  const chosen = (verbs: readonly string[]) => {
    const key = verbs.join();
    if (!settled.has(key)) settled.set(key, dice.pick(verbs));
    return settled.get(key) ?? '';
  };
  return {
    dice,
    domain,
    textBytes,
    tool: (verb, noun = domain.nouns[0]) =>
      spellName(style, { server: domain.server, verb: typeof verb === 'string' ? verb : chosen(verb), noun }),
    argument: (name) => (camelArguments ? toCamel(name) : name),
    record: (id) => ({
      id,
      ...Object.fromEntries(
        fields.map(([name, kind]) => [name, fieldValue(kind, dice, { states: domain.states, textBytes })]),
      ),
    }),
    ok: (value) => ({ result: renderResult(value, dialect) }),
    fail: (text, code) => toFailure(text, coded ? code : undefined),
  };
}

function toFailure(text: string, code: string | undefined): SyntheticResult {
  return {
    result: { content: [{ type: 'text', text }], isError: true },
    outcome: 'tool_error',
    ...(code !== undefined && { errorCode: code, errorMessage: text }),
  };
}

interface ToolName {
  readonly server: string;
  readonly verb: string;
  readonly noun: string;
}

function spellName(style: (typeof NAMING_STYLES)[number], { server, verb, noun }: ToolName): string {
  const plain = noun === '' ? verb : `${verb}_${noun}`;
  if (style === 'camel') return toCamel(plain);
  if (style === 'kebab') return plain.replaceAll('_', '-');
  if (style === 'dotted') return noun === '' ? `${server}.${verb}` : `${noun}s.${verb}`;
  return style === 'prefixed' ? `${server}_${plain}` : plain;
}

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A call of this world. */
export function syntheticCall(
  tool: string,
  args: Arguments,
  answer: SyntheticResult,
  role: ToolRole = 'read',
): SyntheticCall {
  return { tool, arguments: args, role, ...answer };
}

/** Ids and the name of the argument they go by. */
export function sampleIds(
  world: SimulatedServer,
  count: number,
  style?: IdStyle | 'code',
): { readonly name: string; readonly ids: readonly (string | number)[] } {
  const look = style ?? world.dice.pick(['uuid', 'slug', 'code', 'code'] as const);
  const ofNoun = style === undefined ? [`${world.domain.nouns[0]}_id`] : [];
  const name = world.argument(world.dice.pick([...ID_NAMES[look], ...ofNoun]));
  return { name, ids: makeIds(look, count, world.dice) };
}
