// A made-up fortnight of three servers, as the rows that were stored: what the tests recount is these rows and nothing else. It has
// what figures go wrong over: sessions that the edges of a range cut, ids that two servers and two sources share, calls at one
// instant, interim rounds, requests that are no tool calls, unknown arguments, a deploy in the middle of sessions, an
// hour in which nothing was called, names nobody lists, tools that were taken away and tools nobody calls.
import { addResultFlow } from './add-result-flow.ts';
import { createDatasetListings, createDatasetLoops } from './create-listings.ts';
import { type Dataset, type DatasetCall, deployedAtMs, HOUR, MINUTE } from './dataset.ts';
import { createCallRandom, createSeededCall } from './seeded-calls.ts';

interface RandomChoices {
  readonly roll: () => number;
  /** Whole, below `n`. */
  readonly below: (n: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
}

function createRandomChoices(seed: number): RandomChoices {
  const roll = createCallRandom(seed);
  const below = (n: number) => Math.floor(roll() * n);
  return { roll, below, pick: <T>(list: readonly T[]) => list[below(list.length)] as T };
}

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  notes: [
    'search_notes',
    'search_notes',
    'search_notes',
    'find_notes',
    'find_notes',
    'write_note',
    'old_tool',
  ],
  files: ['read_file', 'read_file', 'write_file'],
  silent: ['ping', 'pong'],
};
/** Names that agents make up. */
const INVENTED_TOOLS: Readonly<Record<string, string>> = {
  notes: 'serach_notes',
  files: 'raed_file',
  silent: 'pnig',
};

const ERRORS = [
  {
    outcome: 'invalid_arguments',
    fault: 'client',
    error_code: '-32602',
    error_message: 'limit must be <= <n>',
    error_argument: 'limit',
  },
  {
    outcome: 'invalid_arguments',
    fault: 'client',
    error_code: '-32602',
    error_message: 'status is required',
    error_argument: 'filter.status',
  },
  { outcome: 'tool_error', fault: 'server', error_code: 'RATE_LIMITED', error_message: 'retry after <n>s' },
  { outcome: 'tool_error', fault: 'client', error_code: 'HTTP_404', error_message: 'no note <str>' },
  { outcome: 'exception', fault: 'server', error_code: 'TypeError', error_message: 'x is undefined' },
  { outcome: 'timeout', fault: 'server', error_code: 'timeout', error_message: '' },
  { outcome: 'protocol_error', fault: 'client', error_code: '-32600', error_message: 'bad request' },
] as const satisfies readonly Partial<DatasetCall>[];

/** Neither a success nor an error. */
const NEUTRAL_OUTCOMES = [
  { outcome: 'cancelled' },
  { outcome: 'abandoned' },
  { outcome: 'blocked' },
  { outcome: 'task' },
] as const satisfies readonly Partial<DatasetCall>[];

/** What a whole session shares, and what it holds to as it goes on. */
interface SessionRun {
  readonly dice: RandomChoices;
  readonly nowMs: number;
  readonly shared: Partial<DatasetCall> & { readonly server_name: string; readonly environment: string };
  /** A process keeps its version until it ends; what is behind a transport is deployed meanwhile. */
  readonly isProcess: boolean;
  readonly startedMs: number;
}

/** Deterministic for one seed and one present. */
export function createDataset({ nowMs, seed }: { readonly nowMs: number; readonly seed: number }): Dataset {
  const dice = createRandomChoices(seed);
  const silentFromMs = Math.floor((nowMs - 14 * HOUR) / HOUR) * HOUR;
  const isSilent = ({ startedUs }: DatasetCall) =>
    startedUs >= silentFromMs * 1_000 && startedUs < (silentFromMs + HOUR) * 1_000;
  const calls = Array.from({ length: 330 }, (_, at) => makeSession(at, { dice, nowMs }))
    .flat()
    .filter((call) => !isSilent(call) && call.startedUs < nowMs * 1_000);
  return {
    calls,
    listings: createDatasetListings(nowMs),
    loops: createDatasetLoops(calls, dice.roll),
    silentFromMs,
  };
}

