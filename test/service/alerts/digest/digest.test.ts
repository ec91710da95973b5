// The digest, composed from answers of the API: what it says, and what it makes of texts of others.
import { describe, expect, test } from 'vitest';
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import type { ChangePointRow } from '../../../../src/contract/change-points.ts';
import { composeDigest, type DigestSources } from '../../../../src/service/alerts/digest/compose-digest.ts';
import {
  formatDigestHtml,
  formatDigestMarkdown,
} from '../../../../src/service/alerts/digest/format-digest.ts';
import { NOW } from '../sample.ts';

const DAY = 86_400_000;
const range = { fromMs: NOW - 7 * DAY, toMs: NOW };
const totals = {
  ...{ calls: 1_000, sessions: 80, errors: 100, errorRate: 0.1, p50Ms: 40, p95Ms: 1_250 },
  ...{ sessionsOverThirty: 0, neverCalledTools: 2 },
};

function change(over: Partial<ChangePointRow>): ChangePointRow {
  return {
    ...{ id: 'c', server: 'notes', environment: '', tool: 'add', kind: 'errors', direction: 'up', code: '' },
    ...{
      state: 'open',
      isWorse: true,
      onsetAt: '2026-11-19T08:00:00.000Z',
      endedAt: null,
      causes: [],
      calls: 500,
    },
    ...{
      detectedAt: '2026-11-19T08:05:00.000Z',
      sentence: 'fails more than usual',
      p95: null,
      callsPerMinute: null,
    },
    share: { before: 0.02, after: { value: 0.2, n: 500, low: 0.167, high: 0.237 } },
    ...over,
  } as ChangePointRow;
}

function sources(over: Partial<DigestSources> = {}): DigestSources {
  const freshness = {
    lastEventAt: null,
    serversReporting: 1,
    pendingCalls: 0,
    droppedByProducers: 0,
    rejectedSpans: 0,
  };
  return {
    summary: {
      ...{
        range,
        verdict: 'degraded',
        sentence: 'add of notes fails in 20 % of its calls.',
        totals,
        freshness,
      },
      ...{ previous: { ...totals, calls: 900, errors: 18 }, previousRange: { fromMs: 0, toMs: 1 } },
    },
    changePoints: { range, changePoints: [] },
    attention: { range, items: [], totals: {} as DigestSources['attention']['totals'] },
    neverCalled: { tools: [], unknownCatalogues: [], nextCursor: null },
    goneAdvice: { range, advice: [] } as unknown as DigestSources['goneAdvice'],
    ...over,
  } as DigestSources;
}

const tool = (name: string, definitionTokens: number) =>
  ({ server: 'notes', tool: name, definitionTokens }) as DigestSources['neverCalled']['tools'][number];

const FULL = sources({
  changePoints: {
    range,
    changePoints: [
      change({}),
      change({
        tool: 'find',
        isWorse: false,
        endedAt: '2026-11-20T08:00:00.000Z',
        sentence: 'is faster',
        share: null,
      }),
    ],
  },
  neverCalled: { tools: [tool('small', 50), tool('large', 400)], unknownCatalogues: [] } as never,
  goneAdvice: {
    advice: [
      {
        server: 'notes',
        tool: 'move',
        outcome: 'Gone since 1.4.3: 31 failures a day became 2.',
      } as AdviceRow,
    ],
  } as never,
});

describe('digest', () => {
  test('it says the verdict, what got worse and better with intervals, what is never called and what a fix achieved', () => {
    expect(formatDigestMarkdown(composeDigest(FULL))).toBe(
      [
        '# Toolscope: degraded, 2026-11-14 to 2026-11-21',
        '',
        'add of notes fails in 20 % of its calls.',
        '',
        '## Numbers',
        '',
        '- 1,000 calls in 80 sessions (before: 900 in 80)',
        '- error rate 10.0 % (8.3–12.0 %, n = 1,000) (before: 2.0 % (1.3–3.1 %, n = 900))',
        '- p95 1.3 s (before: 1.3 s)',
        '',
        '## Worse',
        '',
        '- notes/add: fails more than usual, 2.0 % → 20.0 % (16.7–23.7 %, n = 500), since 2026-11-19 08:00 UTC and still',
        '',
        '## Better',
        '',
        '- notes/find: is faster, since 2026-11-19 08:00 UTC until 2026-11-20 08:00 UTC',
        '',
        '## Never called',
        '',
        '- 2 tools; the definitions cost 450 tokens a listing: notes/large, notes/small',
        '',
        '## What fixes achieved',
        '',
        '- notes/move: Gone since 1.4.3: 31 failures a day became 2.',
        '',
      ].join('\n'),
    );
  });

  test('a quiet week says that nothing needs attention', () => {
    expect(formatDigestMarkdown(composeDigest(sources()))).toContain('## Needs attention\n\n- Nothing.');
  });

  test('a range without calls has no error rate, and no earlier period is left out', () => {
    const { summary } = sources();
    const empty = { ...totals, calls: 0, errors: 0, p95Ms: null };
    const digest = composeDigest(sources({ summary: { ...summary, totals: empty, previousRange: null } }));
    expect(digest.totals.errorRate).toEqual({ value: null, n: 0, low: null, high: null });
    expect(digest.previous).toBeNull();
    expect(formatDigestMarkdown(digest)).toContain('- error rate unknown\n');
  });

  test('texts of others cannot be markup, mentions or lines of their own', () => {
    const hostile = change({ sentence: '<script>@team [x](http://evil)\n# heading' });
    const digest = composeDigest(sources({ changePoints: { range, changePoints: [hostile] } }));
    const markdown = formatDigestMarkdown(digest);
    expect(markdown).not.toMatch(/^# heading/m);
    expect(markdown).not.toContain('@team');
    expect(markdown).toContain('\\[x\\]');
    expect(formatDigestHtml(digest)).not.toContain('<script>');
  });
});
