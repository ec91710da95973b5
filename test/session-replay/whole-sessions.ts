// Sessions with whole results, one a line as `detect` reads them: the written corpus, and recordings of that form. Those with a call
// that was never answered are left out, because a played server answers every call.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { ReplayCall, ReplaySession } from './replay-session.ts';

const WholeCall = z.object({
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  outcome: z.string().optional(),
  result: z.looseObject({ content: z.array(z.object({ type: z.literal('text'), text: z.string() })) }),
  startedAtMs: z.number().optional(),
  durationMs: z.number().optional(),
  turn: z.number().optional(),
});
type WholeCall = z.infer<typeof WholeCall>;

const WholeSession = z.object({
  sessionId: z.string(),
  label: z.string().optional(),
  calls: z.array(WholeCall),
});

/** Every such session of a directory; none where its files are of another form. */
export function readWholeSessions(directory: string): ReplaySession[] {
  return readdirSync(directory)
    .filter((file) => /\.jsonl(?:\.gz)?$/.test(file))
    .flatMap((file) => linesOf(join(directory, file)))
    .map((line) => WholeSession.safeParse(line))
    .flatMap(({ data }) => (data === undefined ? [] : [data]))
    .map(({ sessionId, label, calls }, at) => ({
      id: `replayed-${at}`,
      about: [sessionId, label].filter(Boolean).join(' '),
      lists: true,
      calls: toCalls(calls),
      line: { calls: toCalls(calls).map((call) => toLineCall(call, calls[0]?.startedAtMs)) },
    }));
}

function linesOf(path: string): unknown[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Where no time was recorded: an agent thinks for so long, unevenly. */
const THINKING_MS = [3_100, 5_700, 2_300, 7_900, 4_100] as const;

function toCalls(calls: readonly WholeCall[]): ReplayCall[] {
  const startMs = calls[0]?.startedAtMs ?? 0;
  let clockMs = 0;
  return calls.map((call, at) => {
    const beside = call.turn !== undefined && at > 0 && call.turn === calls[at - 1]?.turn;
    clockMs += beside ? 1 : (THINKING_MS[at % THINKING_MS.length] ?? 0);
    const failed = call.outcome !== undefined && call.outcome !== 'ok';
    return {
      tool: call.tool,
      arguments: call.arguments ?? {},
      answer: { ...call.result, ...(failed && { isError: true }) },
      startsAtMs: call.startedAtMs === undefined ? clockMs : call.startedAtMs - startMs,
      lastsMs: call.durationMs ?? 0,
      beside,
    };
  });
}

const EPOCH_MS = Date.UTC(2026, 0, 1);

function toLineCall(
  { tool, arguments: args, answer, startsAtMs, lastsMs }: ReplayCall,
  startMs = EPOCH_MS,
): object {
  return { tool, arguments: args, result: answer, startedAtMs: startMs + startsAtMs, durationMs: lastsMs };
}
