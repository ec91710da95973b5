// Names of counts as words, and suggested changes as text that can be handed to whoever edits the server.
import type { AdviceRow } from '../../../../src/contract/advice.ts';

/** `gaveUp` → "gave up". */
export function formatCountName(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
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
