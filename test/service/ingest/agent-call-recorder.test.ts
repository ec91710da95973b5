// Calls of agents become rows once each, within the limit of a day.
import { describe, expect, test } from 'vitest';
import type { AgentCall } from '../../../src/core/model/agent-call.ts';
import { AgentCallRecorder } from '../../../src/service/ingest/agent-call-recorder.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const DAY_MS = 86_400_000;

const toCall = (n: number): AgentCall => ({
  ...{ traceId: String(n).padStart(32, '0'), spanId: String(n).padStart(16, '0'), parentSpanId: '' },
  ...{ startedAtUs: 1_000_000, durationUs: 1_500, emitter: 'gen_ai', agent: 'bot', sessionId: '' },
  ...{ tool: 'search', failed: true, errorType: 'TypeError', errorMessage: 'no "<text>"' },
});

function openRecorder(maxPerDay: number) {
  const clock = new FakeClock(10 * DAY_MS);
  const dropped: string[] = [];
  const onDropped = (reason: string) => dropped.push(reason);
  return { clock, dropped, recorder: new AgentCallRecorder({ clock, maxPerDay, onDropped }) };
}

describe('the recorder of calls of agents', () => {
  test('a call that comes again is dropped', () => {
    const { recorder, dropped } = openRecorder(10);
    const [row] = recorder.record([toCall(1), toCall(1)]);
    expect(JSON.parse(row?.row ?? '')).toMatchObject({
      ...{ started_at: '1970-01-01 00:00:01.000000', duration_us: 1_500, emitter: 'gen_ai', agent: 'bot' },
      ...{ tool_name: 'search', failed: 1, error_type: 'TypeError', error_message: 'no "<text>"' },
    });
    expect(recorder.record([toCall(1)])).toEqual([]);
    expect(dropped).toEqual(['duplicate', 'duplicate']);
  });

  test('a day keeps as many calls as the setting allows', async () => {
    const { clock, recorder, dropped } = openRecorder(2);
    expect(recorder.record([1, 2, 3].map(toCall))).toHaveLength(2);
    expect(dropped).toEqual(['per_day']);
    await clock.advance(DAY_MS);
    expect(recorder.record([toCall(3)])).toHaveLength(1);
  });

  test('a limit of 0 keeps none', () => {
    expect(openRecorder(0).recorder.record([toCall(1)])).toEqual([]);
  });
});
