// Formats findings as text: by tool, each with its numbers and suggested edits. Levels are words, without
// colour.

import { type DefinitionEdit, FINDING_LEVELS, type Finding } from '../../core/advice/finding.ts';
import { joinLines } from '../output.ts';
import type { ToolListing } from '../tool-listing/tool-listing.ts';

const INDENT = '          ';
const MAX_LINE_CHARS = 100;
const MAX_VALUE_CHARS = 160;
const MAX_EDITS = 4;

export function formatLintText(
  { serverName, serverVersion, tools }: ToolListing,
  findings: readonly Finding[],
): string {
  const title = [serverName || 'tools', serverVersion].filter((part) => part !== '').join(' ');
  const lines = [`${title}: ${formatPlural(tools.length, 'tool')}, ${formatFindingCounts(findings)}`];
  for (const tool of ['', ...tools.map(({ name }) => name)]) {
    const own = findings.filter((finding) => finding.tool === tool);
    if (own.length > 0)
      lines.push('', tool === '' ? 'all tools together' : tool, ...own.flatMap(formatFinding));
  }
  return joinLines(lines);
}

/** `no findings`, or `3 findings (1 error, 2 notes)`. */
export function formatFindingCounts(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'no findings';
  const parts = [...FINDING_LEVELS].reverse().flatMap((level) => {
    const count = findings.filter((finding) => finding.level === level).length;
    return count === 0 ? [] : [formatPlural(count, level)];
  });
  return `${formatPlural(findings.length, 'finding')} (${parts.join(', ')})`;
}

const formatPlural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function formatFinding({ level, rule, title, finding, suggestion }: Finding): string[] {
  const edits = suggestion.edits.slice(0, MAX_EDITS).flatMap(formatEdit);
  const more = suggestion.edits.length - MAX_EDITS;
  return [
    `  ${level.padEnd(7)} ${rule}  ${title}`,
    ...wrapText(finding),
    ...wrapText(`→ ${suggestion.text}`),
    ...edits,
    ...(more > 0 ? [`${INDENT}  … and ${more} more`] : []),
  ];
}

function formatEdit({ tool, pointer, ...values }: DefinitionEdit): string[] {
  return [
    `${INDENT}  ${tool} ${pointer}`,
    ...('before' in values && values.before !== undefined
      ? [`${INDENT}  - ${formatValue(values.before)}`]
      : []),
    ...('after' in values && values.after !== undefined ? [`${INDENT}  + ${formatValue(values.after)}`] : []),
  ];
}

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= MAX_VALUE_CHARS
    ? text
    : `${text.slice(0, MAX_VALUE_CHARS / 2)} … ${text.slice(-MAX_VALUE_CHARS / 2)}`;
}

function wrapText(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= MAX_LINE_CHARS) lines.push(`${INDENT}${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
