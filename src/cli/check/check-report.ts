// Formats the report of `check`: first the verdict, then breaking changes, then other changes.

import { joinLines } from '../output.ts';
import type { CheckReport } from './check-result.ts';

export function formatCheckReport(report: CheckReport): string {
  const { server, version, breaking, safe } = report;
  const name = [server || 'tools', version].filter((part) => part !== '').join(' ');
  const lines = [
    `${name}: ${report.passed ? 'passed' : 'failed'} (${formatTotals(report)})`,
    ...formatSection(
      'breaking',
      breaking.map(({ sentence }) => sentence),
    ),
    ...formatSection('over budget', describeOverBudget(report)),
    ...formatLive(report),
    ...formatSection(
      'safe',
      safe.map(({ sentence }) => sentence),
    ),
  ];
  return joinLines(lines);
}

function formatTotals({ tools, breaking, safe, definitionTokens, baselineTokens }: CheckReport): string {
  const change = definitionTokens - baselineTokens;
  const changeText = change === 0 ? 'as before' : `${change > 0 ? '+' : '−'}${Math.abs(change)}`;
  return `${tools} tools, ${breaking.length} breaking and ${safe.length} safe changes, about ${definitionTokens} tokens, ${changeText}`;
}

function describeOverBudget({ definitionTokens, maxTokens }: CheckReport): string[] {
  if (maxTokens === undefined || definitionTokens <= maxTokens) return [];
  return [
    `the definitions cost about ${definitionTokens} tokens, ${definitionTokens - maxTokens} more than the ${maxTokens} allowed`,
  ];
}

function formatLive({ live }: CheckReport): string[] {
  if (live === undefined) return [];
  const { currentVersion, lastVersion, regressions, compared, fewCalls } = live;
  const few = fewCalls.length > 0 ? `; too few calls to compare ${fewCalls.join(', ')}` : '';
  return [
    ...formatSection(
      'worse than the last version',
      regressions.map(({ sentence }) => sentence),
    ),
    '',
    `live: ${currentVersion} against ${lastVersion}, ${compared.length} tools compared${few}`,
  ];
}

function formatSection(title: string, sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : ['', title, ...sentences.map((sentence) => `  ${sentence}`)];
}
