// Names of counts as words, and suggested changes as text that can be handed to whoever edits the server.
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { formatCount, formatSignificant, THIN } from '../../format/format-number.ts';

/** `gaveUp` → "gave up"; a unit at the end belongs to the value. */
export function formatCountName(name: string): string {
  return name
    .replace(/(?:AtMs|Percent)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** A moment among the counts, as ISO text; undefined for what is a count. */
export function readMoment(name: string, value: number): string | undefined {
  return name.endsWith('AtMs') ? new Date(value).toISOString() : undefined;
}

/** A count with the unit that its name ends in. */
export function formatCountValue(name: string, value: number): string {
  return name.endsWith('Percent') ? `${formatSignificant(value)}${THIN}%` : formatCount(value);
}

/** The finding and its edits, as a person would write them into an issue. */
export function formatEdits({ finding, suggestion, server }: AdviceRow): string {
  const edits = suggestion.edits.map(({ tool, pointer, after }) => {
    const where = `In the definition of ${tool} (server ${server})`;
    return after === undefined
      ? `${where}, remove ${pointer}.`
      : `${where}, set ${pointer} to ${JSON.stringify(after)}.`;
  });
  return [finding, suggestion.text, ...edits].join('\n');
}
