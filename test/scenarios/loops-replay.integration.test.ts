// The live path gives the same verdicts as the offline one: sessions of every kind of loop, and of what looks like one, are
// played by a real client through `observe()`, OTLP, journal, store and detection worker, and the same sessions are read by
// `toolscope detect`. The clocks of this process are set by hand, so nothing waits for pauses and overlaps.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededLine, seededLines } from '../core/loops/calls.ts';
import { compareVerdicts, type Difference, detectByCommand } from '../session-replay/compare-verdicts.ts';
import { replayLive } from '../session-replay/replay-live.ts';
import type { ReplayCall, ReplaySession } from '../session-replay/replay-session.ts';
import { type RunningService, startService } from '../support/service.ts';

interface ScriptedCall {
  readonly tool?: string;
  readonly args?: Record<string, unknown>;
  readonly text?: string;
  /** Makes it a failure; '' is one without a code. */
  readonly code?: string;
  /** Claims success and is none. */
  readonly soft?: boolean;
  /** Seconds after the start of the call before. */
  readonly after?: number;
  /** Seconds until its answer. */
  readonly took?: number;
  /** Made before the call before was answered. */
  readonly beside?: boolean;
}

const repeatCall = (count: number, said: (at: number) => ScriptedCall): ScriptedCall[] =>
  Array.from({ length: count }, (_, at) => said(at));
const workCalls = (count: number, from: number): ScriptedCall[] =>
  repeatCall(count, (at) => ({
    tool: 'read',
    args: { path: `src/${from + at}.ts` },
    text: seededLine(900 + from + at, 30),
  }));
/** Thinks for as long as agents do: never twice the same. */
const thinkingPause = (at: number): number => [2.1, 4.9, 3.2, 8.7, 2.6, 6.3][at % 6] ?? 3;

/** Kind of the loop, or none; what the agent does; why that is so. */
const SESSIONS: readonly (readonly [kind: string, what: string, because: string, said: ScriptedCall[]])[] = [
  [
    'repeat',
    'a vague error, eight times',
    'nothing else is tried',
    repeatCall(8, () => ({ tool: 'publish', args: { id: 'n1' }, text: 'Something went wrong.', code: '' })),
  ],
  [
    'repeat',
    'one search with one answer',
    'nothing new can come',
    repeatCall(6, () => ({ args: { query: 'ticket' }, text: seededLine(1, 40) })),
  ],
  [
    'repeat',
    'a new idempotency key each time',
    'a key means nothing',
    repeatCall(6, (at) => ({
      tool: 'book',
      args: { room: 4, idempotency_key: `k${at}`, nonce: at },
      text: seededLine(2, 30),
    })),
  ],
  [
    'repeat',
    'a page that moves and rows that do not',
    'a cursor without new rows is no paging',
    repeatCall(8, (at) => ({ args: { query: 'x', page: at }, text: seededLine(3, 30) })),
  ],
  [
    'repeat',
    'the time in the answer',
    'the time is no news',
    repeatCall(6, (at) => ({
      args: { query: 'y' },
      text: `as of 2026-09-01T10:00:0${at}Z: ${seededLine(4, 30)}`,
    })),
  ],
  [
    'repeat',
    'one word of a long line',
    'so little is noise',
    repeatCall(9, (at) => ({
      args: { query: 'z' },
      text: `${seededLine(5, 60)} ${seededLine(600 + at, 1)} ${seededLine(6, 60)}`,
    })),
  ],
  [
    'cycle',
    'two tools in turn',
    'each with the answer it had before',
    repeatCall(10, (at) => ({
      tool: at % 2 ? 'open' : 'close',
      args: { id: 1 },
      text: seededLine(10 + (at % 2), 30),
    })),
  ],
  [
    'cycle',
    'four tools in turn',
    'a circle may be long',
    repeatCall(20, (at) => ({
      tool: `step_${at % 4}`,
      args: { id: 2 },
      text: seededLine(20 + (at % 4), 30),
    })),
  ],
  [
    'error_streak',
    'other arguments, the same refusal',
    'no argument is the reason',
    repeatCall(9, (at) => ({
      tool: 'open',
      args: { id: `n${at}` },
      text: `note "n${at}" is locked`,
      code: 'NOTE_LOCKED',
    })),
  ],
  [
    'error_streak',
    'the same refusal as a success',
    'it says itself that it failed',
    repeatCall(9, (at) => ({
      tool: 'slide',
      args: { n: at },
      text: 'Error: no presentation is open.',
      soft: true,
    })),
  ],
  [
    'no_effect',
    'edit and test, and the test stays',
    'the edits do not reach it',
    repeatCall(20, (at) =>
      at % 2
        ? { tool: 'run_tests', args: {}, text: `3 of 9 fail: ${seededLine(30, 30)}` }
        : { tool: 'edit', args: { patch: `p${at}` }, text: `applied ${seededLine(31 + at, 4)}` },
    ),
  ],
  [
    'same_answer',
    'any question, one long answer',
    'the questions do not arrive',
    repeatCall(9, (at) => ({
      tool: 'ask',
      args: { question: seededLine(200 + at, 5) },
      text: seededLine(40, 80),
    })),
  ],
  [
    'nothing_new',
    'four places in any order',
    'each was seen with this answer',
    [0, 1, 2, 3, 1, 0, 3, 2, 0, 2, 1, 3, 3, 0, 1, 2, 0, 3, 2, 1, 1, 3, 0, 2].map((place) => ({
      tool: 'visit',
      args: { place },
      text: seededLine(50 + place, 40),
    })),
  ],
  [
    'stuck_poll',
    'a job that never moves',
    'it was waited for long enough',
    repeatCall(20, () => ({
      tool: 'job',
      args: { id: 7 },
      text: `running: ${seededLine(60, 12)}`,
      after: 10,
    })),
  ],
  [
    'none',
    'a second look',
    'two are a double check',
    [
      ...workCalls(3, 0),
      ...repeatCall(2, () => ({ args: { query: 'q' }, text: seededLine(70, 30) })),
      ...workCalls(3, 10),
    ],
  ],
  [
    'none',
    'a job that moves',
    'each answer is new',
    repeatCall(20, (at) => ({ tool: 'job', args: { id: 8 }, text: `running, ${at * 5} of 100`, after: 10 })),
  ],
  [
    'none',
    'a job that is slow',
    'an even pause is a poller, and it waits longer',
    repeatCall(9, () => ({ tool: 'job', args: { id: 9 }, text: `queued: ${seededLine(61, 12)}`, after: 10 })),
  ],
  [
    'none',
    'pages with rows',
    'a cursor with new rows is paging',
    repeatCall(20, (at) => ({ args: { query: 'r', page: at }, text: seededLine(300 + at, 40) })),
  ],
  [
    'none',
    'six equal calls side by side',
    'nobody had read an answer',
    [
      ...workCalls(2, 20),
      ...repeatCall(6, (at) => ({
        tool: 'probe',
        args: { id: 3 },
        text: seededLine(80, 30),
        took: 0.5,
        ...(at > 0 && { beside: true, after: 0.01 }),
      })),
      ...workCalls(2, 30),
    ],
  ],
  [
    'none',
    'edit and test, and the test moves',
    'that is work',
    repeatCall(20, (at) =>
      at % 2
        ? { tool: 'run_tests', args: {}, text: `${at} of 30 pass: ${seededLine(400 + at, 30)}` }
        : { tool: 'edit', args: { patch: `p${at}` }, text: 'applied' },
    ),
  ],
  [
    'none',
    'three tries while a service is away',
    'that is what retries are for',
    [
      ...repeatCall(3, () => ({
        tool: 'fetch',
        args: { url: 'a' },
        text: 'Service unavailable',
        code: 'HTTP_503',
      })),
      { tool: 'fetch', args: { url: 'a' }, text: seededLine(90, 40) },
      ...workCalls(4, 40),
    ],
  ],
  [
    'none',
    'twenty things done',
    'each is another thing',
    repeatCall(20, (at) => ({ tool: 'delete', args: { id: `n${at}` }, text: 'Done.' })),
  ],
  [
    'none',
    'a log that grows',
    'the new lines are news',
    repeatCall(12, (at) => ({
      tool: 'tail',
      args: { file: 'log' },
      text: seededLines(7, 10 + at).join('\n'),
    })),
  ],
];

