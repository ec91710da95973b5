import { describe, expect, test } from 'vitest';
import { planIdOf, type SessionEvidence, sessionOf } from '../../../src/core/observer/session-of.ts';

const NOTHING: SessionEvidence = {
  host: '',
  transportSession: '',
  meta: undefined,
  transport: 'http',
  connectionId: 'conn',
  traceId: '',
};
const EVERYTHING: SessionEvidence = {
  host: 'h',
  transportSession: 't',
  meta: { conversationId: 'm' },
  transport: 'stdio',
  connectionId: 'conn',
  traceId: 'trace',
};

describe('the session of a request', () => {
  const table: readonly (readonly [because: string, evidence: SessionEvidence, session: string])[] = [
    ['the host knows best', EVERYTHING, 'host h'],
    ['a transport session comes next', { ...EVERYTHING, host: '' }, 'transport t'],
    ['a conversation may be named in _meta', { ...EVERYTHING, host: '', transportSession: '' }, 'meta m'],
    [
      'a pipe has one client',
      { ...EVERYTHING, host: '', transportSession: '', meta: undefined },
      'connection conn',
    ],
    ['a linked pair has one client', { ...NOTHING, transport: 'memory' }, 'connection conn'],
    ['a trace may be one of many, but it is a key', { ...NOTHING, traceId: 'trace' }, 'trace trace'],
    ['an HTTP connection may carry strangers', NOTHING, 'none '],
    ['an unknown transport may too', { ...NOTHING, transport: '' }, 'none '],
    [
      'a pipe stays one session though each call has its own trace',
      { ...NOTHING, transport: 'stdio', traceId: 'x' },
      'connection conn',
    ],
    ['an id must be a text', { ...NOTHING, meta: { conversationId: 7, run_id: '' } }, 'none '],
    ['a run is a conversation where nothing better is said', { ...NOTHING, meta: { runId: 'r' } }, 'meta r'],
  ];

  test.each(table)('is what it is because %s', (_because, evidence, session) => {
    const { source, id } = sessionOf(evidence);
    expect(`${source} ${id}`).toBe(session);
  });

  test('is cut to 256 characters, since a client chooses it', () => {
    expect(sessionOf({ ...NOTHING, host: 'x'.repeat(9_999) }).id).toHaveLength(256);
  });
});

test.each([
  ['the host said so', 'p', { planId: 'm' }, 'p'],
  ['_meta says planId', '', { planId: 'm', runId: 'r' }, 'm'],
  ['_meta says plan_id', '', { plan_id: 'm' }, 'm'],
  ['a run is a plan', '', { runId: 'r' }, 'r'],
  ['nobody said', '', undefined, ''],
] as const)('a plan is known because %s', (_because, host, meta, plan) => {
  expect(planIdOf(host, meta)).toBe(plan);
});
