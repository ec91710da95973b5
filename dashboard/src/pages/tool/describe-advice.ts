// Formats the counts of a finding, and the finding itself as text to hand to the server's developers.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { formatCount, formatSignificant, THIN_SPACE } from '../../format/format-number.ts';

/** `gaveUp` → "gave up"; a unit suffix is dropped, because it belongs to the value. */
export function formatCountName(name: string): string {
  return name
    .replace(/(?:AtMs|Percent)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** A time among the counts as ISO 8601 text; undefined for a count. */
export function readTimestamp(name: string, value: number): string | undefined {
  return name.endsWith('AtMs') ? new Date(value).toISOString() : undefined;
}

/** A count with the unit that its name ends in. */
export function formatCountValue(name: string, value: number): string {
  return name.endsWith('Percent') ? `${formatSignificant(value)}${THIN_SPACE}%` : formatCount(value);
}

/** Text for the server's developer, a person or an agent: the content of the card, and what not to change. */
export function formatFixPrompt(row: AdviceRow): string {
  const { server, tool, argument, finding, counts, names, suggestion, disprovedBy, rule, title } = row;
  const location = [tool && `tool "${tool}"`, argument && `argument "${argument}"`]
    .filter(Boolean)
    .join(', ');
  const evidence = [
    ...Object.entries(counts)
      .filter(([name]) => !name.endsWith('AtMs'))
      .map(([name, value]) => `${formatPlainCount(name, value)} ${formatCountName(name)}`),
    ...Object.entries(names).flatMap(([name, list]) =>
      list.length === 0 ? [] : [`${formatCountName(name)}: ${list.join(', ')}`],
    ),
  ];
  return [
    `In the MCP server "${server}"${location ? `, ${location}` : ''}: ${title} (${rule}).`,
    finding,
    ...(evidence.length > 0 ? [`Evidence: ${evidence.join('; ')}.`] : []),
    `Change: ${suggestion.text}`,
    ...suggestion.edits.map((edit) => `- ${formatEdit(edit)}`),
    ...(JSON.stringify(suggestion.edits).includes('<') ? ['Fill in what stands in angle brackets.'] : []),
    `Leave it as it is if this holds: ${disprovedBy}`,
    'Keep names and required arguments that callers use, and change nothing else.',
  ].join('\n');
}

function formatPlainCount(name: string, value: number): string {
  return name.endsWith('Percent') ? `${value} %` : String(value);
}

function formatEdit({ tool, pointer, after }: AdviceRow['suggestion']['edits'][number]): string {
  return after === undefined
    ? `In the definition of ${tool}, remove ${pointer}.`
    : `In the definition of ${tool}, set ${pointer} to ${JSON.stringify(after)}.`;
}