/** Until an answer where nothing else is said, in seconds. */
const DEFAULT_DURATION_S = 0.2;
const EPOCH_MS = Date.UTC(2026, 0, 1);

function toSession([, what, , said]: (typeof SESSIONS)[number], place: number): ReplaySession {
  let startsAtMs = 0;
  const calls = said.map((each, at): ReplayCall => {
    startsAtMs += Math.round(1000 * (each.after ?? thinkingPause(at)));
    return {
      tool: each.tool ?? 'search',
      arguments: each.args ?? {},
      answer: {
        content: [{ type: 'text', text: each.text ?? '' }],
        ...(each.code !== undefined && { isError: true }),
        ...(each.code && { _meta: { error: { code: each.code } } }),
      },
      startsAtMs,
      lastsMs: Math.round(1000 * (each.took ?? DEFAULT_DURATION_S)),
      beside: each.beside ?? false,
    };
  });
  const lines = calls.map((call, at) => toLine(call, said[at]));
  return { id: `session-${place}`, about: what, lists: place % 2 === 0, calls, line: { calls: lines } };
}

function toLine(call: ReplayCall, { text = '', code, soft }: ScriptedCall = {}): object {
  return {
    tool: call.tool,
    arguments: call.arguments,
    result: call.answer,
    startedAtMs: EPOCH_MS + call.startsAtMs,
    durationMs: call.lastsMs,
    ...(code !== undefined && { outcome: 'tool_error', errorCode: code, errorMessage: text }),
    ...(soft && { errorInResult: true }),
  };
}

describe('twenty-three sessions, live and offline', () => {
  const sessions = SESSIONS.map(toSession);
  let service: RunningService;
  let differences: readonly Difference[];
  let kinds: readonly string[][];

  beforeAll(async () => {
    service = await startService();
    await replayLive(sessions, service.base);
    differences = await compareVerdicts(sessions, service);
    const verdicts = await detectByCommand(sessions);
    kinds = verdicts.map(({ findings }) =>
      findings.filter(({ severity }) => severity !== 'note').map(({ kind }) => kind),
    );
  }, 400_000);

  afterAll(() => service?.stop());

  // Requirement: loops.live-equals-offline
  test('the live service and the offline detector give each session the same verdict', () => {
    expect(differences).toEqual([]);
  });

  const cases = SESSIONS.map(([kind, what, because], at) => [what, kind, because, at] as const);
  test.each(cases)('the session with %s has the verdict %s, because %s', (_what, kind, _because, at) => {
    expect(kinds[at]).toEqual(kind === 'none' ? [] : [kind]);
  });
});
