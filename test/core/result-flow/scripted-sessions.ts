// Sessions of scripted agents whose true edges are known: which field of which call each argument was taken from, and values that only
// look as if they were. What is hard is there on purpose: short ids, other spellings, values of the prompt, words that many things share.
import type { SessionCall } from './play-session.ts';

/** How an id is written, and how the agent passes it on. */
export type EdgeKind =
  | 'id'
  | 'text'
  | 'short id'
  | 'in a URL'
  | 'out of a URL'
  | 'in prose'
  | 'other spelling'
  | 'name';

export interface TrueEdge {
  readonly kind: EdgeKind;
  /** Position of the call in the session. */
  readonly call: number;
  readonly path: string;
  readonly source: number;
}

export interface ScriptedSession {
  readonly calls: readonly SessionCall[];
  readonly edges: readonly TrueEdge[];
}

type Random = () => number;

const pick = <T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[Math.floor(random() * values.length)] ?? values[0];
const digits = (random: Random, length: number): string =>
  Array.from({ length }, (_, at) =>
    String(at === 0 ? 1 + Math.floor(random() * 9) : Math.floor(random() * 10)),
  ).join('');
const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');

const ENTITIES = ['user', 'order', 'ticket', 'project', 'invoice', 'device'] as const;
const STATES = ['open', 'closed', 'in_progress', 'completed', 'archived'] as const;
const WORDS = ['quarterly', 'planning', 'review', 'migration', 'rollout', 'northwind', 'onboarding'] as const;

interface Thing {
  readonly id: string | number;
  readonly number: number;
  readonly name: string;
  readonly url: string;
  readonly slug: string;
  readonly state: string;
  readonly due: string;
  readonly priority: number;
  readonly count: number;
}

function createThing(random: Random, entity: string): Thing {
  const slug = `${pick(random, WORDS)}-${pick(random, WORDS)}-${hex(random, 4)}`;
  const id = pick<string | number>(random, [
    `${entity.slice(0, 3)}_${hex(random, 10)}`,
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
    Number(digits(random, 6)),
  ]);
  return {
    id,
    number: 1 + Math.floor(random() * 90),
    name: `${pick(random, WORDS)} ${pick(random, WORDS)} ${digits(random, 2)}`,
    url: `https://app.example.com/${entity}s/${slug}?tab=all`,
    slug,
    state: pick(random, STATES),
    due: `2026-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`,
    priority: 1 + Math.floor(random() * 5),
    count: Math.floor(random() * 200),
  };
}

/** What a server declares, as most do: the names of its arguments are known. */
function toSchema(entity: string) {
  const names = [
    'id',
    `${entity}_id`,
    `${entity}_name`,
    `${entity}_number`,
    'url',
    'uri',
    'slug',
    'owner_id',
    'status',
  ];
  return {
    properties: {
      ...Object.fromEntries(names.map((name) => [name, {}])),
      ...{ since: {}, days: {}, query: {}, min_priority: {} },
      state: { enum: [...STATES] },
      limit: { type: 'integer', default: 50 },
    },
  };
}

interface Draft {
  readonly random: Random;
  readonly calls: SessionCall[];
  readonly edges: TrueEdge[];
}

/** A session of about ten calls over two kinds of things. @param random in [0, 1) */
export function createScriptedSession(random: Random): ScriptedSession {
  const draft: Draft = { random, calls: [], edges: [] };
  const [first, second] = [pick(random, ENTITIES), pick(random, ENTITIES)];
  for (const entity of [first, second]) {
    const listed = list(draft, entity);
    const uses = 2 + Math.floor(random() * 3);
    for (let at = 0; at < uses; at++) use(draft, entity, listed);
    distract(draft, entity, listed);
  }
  return draft;
}

interface Listed {
  readonly source: number;
  /**
   * The call that a value was read from last. Where several results have the same value, an agent's source cannot be known; here it is
   * the latest that was not itself given the value.
   */
  readonly latest: Map<unknown, number>;
  readonly isText: boolean;
  readonly things: readonly [Thing, ...Thing[]];
}

