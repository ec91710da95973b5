// Thresholds that would have agreed with what people said about loops. A proposal changes the thresholds of one tool (of
// a server for a loop of several tools) as little as possible, and agrees with all feedback on it.

import { FINDING_KIND_TEXTS, type FindingKind, LOOP_KINDS } from '../model/loop-kinds.ts';
import { detectLoops } from './detector.ts';
import type { LoopCall } from './loop-call.ts';
import {
  createThresholdLookup,
  DEFAULT_THRESHOLDS,
  type LoopThresholds,
  type ThresholdTable,
} from './thresholds.ts';

/** A loop, or a note, that a person called a loop or not. */
export interface LoopFeedbackCase {
  readonly id: string;
  readonly isLoop: boolean;
  readonly kind: FindingKind;
  readonly server: string;
  readonly tools: readonly string[];
  readonly onsetUs: number;
  readonly lastUs: number;
  /** The calls of its session up to its end, oldest first. */
  readonly calls: readonly LoopCall[];
}

export interface ThresholdChange {
  readonly section: 'servers' | 'tools';
  /** The name of the entry in that section. */
  readonly entry: string;
  readonly name: keyof LoopThresholds;
  readonly from: number;
  readonly to: number;
}

export interface ThresholdProposal {
  /** Empty if all feedback agrees with the table, or none of it can be satisfied. */
  readonly changes: readonly ThresholdChange[];
  /** The table with the changes. */
  readonly table: ThresholdTable;
  /** Ids of the cases that agree with the table as it was. */
  readonly agreed: readonly string[];
  /** Ids of the cases that no thresholds of their tool satisfy together with the rest of the feedback. */
  readonly unsatisfied: readonly string[];
}

/** As `parseThresholds` allows for counts. */
const MIN_COUNT = 2;
const MAX_COUNT = 32;

/** Whether the detector finds a loop, of any kind, in the time of a case exactly if the person did. */
export function agreesWithFeedback(feedback: LoopFeedbackCase, table: ThresholdTable): boolean {
  const { calls, onsetUs, lastUs, isLoop } = feedback;
  const startOf = (index: number): number => calls[index]?.startedAtUs ?? 0;
  const found = detectLoops(calls, table).findings.some(
    ({ severity, onsetIndex, lastIndex }) =>
      severity !== 'note' && startOf(onsetIndex) <= lastUs && startOf(lastIndex) >= onsetUs,
  );
  return found === isLoop;
}

export function proposeThresholds(
  cases: readonly LoopFeedbackCase[],
  table: ThresholdTable = {},
): ThresholdProposal {
  const agreed = cases.filter((one) => agreesWithFeedback(one, table)).map(({ id }) => id);
  const scopes = new Map<string, LoopFeedbackCase[]>();
  for (const one of cases) {
    const key = JSON.stringify(toScope(one));
    scopes.set(key, [...(scopes.get(key) ?? []), one]);
  }
  const changes: ThresholdChange[] = [];
  let changed = table;
  for (const own of scopes.values()) {
    const found = proposeChanges(own, { table: changed, agreed });
    changes.push(...found);
    changed = found.reduce(withChange, changed);
  }
  const unsatisfied = cases.filter((one) => !agreesWithFeedback(one, changed)).map(({ id }) => id);
  return { changes, table: changed, agreed, unsatisfied };
}

function toScope({ server, tools }: LoopFeedbackCase): Pick<ThresholdChange, 'section' | 'entry'> {
  const [tool] = tools;
  return tool !== undefined && tools.length === 1
    ? { section: 'tools', entry: `${server}/${tool}` }
    : { section: 'servers', entry: server };
}

interface ProposalContext {
  readonly table: ThresholdTable;
  readonly agreed: readonly string[];
}

/**
 * The smallest changes in one direction that all cases of one scope agree with. Equal calls may be several kinds of
 * loops, so several thresholds may have to change.
 */
function proposeChanges(
  cases: readonly LoopFeedbackCase[],
  { table, agreed }: ProposalContext,
): readonly ThresholdChange[] {
  const disagreed = cases.filter(({ id }) => !agreed.includes(id));
  const [first] = disagreed;
  // One direction cannot satisfy both a loop that was missed and one that was none.
  if (!first || disagreed.some(({ isLoop }) => isLoop !== first.isLoop)) return [];
  const current = createThresholdLookup(table)(first.server, first.tools[0] ?? '');
  const scope = toScope(first);
  const limit = first.isLoop ? MIN_COUNT : MAX_COUNT;
  const kinds = first.isLoop ? disagreed.map(({ kind }) => kind) : LOOP_KINDS;
  let changes = [...new Set(kinds.flatMap(listCountThresholds))]
    .map((name): ThresholdChange => ({ ...scope, name, from: current[name], to: limit }))
    .filter(({ from, to }) => from !== to);
  const agrees = (own: readonly LoopFeedbackCase[], tried: readonly ThresholdChange[]): boolean =>
    own.every((one) => agreesWithFeedback(one, tried.reduce(withChange, table)));
  if (!agrees(disagreed, changes)) return [];
  for (const { name } of changes) {
    const withValue = (to: number) => changes.map((one) => (one.name === name ? { ...one, to } : one));
    const from = current[name];
    changes = withValue(findNearest(from, limit, (value) => agrees(disagreed, withValue(value))));
  }
  changes = changes.filter(({ from, to }) => from !== to);
  return agrees(cases, changes) ? changes : [];
}

/** The counts of a kind; the sizes of windows and pauses are no matter of more or less. */
function listCountThresholds(kind: FindingKind): (keyof LoopThresholds)[] {
  return Object.keys(FINDING_KIND_TEXTS[kind].thresholdLabels)
    .filter((name) => Object.hasOwn(DEFAULT_THRESHOLDS, name))
    .filter((name) => !/Among$|Bytes$|Ms$|^longestPeriod$/.test(name)) as (keyof LoopThresholds)[]; // by the check before
}

/**
 * The value nearest to `from`, towards `limit`, that passes; what passes at one value passes further away, and the
 * limit does.
 */
function findNearest(from: number, limit: number, passes: (value: number) => boolean): number {
  const step = Math.sign(limit - from);
  let [near, far] = [0, Math.abs(limit - from)];
  while (near < far) {
    const middle = Math.floor((near + far) / 2);
    if (passes(from + step * middle)) far = middle;
    else near = middle + 1;
  }
  return from + step * far;
}

function withChange(table: ThresholdTable, { section, entry, name, to }: ThresholdChange): ThresholdTable {
  const entries = table[section] ?? {};
  const own = Object.hasOwn(entries, entry) ? entries[entry] : {};
  return { ...table, [section]: { ...entries, [entry]: { ...own, [name]: to } } };
}