const SERVERS = ['notes', 'files', 'notes', 'silent', 'notes', 'files'] as const;
const SOURCES = ['host', 'transport', 'connection', 'connection', 'trace', 'none'] as const;

/** Of twelve, the second has the id of the first on another server, and the third on the same server by another source. */
function makeSession(at: number, { dice, nowMs }: Pick<SessionRun, 'dice' | 'nowMs'>): DatasetCall[] {
  const duplicateIndex = at % 12 < 3 ? at % 12 : 0;
  const server_name = SERVERS[at % 6] ?? 'notes';
  const source = at % 12 < 3 ? SOURCES[duplicateIndex] : dice.pick(SOURCES);
  const hours = dice.roll() < 0.65 ? 32 : 9 * 24;
  const run: SessionRun = {
    dice,
    nowMs,
    shared: {
      server_name,
      environment: dice.roll() < 0.25 ? 'staging' : 'production',
      client_name: dice.pick(['cursor', 'claude', 'claude', 'zed']),
      session_id: source === 'none' ? '' : `run-${at - duplicateIndex}`,
      session_source: source ?? 'none',
      session_confidence: source === 'none' ? 'none' : 'medium',
      plan_id: at % 9 === 0 ? 'plan-9' : '',
      fingerprint_key_id: dice.roll() < 0.9 ? 'key-1' : 'key-2',
    },
    isProcess: source === 'connection',
    startedMs: nowMs - Math.floor(dice.roll() ** 1.3 * hours * HOUR),
  };
  return makeRun(run);
}

function makeRun(run: SessionRun): DatasetCall[] {
  const { dice } = run;
  const isSlow = dice.roll() < 0.3;
  const calls: DatasetCall[] = [];
  let startedUs = run.startedMs * 1_000 + dice.below(1_000);
  for (let left = dice.roll() < 0.04 ? 40 : 1 + dice.below(12); left > 0; left -= 1) {
    const before = calls.at(-1);
    const call =
      before && dice.roll() < 0.75 && before.fault !== 'none' ? reactToFailure(before, run) : startCall(run);
    calls.push(finishCall(call, startedUs, run));
    // Some start at one instant, some after a break.
    if (dice.roll() > 0.05)
      startedUs += Math.floor((isSlow ? 40 * MINUTE : 20_000) * (0.05 + dice.roll()) * 1_000);
    if (before?.fault !== 'none' && dice.roll() < 0.15) break;
  }
  return addResultFlow(calls, calls.length + run.startedMs);
}

const RESULTS = [
  '',
  '{"content":[1,{"type":"string:4","text":"string:90"}]}',
  '{"content":[1,{"type":"string:4","text":"json:200"}]}',
  '{"content":[1,{"type":"string:4","text":"json:200"}],"structuredContent":{"id":"int"}}',
];

type StartedCall = Partial<DatasetCall> & { readonly tool_name: string };

/** A call that has nothing to do with the one before. */
function startCall({ dice, shared }: SessionRun): StartedCall {
  if (dice.roll() < 0.05) return { tool_name: INVENTED_TOOLS[shared.server_name] ?? '', ...UNKNOWN_TOOL };
  const tool_name = dice.pick(TOOLS[shared.server_name] ?? []);
  return { tool_name, ...createArguments(tool_name, dice) };
}

const UNKNOWN_TOOL = {
  outcome: 'unknown_tool',
  fault: 'client',
  error_code: '-32602',
  error_message: 'unknown tool',
} as const;

/** What an agent does after an error: the same again, another argument, or another tool. */
function reactToFailure(failed: DatasetCall, run: SessionRun): StartedCall {
  const { dice } = run;
  if (failed.outcome === 'unknown_tool' || dice.roll() < 0.3) return startCall(run);
  const { tool_name, arguments_fingerprint, argument_fingerprints, arguments_shape, arguments_bytes } =
    failed;
  if (dice.roll() < 0.45)
    return { tool_name, arguments_fingerprint, argument_fingerprints, arguments_shape, arguments_bytes };
  return { tool_name, ...createArguments(tool_name, dice) };
}

