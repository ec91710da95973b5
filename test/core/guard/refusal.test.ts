// The text of a refusal: what happened, what to do, and when to retry; never a value.
import { describe, expect, test } from 'vitest';
import { describeAnswer } from '../../../src/core/guard/loop-tracker.ts';
import type { Refusal } from '../../../src/core/guard/refusal.ts';
import { toBlockedResult } from '../../../src/core/guard/refusal.ts';
import { playSession, repeatStep, step, toCall } from './play.ts';

function refusalOf(...played: Parameters<typeof playSession>): Refusal {
  const last = playSession(...played).at(-1);
  if (last?.status !== 'refuse') throw new Error('it was let through');
  return last.refusal;
}

describe('refusal text', () => {
  test('the refusal of a repeat names the request, its result and an alternative', () => {
    const refusal = refusalOf(
      repeatStep(7, step('search', { query: 'invoice of Ada' }, '!two notes by Ada match')),
    );
    expect(refusal).toMatchObject({ code: 'LOOP_DETECTED', retryable: false, retryAfterSeconds: 300 });
    expect(refusal.message).toMatch(/search was called 6 times/);
    expect(refusal.message).toMatch(/search: tool error, code AMBIGUOUS/);
    expect(refusal.recovery).toMatch(/change its arguments.*another tool.*tell the user/);
    expect(JSON.stringify(refusal)).not.toMatch(/Ada|invoice|two notes/);
  });

  test('the refusal of a cycle names the result of each call', () => {
    const { message } = refusalOf(
      repeatStep(
        5,
        step(
          'read',
          { id: 1 },
          'a short note, and what it says of others, which is not much but enough to go on for a line and a half',
        ),
        step(
          'stat',
          { id: 1 },
          'it has 12 bytes of text, in one line of it, and was written by somebody who is not known to this server',
        ),
      ),
    );
    expect(message).toMatch(/read: a result, \d+ bytes in 1 line/);
    expect(message).toMatch(/stat: a result, \d+ bytes in 1 line/);
    expect(message).not.toContain('short');
  });

  test('the refusal for a rate limit names the limit and the time to retry', () => {
    const refusal = refusalOf(repeatStep(3, step('list', {}, 'x')), {
      mode: 'enforce',
      budget: { callsPerToolPerHour: 2 },
    });
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(refusal.message).toContain('list has run 2 times in this session within the last hour');
    expect(refusal.recovery).toContain(`in ${refusal.retryAfterSeconds} s`);
  });

  test('the refusal of a tool with a budget of zero does not suggest waiting', () => {
    const refusal = refusalOf([step('list', {}, 'x')], {
      mode: 'enforce',
      budget: { callsPerToolPerHour: 0 },
    });
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryable: false });
    expect(refusal.recovery).not.toContain(' s.');
  });
});

describe('result of a blocked call', () => {
  const refusal: Refusal = {
    code: 'RATE_LIMITED',
    message: 'Too often.',
    recovery: 'Wait.',
    retryable: true,
    retryAfterSeconds: 9,
  };
  const { retryAfterSeconds, ...told } = refusal;
  const error = { ...told, retry_after: retryAfterSeconds };
  const text = { type: 'text', text: 'RATE_LIMITED: Too often. Wait.' };

  test.each([
    [
      { era: 'legacy', declaresOutput: false } as const,
      { content: [text], structuredContent: { error }, isError: true },
      'the usual form',
    ],
    [
      { era: 'modern', declaresOutput: false } as const,
      { content: [text], structuredContent: { error }, isError: true, resultType: 'complete' },
      'results of 2026-07-28 say what they are',
    ],
    [
      { era: 'legacy', declaresOutput: true } as const,
      { content: [text, { type: 'text', text: JSON.stringify({ error }) }], isError: true },
      'a declared structure must not be broken',
    ],
    [
      { era: 'legacy', declaresOutput: false, quotaRemaining: 0, quotaMeta: true } as const,
      {
        content: [text],
        structuredContent: { error: { ...error, quota_remaining: 0 } },
        isError: true,
        _meta: { quotaRemaining: 0 },
      },
      'the quota was asked for',
    ],
    [
      { era: 'legacy', declaresOutput: false, quotaRemaining: 1, quotaText: true } as const,
      {
        content: [
          {
            type: 'text',
            text: `${text.text}\n[toolscope guard] retry_after: 9 s, quota_remaining: 1 call within the hour`,
          },
        ],
        structuredContent: { error: { ...error, quota_remaining: 1 } },
        isError: true,
      },
      'the quota was asked for as text',
    ],
  ])('the blocked result for %j is %j: %s', (options, expected, _because) => {
    expect(toBlockedResult(refusal, options)).toEqual(expected);
  });
});

describe('description of a repeated result', () => {
  const base = toCall(step('find', {}, 'x'), 0);
  test.each([
    [{ outcome: 'tool_error', errorCode: 'AMBIGUOUS' }, 'tool error, code AMBIGUOUS', 'a code says most'],
    [{ outcome: 'tool_error', errorCode: 'tool_error' }, 'tool error, no code', 'its own name is no code'],
    [{ outcome: 'cancelled', errorCode: '' }, 'cancelled, no code', 'nothing came'],
    [{ resultShape: '', resultBytes: 9, resultLines: 1 }, 'a result, 9 bytes in 1 line', 'sizes are known'],
    [
      { resultShape: '', resultBytes: 9, resultLines: 2, errorInResult: true },
      'a result that says it failed, 9 bytes in 2 lines',
      'a success may say that it is none',
    ],
    [
      { resultShape: 'x'.repeat(200), resultBytes: 1, resultLines: 1 },
      `a result, 1 bytes in 1 line, shape ${'x'.repeat(160)}…`,
      'a shape may be long',
    ],
  ] as const)('the result %j is described as "%s", because %s', (more, expected, _because) => {
    expect(describeAnswer({ ...base, ...more })).toBe(expected);
  });
});
