// The report of `check`, as JSON and as text: first the verdict, then breaking changes, then other changes.

import type { DefinitionChange } from '../../core/advice/compare-values.ts';
import { joinLines } from '../output.ts';
import type { LiveComparison } from './compare-live.ts';
import type { RateResult } from './live-rates.ts';

export interface CheckReport {
  readonly server: string;
  readonly version: string;
  readonly baselineVersion: string;
  readonly tools: number;
  readonly passed: boolean;
  readonly breaking: readonly DefinitionChange[];
  /** A default was changed, or a hint that calls are safe was withdrawn: no call fails, and calls do something else. */
  readonly promisesBroken: readonly DefinitionChange[];
  readonly safe: readonly DefinitionChange[];
  readonly definitionTokens: number;
  readonly baselineTokens: number;
  /** Undefined where no budget was given. */
  readonly maxTokens: number | undefined;
  /** Undefined without `--live`. */
  readonly live: LiveComparison | undefined;
  /** One for each lowest rate that was given. */
  readonly rates: readonly RateResult[];
}

export function formatCheckReport(report: CheckReport): string {
  const { server, version, breaking, promisesBroken, safe } = report;
  const name = [server || 'tools', version].filter((part) => part !== '').join(' ');
  const lines = [
    `${name}: ${report.passed ? 'passed' : 'failed'} (${formatTotals(report)})`,
    ...formatSection('breaking', breaking),
    ...formatSection('promise broken', promisesBroken),
    ...formatSection('over budget', describeOverBudget(report)),
    ...formatLive(report),
    ...formatRates(report),
    ...formatSection('safe', safe),
  ];
  return joinLines(lines);
}

function formatTotals(report: CheckReport): string {
  const { tools, breaking, promisesBroken, safe, definitionTokens, baselineTokens } = report;
  const change = definitionTokens - baselineTokens;
  const changeText = change === 0 ? 'as before' : `${change > 0 ? '+' : '−'}${Math.abs(change)}`;
  const promises =
    promisesBroken.length === 0
      ? ''
      : `, ${promisesBroken.length} ${promisesBroken.length === 1 ? 'promise' : 'promises'} broken`;
  return `${tools} tools, ${breaking.length} breaking and ${safe.length} safe changes${promises}, about ${definitionTokens} tokens, ${changeText}`;
}

function describeOverBudget({ definitionTokens, maxTokens }: CheckReport): Sentence[] {
  if (maxTokens === undefined || definitionTokens <= maxTokens) return [];
  const excess = definitionTokens - maxTokens;
  return [
    {
      sentence: `about ${definitionTokens} tokens of definitions, ${excess} more than the limit of ${maxTokens}`,
    },
  ];
}

function formatLive({ live }: CheckReport): string[] {
  if (live === undefined) return [];
  const { currentVersion, lastVersion, sentence, regressions, compared, fewCalls } = live;
  const few = fewCalls.length > 0 ? `; too few calls to compare ${fewCalls.join(', ')}` : '';
  return [
    ...formatSection('worse than the last version', regressions),
    '',
    `live: ${currentVersion} against ${lastVersion}, ${compared.length} tools compared${few}`,
    `  ${sentence}`,
  ];
}

function formatRates({ rates }: CheckReport): string[] {
  const failed = rates.filter(({ result }) => result === 'failed');
  return [
    ...formatSection('below the limit', failed),
    ...formatSection(
      'rates',
      rates.filter(({ result }) => result !== 'failed'),
    ),
  ];
}

interface Sentence {
  readonly sentence: string;
}

function formatSection(title: string, sentences: readonly Sentence[]): string[] {
  return sentences.length === 0 ? [] : ['', title, ...sentences.map(({ sentence }) => `  ${sentence}`)];
}
