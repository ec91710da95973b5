// Spans of which each brings a name that nobody has sent before, in one of the places where names stand.
import { createHash } from 'node:crypto';
import { toSpan } from '../../src/core/dialects/toolscope-span.ts';
import type { ToolCall } from '../../src/core/model/tool-call.ts';
import { encodeTracesJson } from '../../src/core/otlp/encode-json.ts';

export const NAME_PLACES = [
  'servers',
  'tools',
  'clients',
  'versions',
  'environments',
  'codes',
  'templates',
  'catalogues',
  'sessions',
  'plans',
] as const;

export type NamePlace = (typeof NAME_PLACES)[number];

/** A word of letters only, so that nothing takes it for an id. */
function toWord(n: number): string {
  let word = '';
  for (let rest = n + 26 ** 4; rest > 0; rest = Math.floor(rest / 26))
    word += String.fromCharCode(97 + (rest % 26));
  return word;
}

function failingCall(word: string): Partial<ToolCall> {
  return {
    outcome: 'tool_error',
    fault: 'server',
    errorCode: 'BROKEN',
    errorMessage: `The ${word} is broken`,
  };
}

/** What a call of each place differs in. */
const OVERRIDES: Readonly<Record<NamePlace, (word: string) => Partial<ToolCall>>> = {
  servers: (word) => ({ serverName: word }),
  tools: (word) => ({ toolName: word }),
  clients: (word) => ({ clientName: word }),
  versions: (word) => ({ serverVersion: word }),
  environments: (word) => ({ environment: word }),
  codes: (word) => ({ ...failingCall('pipe'), errorCode: word.toUpperCase() }),
  templates: (word) => failingCall(word),
  catalogues: () => ({ method: 'tools/list', toolName: '' }),
  sessions: (word) => ({ sessionId: `session-${word}` }),
  plans: (word) => ({ planId: `plan-${word}` }),
};

const hex = (n: number, digits: number): string => `c${n.toString(16).padStart(digits - 1, '0')}`;

let spans = 0;

function callOf(place: NamePlace, n: number): ToolCall {
  spans += 1;
  return {
    ...BARE_CALL,
    traceId: hex(spans, 32),
    spanId: hex(spans, 16),
    sessionId: `session-${Math.floor(n / 50)}`,
    startedAtUs: (Date.now() - 60_000 + (n % 50_000)) * 1_000,
    ...OVERRIDES[place](toWord(n)),
  };
}

/** A body of spans from the `first` name on. */
export function encodeNames(place: NamePlace, first: number, count: number): string {
  const calls = Array.from({ length: count }, (_, at) => callOf(place, first + at));
  return encodeTracesJson(
    calls.map((call, at) => {
      if (place !== 'catalogues') return toSpan({ call });
      const hash = createHash('sha256')
        .update(String(first + at))
        .digest('hex')
        .slice(0, 16);
      const tools = [
        { name: 'search', description: `Looks for the ${toWord(first + at)}.`, inputSchema: {} },
      ];
      const { serverName, serverVersion, environment, startedAtUs: listedAtUs } = call;
      const listing = { serverName, serverVersion, environment, listedAtUs, origin: 'list' as const };
      return toSpan({
        call: { ...call, catalogueHash: hash },
        listing: { ...listing, catalogue: { hash, tools } },
      });
    }),
  );
}

const BARE_CALL: ToolCall = {
  traceId: '',
  spanId: '',
  parentSpanId: '',
  serverName: 'attacked',
  serverVersion: '1.0.0',
  environment: 'production',
  clientName: 'cursor',
  clientVersion: '1',
  protocolVersion: '2025-11-25',
  transport: 'http',
  principal: '',
  sessionId: '',
  sessionSource: 'transport',
  sessionConfidence: 'high',
  planId: '',
  side: 'server',
  method: 'tools/call',
  toolName: 'search',
  target: '',
  requestId: '1',
  startedAtUs: 0,
  durationUs: 5_000,
  outcome: 'ok',
  fault: 'none',
  errorCode: '',
  errorType: '',
  errorMessage: '',
  errorArgument: '',
  errorFingerprint: '',
  errorInResult: false,
  fingerprintKeyId: '',
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsShape: '',
  argumentsBytes: 0,
  argumentOrigins: '',
  argumentSources: '',
  resultFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultTrait: '',
  resultShape: '',
  resultLines: 0,
  resultBytes: 0,
  resultFields: '',
  catalogueHash: '',
  attributes: {},
};
