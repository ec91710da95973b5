import { describe, expect, test } from 'vitest';
import {
  resolvePlanId,
  resolveSession,
  type SessionEvidence,
} from '../../../src/core/observer/resolve-session.ts';

const NO_EVIDENCE: SessionEvidence = {
  host: '',
  transportSession: '',
  meta: undefined,
  transport: 'http',
  connectionId: 'conn',
  traceId: '',
};
const FULL_EVIDENCE: SessionEvidence = {
  host: 'h',
  transportSession: 't',
  meta: { conversationId: 'm' },
  transport: 'stdio',
  connectionId: 'conn',
  traceId: 'trace',
};

describe('session of a request', () => {
  const table: readonly (readonly [because: string, evidence: SessionEvidence, session: string])[] = [
    ['the host knows best', FULL_EVIDENCE, 'host h'],
    ['a transport session comes next', { ...FULL_EVIDENCE, host: '' }, 'transport t'],
    ['a conversation may be named in _meta', { ...FULL_EVIDENCE, host: '', transportSession: '' }, 'meta m'],
    [
      'a pipe has one client',
      { ...FULL_EVIDENCE, host: '', transportSession: '', meta: undefined },
      'connection conn',
    ],
    ['a linked pair has one client', { ...NO_EVIDENCE, transport: 'memory' }, 'connection conn'],
    ['a trace may be one of many, but it is a key', { ...NO_EVIDENCE, traceId: 'trace' }, 'trace trace'],
    ['an HTTP connection may carry strangers', NO_EVIDENCE, 'none '],
    ['an unknown transport may too', { ...NO_EVIDENCE, transport: '' }, 'none '],
    [
      'a pipe stays one session though each call has its own trace',
      { ...NO_EVIDENCE, transport: 'stdio', traceId: 'x' },
      'connection conn',
    ],
    ['an id must be a text', { ...NO_EVIDENCE, meta: { conversationId: 7, run_id: '' } }, 'none '],
    [
      'a run is a conversation where nothing better is said',
      { ...NO_EVIDENCE, meta: { runId: 'r' } },
      'meta r',
    ],
  ];

  test.each(table)('the session is resolved as expected because %s', (_because, evidence, session) => {
    const { source, id } = resolveSession(evidence);
    expect(`${source} ${id}`).toBe(session);
  });

  test('a session id is truncated to 256 characters, because a client chooses it', () => {
    expect(resolveSession({ ...NO_EVIDENCE, host: 'x'.repeat(9_999) }).id).toHaveLength(256);
  });
});

test.each([
  ['the host said so', 'p', { planId: 'm' }, 'p'],
  ['_meta says planId', '', { planId: 'm', runId: 'r' }, 'm'],
  ['_meta says plan_id', '', { plan_id: 'm' }, 'm'],
  ['a run is a plan', '', { runId: 'r' }, 'r'],
  ['nobody said', '', undefined, ''],
] as const)('the plan of a request is resolved as expected because %s', (_because, host, meta, plan) => {
  expect(resolvePlanId(host, meta)).toBe(plan);
});