function list({ random, calls }: Draft, entity: string): Listed {
  const things: [Thing, ...Thing[]] = [createThing(random, entity)];
  while (things.length < 8) things.push(createThing(random, entity));
  const isText = random() < 0.25;
  const result = isText
    ? things.map(({ id, name, state, url }) => `- ${name} (id ${id}, ${state}): ${url}`).join('\n')
    : { [`${entity}s`]: things, total: things.length };
  calls.push({
    tool: `list_${entity}s`,
    arguments: { state: pick(random, STATES), limit: pick(random, [20, 50, 100]) },
    inputSchema: toSchema(entity),
    result,
  });
  return { source: calls.length - 1, isText, things, latest: new Map() };
}

interface Passed {
  readonly kind: EdgeKind;
  readonly field: 'id' | 'number' | 'name' | 'url' | 'slug';
  readonly path: string;
  readonly arguments: object;
}

function use(
  { random, calls, edges }: Draft,
  entity: string,
  { source, isText, things, latest }: Listed,
): void {
  const thing = pick(random, things);
  const passed = isText ? passOfText(random, entity, thing) : passOfStructure(random, entity, thing);
  const given = thing[passed.field];
  edges.push({
    kind: passed.kind,
    call: calls.length,
    path: passed.path,
    source: latest.get(given) ?? source,
  });
  for (const value of [thing.id, thing.number, thing.name, thing.url, thing.slug])
    if (value !== given) latest.set(value, calls.length);
  calls.push({
    tool: pick(random, [`get_${entity}`, `update_${entity}`, `close_${entity}`]),
    arguments: { ...passed.arguments, ...(random() < 0.3 && { state: pick(random, STATES) }) },
    inputSchema: toSchema(entity),
    // Echoes what it was given, as most tools do.
    result: { ...thing, updated_by: 'automation', priority: thing.priority + 1 },
  });
}

function passOfText(random: Random, entity: string, { id, slug }: Thing): Passed {
  return pick<Passed>(random, [
    { kind: 'in prose', field: 'id', path: `${entity}_id`, arguments: { [`${entity}_id`]: id } },
    { kind: 'out of a URL', field: 'slug', path: 'slug', arguments: { slug } },
  ]);
}

function passOfStructure(random: Random, entity: string, thing: Thing): Passed {
  const { id, number, name, url, slug } = thing;
  return pick<Passed>(random, [
    { kind: 'id', field: 'id', path: `${entity}_id`, arguments: { [`${entity}_id`]: id } },
    { kind: 'id', field: 'id', path: 'id', arguments: { id } },
    { kind: 'text', field: 'url', path: 'url', arguments: { url } },
    { kind: 'name', field: 'name', path: `${entity}_name`, arguments: { [`${entity}_name`]: name } },
    {
      kind: 'short id',
      field: 'number',
      path: `${entity}_number`,
      arguments: { [`${entity}_number`]: number },
    },
    { kind: 'in a URL', field: 'id', path: 'uri', arguments: { uri: `app://${entity}s/${id}/history` } },
    { kind: 'out of a URL', field: 'slug', path: 'slug', arguments: { slug } },
    {
      kind: 'other spelling',
      field: 'id',
      path: `${entity}_id`,
      arguments: { [`${entity}_id`]: ` #${String(id).toUpperCase()}` },
    },
  ]);
}

/** Arguments that no result fed although results have equal values: counts, dates, states, what the prompt said. */
function distract({ random, calls }: Draft, entity: string, { things }: Listed): void {
  const thing = pick(random, things);
  const prompted = `${entity.slice(0, 3)}_${hex(random, 10)}`;
  calls.push({
    tool: `search_${entity}s`,
    arguments: {
      limit: thing.count,
      min_priority: thing.priority,
      status: thing.state,
      since: `2026-0${1 + Math.floor(random() * 9)}-1${Math.floor(random() * 10)}`,
      query: `${pick(random, WORDS)} ${pick(random, WORDS)}`,
      owner_id: prompted,
    },
    inputSchema: toSchema(entity),
    result: { [`${entity}s`]: [{ ...createThing(random, entity), owner_id: prompted }] },
  });
  calls.push({
    tool: `assign_${entity}`,
    arguments: { owner_id: prompted, days: thing.number },
    inputSchema: toSchema(entity),
    result: { ok: true },
  });
}
