// From counts to figures and tables.
import type { KindTally } from './evaluate-sessions.ts';

export interface Score {
  readonly sessions: number;
  readonly loops: number;
  /** In per cent; undefined where there is nothing to take a share of. */
  readonly precision: number | undefined;
  readonly recall: number | undefined;
  readonly f1: number | undefined;
  /** Clean sessions that were flagged, in per cent. */
  readonly falseAlarmRate: number | undefined;
  readonly falseAlarms: number;
  readonly flips: number;
}

/** The figures of a set; each key's verdict counts. */
export function computeScore(tallies: readonly KindTally[]): Score {
  const loops = tallies.filter(({ label }) => label === 'loop');
  const clean = tallies.filter(({ label }) => label === 'clean');
  const hits = sum(loops, 'flagged');
  const falseAlarms = sum(clean, 'flagged');
  const misses = sum(loops, 'judged') - hits;
  const hasLoops = loops.length > 0;
  return {
    sessions: sum(tallies, 'sessions'),
    loops: sum(loops, 'sessions'),
    precision: hasLoops ? share(hits, hits + falseAlarms) : undefined,
    recall: share(hits, hits + misses),
    f1: hasLoops ? share(2 * hits, 2 * hits + falseAlarms + misses) : undefined,
    falseAlarmRate: share(falseAlarms, sum(clean, 'judged')),
    falseAlarms,
    flips: sum(tallies, 'flips'),
  };
}

function sum(tallies: readonly KindTally[], name: 'sessions' | 'judged' | 'flagged' | 'flips'): number {
  return tallies.reduce((total, tally) => total + tally[name], 0);
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : (100 * part) / whole;
}

const percent = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(1));

const HEAD = ['set', 'sessions', 'loops', 'precision', 'recall', 'F1', 'false alarms', 'flips'];

/** One line for each set. */
export function formatSetTable(sets: readonly (readonly [name: string, score: Score])[]): string {
  const rows = sets.map(([name, score]) => [
    name,
    String(score.sessions),
    String(score.loops),
    percent(score.precision),
    percent(score.recall),
    percent(score.f1),
    percent(score.falseAlarmRate),
    String(score.flips),
  ]);
  return toColumns([HEAD, ...rows]);
}

/** One line for each kind of a set: clean ones should be at 0, loops at 100. */
export function formatKindTable(tallies: readonly KindTally[]): string {
  const rows = tallies.map(({ kind, label, sessions, flagged, judged, flips }) => [
    `  ${kind}`,
    label,
    String(sessions),
    percent(share(flagged, judged)),
    String(flips),
  ]);
  return toColumns([['  kind', 'label', 'sessions', 'flagged', 'flips'], ...rows]);
}

/** Numbers to the right, words to the left. */
function toColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const toCell = (cell: string, at: number) =>
    /^[\d.–]+$/.test(cell) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
  return rows.map((row) => row.map(toCell).join('  ').trimEnd()).join('\n');
}
