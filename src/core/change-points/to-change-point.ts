// What a series that changed is told as.

import type { ChangePointKind } from '../model/change-point-kinds.ts';
import type { ChangePoint } from './change-point.ts';
import type { OpenSeries, SeriesEnd } from './series-monitor.ts';

interface ChangeNames {
  readonly kind?: ChangePointKind;
  readonly code?: string;
  readonly slowFromUs?: number;
}

/** A fall needs no end: it is the usual level at once. */
export function toOpened(
  kind: ChangePointKind,
  open: OpenSeries,
  { code = '', slowFromUs }: ChangeNames,
): ChangePoint {
  const isFall = kind !== 'calls' && open.direction === 'fell';
  return {
    ...open,
    ...{ kind, tool: '', code, slowFromUs, ended: undefined, state: isFall ? 'usual' : 'open' },
  };
}

export function endOf(
  end: SeriesEnd | undefined,
  { kind = 'errors', code = '', slowFromUs }: ChangeNames,
): ChangePoint[] {
  if (!end) return [];
  const { open, ended, state } = end;
  return [{ ...open, ...{ kind, tool: '', code, slowFromUs, ended, state } }];
}
