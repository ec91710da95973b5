// A digest as the queries give it, and one whose texts are hostile and long.
import type { Digest } from '../../../../src/service/alerts/digest/compose-digest.ts';
import type { DigestSchedule } from '../../../../src/service/alerts/digest/digest-schedule.ts';
import { NOW } from '../sample.ts';

const DAY = 86_400_000;

export function sampleDigest(over: Partial<Digest> = {}): Digest {
  const totals = {
    ...{ calls: 1_000, sessions: 80, errors: 100, p95Ms: 1_250 },
    errorRate: { value: 0.1, n: 1_000, low: 0.083, high: 0.12 },
  };
  return {
    ...{ range: { fromMs: NOW - 7 * DAY, toMs: NOW }, verdict: 'degraded', previous: null, worse: [] },
    ...{ sentence: 'add of notes fails in 10 % of its calls.', totals, better: [], fixes: [] },
    findings: [{ kind: 'advice', server: 'notes', sentence: 'add needs a limit' }],
    neverCalled: { tools: 0, definitionTokens: 0, examples: [] },
    ...over,
  };
}

const HOSTILE = `<!channel> @everyone <@U1> [x](http://evil) *_~\`|"'&\\\u{1f600}\n# heading`.repeat(60);

export function hostileDigest(): Digest {
  const findings = Array.from({ length: 12 }, () => ({ kind: 'advice', server: HOSTILE, sentence: HOSTILE }));
  return sampleDigest({ sentence: HOSTILE, findings });
}

export function schedule(over: Partial<DigestSchedule> = {}): DigestSchedule {
  return {
    ...{ name: 'monday', every: 'week', weekday: 'mon', at: 8 * 60, timeZone: 'UTC', server: undefined },
    notify: ['hook', 'log'],
    ...over,
  };
}
