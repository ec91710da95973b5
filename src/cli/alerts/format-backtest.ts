// The result of a backtest for people: each rule, and when it would have fired.

import type { AlertBacktestResponse } from '../../contract/alert-backtest.ts';
import { toPrintableLine } from '../../core/values/printable-text.ts';
import { joinLines } from '../output.ts';

const MAX_LISTED = 20;

export function formatBacktest({ range, rules }: AlertBacktestResponse): string {
  const head = `From ${toMinute(range.fromMs)} to ${toMinute(range.toMs)}:`;
  if (rules.length === 0) return joinLines([head, 'No rule of kind metric, changed or event is configured.']);
  return joinLines([head, ...rules.flatMap(formatRule)]);
}

function formatRule({ id, firingCount, firings, problem }: AlertBacktestResponse['rules'][number]): string[] {
  if (problem !== null) return [`${id}: ${toPrintableLine(problem)}`];
  const listed = firings.slice(-MAX_LISTED).map(({ firedAt, resolvedAt, sentence }) => {
    const end = resolvedAt === null ? 'now' : toMinute(Date.parse(resolvedAt));
    return `  ${toMinute(Date.parse(firedAt))} to ${end}  ${toPrintableLine(sentence)}`;
  });
  const more = firingCount - listed.length;
  const times = firingCount === 1 ? 'once' : `${firingCount} times`;
  return [
    `${id}: ${firingCount === 0 ? 'never' : times}`,
    ...(more > 0 ? [`  ${more} earlier ones`] : []),
    ...listed,
  ];
}

const toMinute = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`;
