// Notices, rules and one-line scripts for the tests of alerts.
import type { LoopUpdate } from '../../../src/core/model/loop-record.ts';
import type { StormRecord } from '../../../src/core/model/storm-record.ts';
import type { LongSession } from '../../../src/service/alerts/alert-candidates.ts';
import type {
  SessionOverCallsRule,
  StormRule,
  SuspectedLoopRule,
} from '../../../src/service/alerts/alert-rule.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const SECOND = 1_000;
export const MINUTE = 60_000;

export function loopNotice(over: Partial<LoopUpdate> = {}): LoopUpdate {
  return {
    id: 'loop-1',
    server: 'notes',
    environment: 'production',
    sessionId: 's1',
    sessionSource: 'transport',
    client: 'cursor',
    kind: 'repeat',
    severity: 'suspected',
    state: 'active',
    tools: ['add_note'],
    sentence: 'add_note was called 7 times with the same arguments and failed the same way.',
    repeats: 7,
    wastedCalls: 6,
    onsetMs: NOW - MINUTE,
    lastMs: NOW,
    treeId: '',
    foldedInto: '',
    holdUntilMs: 0,
    ...over,
  };
}

export function longSession(over: Partial<LongSession> = {}): LongSession {
  return {
    server: 'notes',
    environment: '',
    sessionId: 's1',
    sessionSource: 'transport',
    client: 'cursor',
    calls: 31,
    errors: 2,
    tools: ['add_note'],
    ...over,
  };
}

const BASE = {
  enabled: true,
  match: { server: [], environment: [], tool: [] },
  forMs: 0,
  keepFiringForMs: MINUTE,
  groupBy: ['server', 'environment', 'tool'],
  groupIntervalMs: MINUTE,
  notify: ['dashboard', 'log', 'hook'],
} as const;

export const LOOP_RULE: SuspectedLoopRule = {
  ...BASE,
  id: 'loops',
  kind: 'suspected_loop',
  severity: 'suspected',
};

export const SESSION_RULE: SessionOverCallsRule = {
  ...BASE,
  id: 'long',
  kind: 'session_over_calls',
  calls: 30,
  groupBy: ['server'],
};

export const STORM_RULE: StormRule = {
  ...LOOP_RULE,
  id: 'storm',
  kind: 'storm',
  groupBy: ['server', 'environment', 'code'],
};

export function stormRecord(over: Partial<StormRecord> = {}): StormRecord {
  return {
    ...{ id: 'storm-1', server: 'notes', environment: 'production', kind: 'failure', code: 'HTTP_503' },
    ...{ template: '', tools: ['read', 'search'], sessions: 200, isEverybody: true, calls: 1_840 },
    ...{ firstUs: (NOW - MINUTE) * 1000, lastUs: NOW * 1000, state: 'active', cause: 'server' },
    sentence: 'notes answers HTTP_503 to 200 sessions.',
    ...over,
  };
}
