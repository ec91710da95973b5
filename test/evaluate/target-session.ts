// A recorded session that a stretch is spliced into, and what of it the stretch can be made of.

import { createIdReplacer } from './replace-ids.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Arguments, LineCall, SyntheticCall, SyntheticResult } from './synthetic-call.ts';

export interface TargetSession {
  readonly sessionId: string;
  readonly calls: readonly LineCall[];
}

/** A call of the host that can be made about other things. */
export interface CallTemplate {
  readonly tool: string;
  /** The same request about another thing, and its answer; no two are about the same. */
  draw(count: number): { readonly args: Arguments; readonly answer: SyntheticResult }[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values of arguments that name a thing: without spaces, and with a digit or in capitals. */
function idsIn(args: unknown): string[] {
  if (typeof args === 'string')
    return /^[^\s"\\]{3,64}$/.test(args) && (/\d{2}/.test(args) || /^[A-Z]{5,}$/.test(args)) ? [args] : [];
  if (typeof args !== 'object' || args === null) return [];
  return Object.values(args).flatMap(idsIn);
}

/** A template of the host, or undefined if none of its calls names a thing. */
export function sampleTemplate({ calls }: TargetSession, dice: SeededRandom): CallTemplate | undefined {
  const usable = calls.filter(
    ({ outcome = 'ok', result, arguments: args }) =>
      outcome === 'ok' && result !== undefined && isRecord(args) && hasIds(args),
  );
  if (usable.length === 0) return undefined;
  const chosen = dice.pick(usable);
  return { tool: chosen.tool, draw: (count) => sampleVariants(chosen, { count, dice }) };
}

function hasIds(args: Arguments): boolean {
  return idsIn(args).some((id) => (id.match(/\d/g)?.length ?? 0) >= 3 || /^[A-Z]{5,}$/.test(id));
}

function sampleVariants(
  chosen: LineCall,
  { count, dice }: { readonly count: number; readonly dice: SeededRandom },
) {
  const seen = new Set<string>();
  const drawn: { args: Arguments; answer: SyntheticResult }[] = [];
  for (let tries = 0; drawn.length < count && tries < 50 * count; tries++) {
    const { renew } = createIdReplacer(dice, idsIn(chosen.arguments));
    const args = renew(chosen.arguments) as Arguments;
    const text = JSON.stringify(args);
    if (!seen.has(text)) drawn.push({ args, answer: { result: renew(chosen.result) } });
    seen.add(text);
  }
  return drawn;
}

/** A call of the host's own tool. */
export function callFromTemplate(
  { tool }: CallTemplate,
  args: Arguments,
  answer: SyntheticResult,
): SyntheticCall {
  return { tool, arguments: args, role: 'read', ...answer };
}