/** Arguments as the wrapper reduces them; of some calls nothing is known. */
function createArguments(tool: string, { roll, below, pick }: RandomChoices): Partial<DatasetCall> {
  if (roll() < 0.07) return { arguments_fingerprint: '0', argument_fingerprints: {}, arguments_shape: '' };
  const length = 3 + below(4);
  const each: Record<string, string> = { [tool.startsWith('search') ? 'query' : 'id']: String(1 + below(5)) };
  const shape: Record<string, unknown> = { [Object.keys(each)[0] ?? '']: `string:${length}` };
  if (roll() < 0.6) [each.limit, shape.limit] = [String(1 + below(3)), pick(['int', 'int', 'string:2'])];
  if (roll() < 0.3)
    [each.filter, shape.filter] = [String(1 + below(9)), { status: pick(['=open', '=closed', 'string:9']) }];
  const whole = Object.entries(each).map(([name, value]) => name.length * 100 + Number(value));
  return {
    arguments_fingerprint: String(whole.reduce((sum, part) => sum * 997 + part, 7)),
    argument_fingerprints: each,
    arguments_shape: JSON.stringify(shape),
    arguments_bytes: 20 + 5 * whole.length,
  };
}

function finishCall(call: StartedCall, startedUs: number, run: SessionRun): DatasetCall {
  const { dice, shared, isProcess, startedMs, nowMs } = run;
  const isNew = (isProcess ? startedMs : startedUs / 1_000) >= deployedAtMs(shared.environment, nowMs);
  const made = {
    ...createSeededCall({ startedUs, server_version: isNew ? '1.10.0' : '1.9.0' }),
    argument_fingerprints: {},
    fingerprint_key_id: 'key-1',
    catalogue_hash: '',
    duration_us: Math.floor(Math.exp(6 + dice.roll() * 8)),
    result_bytes: Math.floor(Math.exp(dice.roll() * 15)),
    result_fingerprint: String(1 + dice.below(4)),
    result_shape: dice.pick(RESULTS),
    ...shared,
    ...call,
    ...(call.outcome === undefined && sampleOutcome(dice)),
  };
  return {
    ...made,
    // A stateless transport does not tell the client each time.
    client_name: dice.roll() < 0.06 ? '' : made.client_name,
    catalogue_hash: dice.roll() < 0.15 ? '' : catalogueOf(shared.server_name, isNew),
    ...(dice.roll() < 0.08 && sampleOtherRequest(dice)),
  };
}

function sampleOutcome({ roll, pick }: RandomChoices): Partial<DatasetCall> {
  const dice = roll();
  if (dice < 0.3) return pick(ERRORS);
  if (dice < 0.36) return pick(NEUTRAL_OUTCOMES);
  if (dice < 0.4) return { error_in_result: 1 };
  return {};
}

/** What stands among the calls of a session and is none. */
function sampleOtherRequest({ pick }: RandomChoices): Partial<DatasetCall> {
  return pick<Partial<DatasetCall>>([
    { method: 'tools/list', tool_name: '', outcome: 'ok', fault: 'none', error_code: '', error_in_result: 0 },
    { method: 'prompts/get', tool_name: '', outcome: 'exception', fault: 'server', error_code: 'X' },
    { outcome: 'input_required', fault: 'none', error_code: '', error_message: '', error_argument: '' },
    { side: 'client', method: 'sampling/createMessage', tool_name: '', outcome: 'ok', fault: 'none' },
  ]);
}

function catalogueOf(server: string, isNew: boolean): string {
  if (server === 'silent') return '';
  if (server === 'files') return 'c'.repeat(16);
  return (isNew ? 'b' : 'a').repeat(16);
}
