// A change of level as a sentence: what, where, from which level to which, and how long.

import type { StoredChange } from './change-point-repository.ts';

/** Example: "search: errors with TIMEOUT rose from 2 % to 28 % for 2 h 5 min". */
export function describeChangePoint(change: StoredChange): string {
  const subject = change.tool === '' ? change.server : change.tool;
  const duration = describeDuration(change);
  return `${subject}: ${describeLevels(change)}${duration === '' ? '' : ` ${duration}`}`;
}

function describeLevels(change: StoredChange): string {
  const { kind, direction, code, calls, hits, usual, minutes } = change;
  switch (kind) {
    case 'errors': {
      const [before, after] = [usual, hits].map((count) => formatPercent(count / Math.max(1, calls)));
      return `${code === '' ? 'errors' : `errors with ${code}`} ${direction} from ${before} to ${after}`;
    }
    case 'latency':
      return `p95 ${direction} from ${formatMs(change.p95BeforeUs / 1_000)} to ${formatMs(change.p95AfterUs / 1_000)}`;
    case 'calls': {
      const [before, after] = [usual, hits].map((count) => formatRate(count / Math.max(1, minutes)));
      return `calls ${direction} from ${before} to ${after} a minute`;
    }
    default:
      return kind satisfies never;
  }
}

/** Example: "for 2 h 5 min"; empty while it is open. */
function describeDuration({ state, onsetMs, endedMs }: StoredChange): string {
  if (state !== 'ended') return '';
  const minutes = Math.max(1, Math.round((endedMs - onsetMs) / 60_000));
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return `for ${[hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(Boolean).join(' ')}`;
}

/** Examples: `320 ms`, `1.6 s`. */
const formatMs = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;

const formatPercent = (value: number): string => `${Number((value * 100).toFixed(value < 0.1 ? 1 : 0))} %`;

const formatRate = (value: number): string => String(Number(value.toPrecision(2)));
