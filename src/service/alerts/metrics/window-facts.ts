// What rules over windows are evaluated from, and a way to find the rows of one rule: a thousand rules, each
// of one tool, must not each look at the calls of five hundred tools.

import type { PipelineMetric, RuleEvent } from '../../../contract/alert-rule-kinds.ts';
import type { ActiveSeries, MetricRow } from '../../../core/model/metric-row.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { getOrAdd } from './get-or-add.ts';
import type { MetricScope } from './measure.ts';

/** Something that happened once. */
export interface RuleEventRecord {
  readonly event: RuleEvent;
  readonly atMs: number;
  readonly server: string;
  readonly environment: string;
  readonly tool: string;
  readonly code: string;
  readonly client: string;
  readonly sentence: string;
}

/** What is known at the end of a window. */
export interface WindowFacts {
  /** End of the windows, in epoch milliseconds. */
  readonly endMs: number;
  /** Of the longest window at least; of the grain of the rules. */
  readonly rows: readonly MetricRow[];
  /** Series with calls within a day before the end. */
  readonly active: readonly ActiveSeries[];
  /** Rows of whole hours of the last four weeks, by the start of the hour. */
  readonly usual: ReadonlyMap<number, readonly MetricRow[]>;
  readonly events: readonly RuleEventRecord[];
  /** Undefined if the service did not run then. */
  readonly pipeline: Readonly<Partial<Record<PipelineMetric, number>>> | undefined;
  /** Whether calls of a server in this window may be missing: then having few of them proves nothing. */
  readonly isIncomplete: (server: string, windowMs: number) => boolean;
}

/** How long a series is remembered that has no calls any more. */
export const ACTIVE_MS = 24 * 3_600_000;

/** Finds the rows of one rule in one window. */
export type FindRows = (scope: MetricScope, windowMs: number) => readonly MetricRow[];

export function createRowFinder({ rows, endMs }: Pick<WindowFacts, 'rows' | 'endMs'>): FindRows {
  const windows = new Map<number, readonly MetricRow[]>();
  const indexes = new Map<string, RowIndex>();
  return ({ match }, windowMs) => {
    const own = getOrAdd(windows, windowMs, () =>
      rows.filter(isWithin({ startMs: endMs - windowMs, endMs })),
    );
    const labels = INDEXED_LABELS.filter((label) => (match[label] ?? []).length > 0);
    if (labels.length === 0) return own;
    const index = getOrAdd(indexes, `${windowMs} ${labels.join(' ')}`, () =>
      groupBy(own, (row) => toIndexKey(labels.map((label) => row[label]))),
    );
    return listCombinations(labels.map((label) => match[label] ?? [])).flatMap(
      (names) => index.get(toIndexKey(names)) ?? [],
    );
  };
}

/** Most rules are about one tool, whose name other servers may use as well. */
const INDEXED_LABELS = ['server', 'tool'] as const;

const toIndexKey = (names: readonly string[]): string => names.join('\u0000');

function listCombinations(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (all, names) => all.flatMap((one) => names.map((name) => [...one, name])),
    [[]],
  );
}

type RowIndex = ReadonlyMap<string, readonly MetricRow[]>;

const isWithin =
  ({ startMs, endMs }: { readonly startMs: number; readonly endMs: number }) =>
  (row: MetricRow): boolean =>
    row.startMs >= startMs && row.startMs < endMs;
