// What the servers of the made-up fortnight listed, and the loops that were found in it. A definition's hash is made from its text,
// so that equal definitions have equal ones.
import type { LoopRecord } from '../../../src/core/model/loop-record.ts';
import { groupBy, sessionKey } from '../oracle/call-stats.ts';
import { DAY, type DatasetCall, type DatasetListing, deployedAtMs, HOUR } from './dataset.ts';
import type { createCallRandom } from './seeded-calls.ts';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

const defineTool = (name: string, description: string, properties: object): Definition => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});

const text = { type: 'string' };
const filter = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['open', 'closed'], default: 'open' } },
};

const FIND = defineTool(
  'find_notes',
  'Finds notes by title – nöt by words. Use it when the title is known. Returns their ids.',
  { id: text, limit: { type: 'integer' } },
);
const WRITE: Definition = {
  ...defineTool('write_note', 'Creates a note. Use it for a new one, not to change one. Returns its id.', {
    id: text,
  }),
  annotations: { readOnlyHint: false, idempotentHint: false },
};
const searchWith = (limit: object) =>
  defineTool('search_notes', 'Searches notes by words. Use it for words; not for titles. Returns ids.', {
    query: text,
    limit: { type: 'integer', ...limit },
    filter,
  });

const OLD_TOOLS = [
  searchWith({}),
  FIND,
  WRITE,
  defineTool('old_tool', 'Archives a note. Returns nothing.', { id: text }),
];
const NEW_TOOLS = [
  searchWith({ minimum: 1, maximum: 100 }),
  FIND,
  WRITE,
  defineTool('lonely_note', 'Copies a note. Returns its id.', {}),
];
const DRAFT_TOOLS = [...NEW_TOOLS, defineTool('draft_note', 'Drafts a note – süß. Returns its id.', {})];
const FILE_TOOLS = [
  defineTool('read_file', 'Reads a file. Use it for text. Returns the text.', {
    id: text,
    limit: { type: 'integer' },
  }),
  defineTool('write_file', 'Creates a file. Use it for text. Returns its path.', { id: text }),
  defineTool('lonely_file', 'Copies a file. Returns its path.', { id: text, filter }),
];

interface DatasetCatalogue {
  readonly server: string;
  readonly environment: string;
  readonly version: string;
  readonly letter: string;
  readonly tools: readonly Definition[];
  readonly listedMs: readonly number[];
}

/** Every listing of every tool; the first of each catalogue was read by the wrapper when its server began. */
export function createDatasetListings(nowMs: number): DatasetListing[] {
  const notes = (environment: string): DatasetCatalogue[] => [
    {
      ...{ server: 'notes', environment, version: '1.9.0', letter: 'a', tools: OLD_TOOLS },
      listedMs: [
        nowMs - 20 * DAY,
        nowMs - 19 * DAY,
        nowMs - 3 * DAY,
        deployedAtMs(environment, nowMs) - HOUR,
      ],
    },
    {
      ...{ server: 'notes', environment, version: '1.10.0', letter: 'b', tools: NEW_TOOLS },
      listedMs: [deployedAtMs(environment, nowMs), nowMs - 10 * HOUR, nowMs - 2 * HOUR],
    },
  ];
  const catalogues: DatasetCatalogue[] = [
    ...notes('production'),
    ...notes('staging'),
    {
      ...{ server: 'notes', environment: 'staging', version: '1.10.0', letter: 'd', tools: DRAFT_TOOLS },
      listedMs: [nowMs - 90 * 60_000, nowMs - HOUR],
    },
    {
      ...{ server: 'files', environment: 'production', version: '1.9.0', letter: 'c', tools: FILE_TOOLS },
      listedMs: [nowMs - 6 * DAY, nowMs - 5 * DAY, nowMs - DAY, nowMs - HOUR],
    },
  ];
  return catalogues.flatMap(toListings);
}

function toListings({
  server,
  environment,
  version,
  letter,
  tools,
  listedMs,
}: DatasetCatalogue): DatasetListing[] {
  return listedMs.flatMap((atMs, at) =>
    tools.map((definition) => ({
      server_name: server,
      server_version: version,
      environment,
      listedUs: atMs * 1_000,
      origin: at === 0 ? ('start' as const) : ('list' as const),
      catalogue_hash: letter.repeat(16),
      tool_name: definition.name,
      definition: JSON.stringify(definition),
      definition_hash: hashOf(JSON.stringify(definition)),
    })),
  );
}

function hashOf(definition: string): string {
  const hash = [...definition].reduce(
    (sum, letter) => (sum * 31n + BigInt(letter.codePointAt(0) ?? 0)) % 2n ** 63n,
    7n,
  );
  return hash.toString();
}

const SEVERITIES = ['confirmed', 'suspected', 'note', 'confirmed'] as const;

/** Loops of some longer sessions: from one of their calls to a later one, of one of their tools or two. */
export function createDatasetLoops(
  calls: readonly DatasetCall[],
  roll: ReturnType<typeof createCallRandom>,
): LoopRecord[] {
  const runs = [...groupBy(calls, sessionKey).values()] as DatasetCall[][];
  const long = runs.filter((own) => own.length > 5 && own[0]?.session_id !== '' && roll() < 0.3);
  return long.map((own, at): LoopRecord => {
    const sorted = own
      .filter(({ method, side }) => method === 'tools/call' && side === 'server')
      .sort((one, other) => one.startedUs - other.startedUs);
    const from = sorted[Math.floor(sorted.length / 4)] as DatasetCall;
    const to = sorted[Math.floor((sorted.length * 3) / 4)] as DatasetCall;
    return {
      id: `l${at}`.padEnd(32, '0').replace(/l/, 'a'),
      server: from.server_name,
      environment: from.environment,
      sessionId: from.session_id,
      sessionSource: from.session_source,
      client: from.client_name,
      planId: from.plan_id,
      kind: 'repeat',
      severity: SEVERITIES[at % 4] ?? 'note',
      state: at % 5 === 0 ? 'active' : 'over',
      tools: at % 3 === 0 ? [from.tool_name, to.tool_name] : [from.tool_name],
      period: 1,
      repeats: 4,
      wastedCalls: 1 + Math.floor(roll() * 9),
      wastedUs: 1_000 + Math.floor(roll() * 1e6),
      onsetUs: from.startedUs,
      lastUs: to.startedUs,
      detectedUs: to.startedUs,
      sentence: 'It goes round.',
      evidence: [],
      thresholds: {},
      detectorVersion: 1,
      wastedTokens: 0,
      cause: 'agent',
      causeSentence: '',
      stormId: '',
      treeId: '',
      treeSessions: 0,
      withdrawn: at % 7 === 6,
    };
  });
}
