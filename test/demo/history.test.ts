// The simulated fortnight of the demo: its story, its sessions and its spans.
import { describe, expect, test } from 'vitest';
import { LOOPING_TASKS } from '../../src/demo/history/agent-tasks.ts';
import { HistoryFeed } from '../../src/demo/history/history-feed.ts';
import { planSessions } from '../../src/demo/history/plan-sessions.ts';
import { createStory, expectedSessions, listAnnotations, type Story } from '../../src/demo/history/story.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Wednesday. */
const END_MS = Date.UTC(2026, 2, 11, 15);
const STORY = createStory(END_MS);

interface SpanText {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

/** The spans of some hours of the story, decoded. */
function readSpans(story: Story, { fromMs, hours }: { fromMs: number; hours: number }): SpanText[] {
  const feed = new HistoryFeed({ ...story, startMs: fromMs }, 'test');
  return feed
    .take(fromMs + hours * HOUR_MS)
    .spans.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
}

const attributeOf = (span: SpanText, name: string): string | undefined =>
  span.attributes.find(({ key }) => key === name)?.value.stringValue;

describe('story of the fortnight', () => {
  test.each(Array.from({ length: 7 }, (_, at) => [new Date(END_MS + at * DAY_MS).toISOString()] as const))(
    'all events of a story that ends at %s are on working days of the fortnight, in their order',
    (end) => {
      const story = createStory(Date.parse(end));
      const events = [
        story.hurtingDeployMs,
        story.newClientMs,
        story.helpingDeployMs,
        story.newToolsMs,
        story.incident.fromMs,
      ];
      expect(events.toSorted((a, b) => a - b)).toEqual(events);
      expect(events.every((ms) => ms > story.startMs && ms < story.endMs)).toBe(true);
      expect(events.map((ms) => new Date(ms).getUTCDay()).filter((day) => day === 0 || day === 6)).toEqual(
        [],
      );
    },
  );

  test('nights and weekends are quieter than the middle of a working day', () => {
    const noon = expectedSessions(Date.UTC(2026, 2, 11, 10));
    expect(expectedSessions(Date.UTC(2026, 2, 11, 3))).toBeLessThan(noon / 5);
    expect(expectedSessions(Date.UTC(2026, 2, 14, 10))).toBeLessThan(noon / 2);
  });

  test('every annotation says that the calls are simulated', () => {
    for (const { text } of listAnnotations(STORY)) expect(text).toMatch(/^Simulated: /);
  });
});

describe('simulated sessions', () => {
  const looping = new Set<unknown>(Object.values(LOOPING_TASKS).flat());
  const plan = (fromMs: number, hours: number) =>
    Array.from({ length: hours }, (_, at) => planSessions(STORY, fromMs + at * HOUR_MS, 'test')).flat();

  test('some sessions of the past loop, and none of the present', () => {
    expect(plan(STORY.startMs, 14 * 24 - 2).filter(({ task }) => looping.has(task)).length).toBeGreaterThan(
      3,
    );
    expect(plan(END_MS, 14 * 24).filter(({ task }) => looping.has(task))).toEqual([]);
  });

  test('they come from several clients, versions of a client and users, on servers marked as simulated', () => {
    const sessions = plan(STORY.startMs, 14 * 24);
    expect(new Set(sessions.map(({ client }) => client.name)).size).toBe(5);
    expect(new Set(sessions.map(({ client }) => `${client.name} ${client.version}`)).size).toBe(6);
    expect(new Set(sessions.map(({ user }) => user)).size).toBeGreaterThan(15);
    for (const { server } of sessions) expect(server.name).toMatch(/-simulated$/);
  });
});

describe('simulated spans', () => {
  const morning = { fromMs: END_MS - DAY_MS - 6 * HOUR_MS, hours: 2 };

  test('the same story and seed give the same spans', () => {
    expect(readSpans(STORY, morning)).toEqual(readSpans(STORY, morning));
  });

  test('calls are given once they ended, in that order, each once, whenever they are taken', () => {
    const feed = new HistoryFeed({ ...STORY, startMs: morning.fromMs }, 'test');
    const taken = [0.3, 0.31, 1, 2].map((hours) => feed.take(morning.fromMs + hours * HOUR_MS).spans);
    const spans: SpanText[] = taken.flat().map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
    expect(spans).toEqual(readSpans(STORY, morning));
    const ends = spans
      .filter((span) => span.name.startsWith('tools/call'))
      .map((span) => Number(span.endTimeUnixNano));
    expect(ends.toSorted((a, b) => a - b)).toEqual(ends);
  });

  test('each query or request is a child of a call of the same trace', () => {
    const spans = readSpans(STORY, morning);
    const calls = new Map(spans.map((span) => [span.spanId, span]));
    const children = spans.filter((span) => (span.parentSpanId ?? '') !== '');
    expect(children.length).toBeGreaterThan(50);
    for (const child of children) expect(calls.get(child.parentSpanId ?? '')?.traceId).toBe(child.traceId);
  });

  const share = (spans: readonly SpanText[], { tool, code }: { tool: string; code: string }): number => {
    const calls = spans.filter(({ name }) => name === `tools/call ${tool}`);
    return calls.filter((span) => attributeOf(span, 'toolscope.error.code') === code).length / calls.length;
  };

  test.each([
    ['search_tickets', 'HTTP_503', STORY.incident.fromMs - 2 * HOUR_MS, 0, 0, 'the incident has not begun'],
    ['search_tickets', 'HTTP_503', STORY.incident.fromMs + HOUR_MS / 4, 0.5, 0.9, 'the API behind it fails'],
    ['search_tickets', 'HTTP_503', STORY.incident.toMs + HOUR_MS, 0, 0, 'the incident is over'],
    ['create_order', '-32602', STORY.hurtingDeployMs - DAY_MS, 0, 0, 'the currency is optional'],
    ['create_order', '-32602', STORY.hurtingDeployMs + HOUR_MS, 0.2, 0.6, 'the currency is required'],
    ['create_order', '-32602', STORY.helpingDeployMs + HOUR_MS, 0, 0, 'the currency is optional again'],
  ])('%s fails with %s from %i in a share of %f to %f because %s', (tool, code, fromMs, low, high) => {
    const spans = readSpans(STORY, { fromMs, hours: 2 });
    expect(share(spans, { tool, code })).toBeGreaterThanOrEqual(low);
    expect(share(spans, { tool, code })).toBeLessThanOrEqual(high);
  });

  test('two tools of the shop are listed and never called', () => {
    const named = readSpans(STORY, { fromMs: END_MS - DAY_MS, hours: 24 }).map(({ name }) => name);
    expect(named).toContain('tools/call search_products');
    expect(named).not.toContain('tools/call compare_prices');
    expect(named).not.toContain('tools/call export_catalogue');
  });
});
