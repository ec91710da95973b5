// Recorded sessions of a directory: files `*.jsonl.gz`, one session a line, of which results are known by their
// fingerprints, similarity and size. Drawn by a seed, so that the same command plays the same sessions.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { normaliseCode } from '../../src/core/classification/error-code.ts';
import { createMulberry32 } from '../support/random.ts';
import type { RecordedResult, ReplayCall, ReplaySession } from './replay-session.ts';
import type { ResultProfile, SynthesizeTexts } from './synthetic-text.ts';

const RecordedCall = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  ok: z.boolean(),
  error_code: z.string().nullish(),
  result_hash: z.string(),
  result_norm: z.string(),
  result_sim: z.string(),
  result_size: z.number(),
  turn: z.number().nullish(),
  t: z.number().nullish(),
  soft_error: z.unknown().optional(),
});
type RecordedCall = z.infer<typeof RecordedCall>;

const RecordedSession = z.object({
  source: z.string(),
  id: z.string(),
  label: z.string().optional(),
  kind: z.string().optional(),
  calls: z.array(RecordedCall),
});
export type RecordedSession = z.infer<typeof RecordedSession>;

const Label = z.object({ source: z.string(), id: z.string(), label: z.string() });

/** Every labelled session of a directory. */
export function readRecordedSessions(directory: string): RecordedSession[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.jsonl.gz'));
  const linesOf = (file: string): unknown[] =>
    gunzipSync(readFileSync(join(directory, file)))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const labels = new Map<string, string>();
  for (const file of files.filter((name) => name.startsWith('labels.')))
    for (const { source, id, label } of linesOf(file).map((line) => Label.parse(line)))
      labels.set(`${source} ${id}`, label);
  return files
    .filter((file) => !/^(?:labels|ambiguous)\./.test(file))
    .flatMap((file) => linesOf(file).map((line) => RecordedSession.parse(line)))
    .flatMap((session) => {
      const label = session.label ?? labels.get(`${session.source} ${session.id}`);
      return label === undefined ? [] : [{ ...session, label }];
    });
}

/** One of each source, label and kind in turn, in an order that the seed decides, until there are enough. */
export function sampleSessions(
  sessions: readonly RecordedSession[],
  count: number,
  seed: number,
): RecordedSession[] {
  const random = createMulberry32(seed);
  const groups = new Map<string, { readonly session: RecordedSession; readonly key: number }[]>();
  for (const session of sessions) {
    const name = `${session.source} ${session.label} ${session.kind ?? ''}`;
    groups.set(name, [...(groups.get(name) ?? []), { session, key: random() }]);
  }
  const decks = [...groups.values()].map((deck) => deck.sort((a, b) => a.key - b.key));
  const drawn: RecordedSession[] = [];
  for (let round = 0; drawn.length < Math.min(count, sessions.length); round++)
    for (const deck of decks) {
      const card = deck[round];
      if (card && drawn.length < count) drawn.push(card.session);
    }
  return drawn;
}

/** Where no time was recorded, an agent thinks for so long between two answers: unevenly, and too short to be a poller. */
const THINKING_MS = { least: 1_200, most: 2_900 };
/** Calls of one message come so far apart if their times were not recorded. */
const CONCURRENT_GAP_MS = 2;

/** Gives a recorded session texts, times and a server to play it. */
export function toReplaySession(
  recorded: RecordedSession,
  makeTexts: SynthesizeTexts,
  at: number,
): ReplaySession {
  return {
    id: `replayed-${at}`,
    about: [recorded.source, recorded.id, recorded.label, recorded.kind].filter(Boolean).join(' '),
    lists: at % 2 === 0,
    calls: toCalls(recorded, makeTexts, at),
    line: { calls: recorded.calls.map(toLineCall) },
  };
}

function toCalls({ calls }: RecordedSession, makeTexts: SynthesizeTexts, seed: number): ReplayCall[] {
  const texts = makeTexts(calls.map(toResultProfile));
  const random = createMulberry32(seed);
  let clockMs = 0;
  return calls.map((call, at) => {
    const beside = typeof call.turn === 'number' && call.turn === calls[at - 1]?.turn;
    clockMs += beside
      ? CONCURRENT_GAP_MS
      : THINKING_MS.least + random() * (THINKING_MS.most - THINKING_MS.least);
    return {
      tool: call.tool,
      arguments: call.args,
      answer: toRecordedResult(call, texts.get(call.result_hash) ?? ''),
      startsAtMs: Math.round(typeof call.t === 'number' ? call.t * 1000 : clockMs),
      lastsMs: 0,
      beside,
    };
  });
}

function toResultProfile(call: RecordedCall): ResultProfile {
  return {
    exact: call.result_hash,
    masked: call.result_norm,
    similarity: call.result_sim,
    bytes: call.result_size,
    softError: Boolean(call.soft_error),
    speaks: !call.ok && toServedCode(call.error_code ?? '') === '',
  };
}

function toRecordedResult(call: RecordedCall, text: string): RecordedResult {
  const content = [{ type: 'text', text }] as const;
  if (call.ok) return { content };
  return { content, isError: true, _meta: { error: { code: toServedCode(call.error_code ?? '') } } };
}

/** Codes were recorded in whatever words they came; a server says those as constants, or they would count as prose. */
function toServedCode(code: string): string {
  return normaliseCode(code) === code ? code : normaliseCode(code.toUpperCase());
}

/** All that was recorded but what no server sees: when a person wrote. */
function toLineCall(call: RecordedCall): object {
  return {
    tool: call.tool,
    arguments: call.args,
    outcome: call.ok ? 'ok' : 'tool_error',
    errorCode: call.ok ? undefined : (call.error_code ?? undefined),
    errorInResult: call.soft_error ? true : undefined,
    resultFingerprint: call.result_hash,
    resultMaskedFingerprint: call.result_norm,
    resultSimilarity: call.result_sim,
    resultBytes: call.result_size,
    startedAtMs: typeof call.t === 'number' ? Math.round(EPOCH_MS + call.t * 1000) : undefined,
    turn: call.turn ?? undefined,
  };
}

const EPOCH_MS = Date.UTC(2026, 0, 1);
