// What changed between two listings, and which changes can break a caller that knew the first. Texts are never breaking, but
// they change what agents do.

import type { ToolAnnotations, ToolDefinition } from '../model/catalogue.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { DefinitionChange, DefinitionChangeKind } from './compare-values.ts';
import { jaccardSimilarity, subjectWords } from './description-words.ts';
import { nameWords } from './name-words.ts';

/** Minimum similarity of a removed and an added tool that count as one renamed tool. */
const MIN_RENAME_SIMILARITY = 0.6;

/** @returns breaking changes first, then in the order of the tools */
export function compareDefinitions(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): DefinitionChange[] {
  const [old, now] = [toMap(before), toMap(after)];
  const removed = before.filter(({ name }) => !now.has(name));
  const added = after.filter(({ name }) => !old.has(name));
  const renamed = findRenamed(removed, added);
  const changes = [
    ...removed.map((tool) => toRemoval(tool, renamed.get(tool))),
    ...added.filter((tool) => ![...renamed.values()].includes(tool)).map(toAddition),
    ...before.flatMap((tool) => {
      const same = now.get(tool.name) ?? renamed.get(tool);
      return same === undefined ? [] : compareTools(tool, same);
    }),
  ];
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
}

const toMap = (tools: readonly ToolDefinition[]): ReadonlyMap<string, ToolDefinition> =>
  new Map(tools.map((tool) => [tool.name, tool]));

function findRenamed(
  removed: readonly ToolDefinition[],
  added: readonly ToolDefinition[],
): ReadonlyMap<ToolDefinition, ToolDefinition> {
  const pairs = removed
    .flatMap((old) => added.map((now) => ({ old, now, alike: toolSimilarity(old, now) })))
    .filter(({ alike }) => alike >= MIN_RENAME_SIMILARITY)
    .sort((one, other) => other.alike - one.alike);
  const found = new Map<ToolDefinition, ToolDefinition>();
  for (const { old, now } of pairs) {
    if (!found.has(old) && ![...found.values()].includes(now)) found.set(old, now);
  }
  return found;
}

function toolSimilarity(one: ToolDefinition, other: ToolDefinition): number {
  // `search-notes` is `search_notes`, whatever else changed.
  if (nameWords(one.name).join() === nameWords(other.name).join()) return 1;
  const described = jaccardSimilarity(
    subjectWords(one.description ?? ''),
    subjectWords(other.description ?? ''),
  );
  const named = jaccardSimilarity(new Set(nameWords(one.name)), new Set(nameWords(other.name)));
  const sameInput = toCanonicalText(one.inputSchema) === toCanonicalText(other.inputSchema);
  return Math.max(described, (described + named + Number(sameInput)) / 2);
}

function toRemoval({ name }: ToolDefinition, renamed: ToolDefinition | undefined): DefinitionChange {
  if (renamed === undefined) return toChange('tool_removed', name, `"${name}" was removed`, true);
  return {
    ...toChange('tool_renamed', name, `"${name}" is now called "${renamed.name}"`, true),
    before: name,
    after: renamed.name,
  };
}

const toAddition = ({ name }: ToolDefinition): DefinitionChange =>
  toChange('tool_added', name, `"${name}" is new`, false);

function compareTools(before: ToolDefinition, after: ToolDefinition): DefinitionChange[] {
  const tool = after.name;
  return [
    ...compareSchemas(before.inputSchema, after.inputSchema, { tool, side: 'input' }),
    ...compareOutputs(before, after),
    ...compareTextField(before, after, 'description'),
    ...compareTextField(before, after, 'title'),
    ...compareAnnotations(tool, before.annotations ?? {}, after.annotations ?? {}),
  ];
}

function compareOutputs(before: ToolDefinition, after: ToolDefinition): DefinitionChange[] {
  const [old, now] = [before.outputSchema, after.outputSchema];
  const tool = after.name;
  if (old === undefined && now === undefined) return [];
  if (old === undefined) return [toChange('output_added', tool, `"${tool}" now declares its output`, false)];
  if (now === undefined)
    return [toChange('output_removed', tool, `"${tool}" no longer declares its output`, true)];
  return compareSchemas(old, now, { tool, side: 'output' });
}

function compareTextField(
  before: ToolDefinition,
  after: ToolDefinition,
  field: 'description' | 'title',
): DefinitionChange[] {
  if ((before[field] ?? '') === (after[field] ?? '')) return [];
  const textChange = toChange(
    `${field}_changed`,
    after.name,
    `the ${field} of "${after.name}" was reworded`,
    false,
  );
  return [{ ...textChange, before: before[field], after: after[field] }];
}

function compareAnnotations(
  tool: string,
  before: ToolAnnotations,
  after: ToolAnnotations,
): DefinitionChange[] {
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
  return hints
    .filter((hint) => before[hint] !== after[hint])
    .map((hint) => ({
      ...toChange(
        'annotation_changed',
        tool,
        `\`${hint}\` of "${tool}" went from ${before[hint]} to ${after[hint]}`,
        false,
      ),
      path: hint,
      breaksPromise: isPromised(before, hint) && !isPromised(after, hint),
      before: before[hint],
      after: after[hint],
    }));
}

/** Values by which a hint says that a call is safe; clients approve such calls without asking. */
const SAFE_HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/** A tool that only reads is neither destructive nor changes anything by a repeat. */
function isPromised(annotations: ToolAnnotations, hint: keyof typeof SAFE_HINTS): boolean {
  if (annotations[hint] === SAFE_HINTS[hint]) return true;
  return (hint === 'destructiveHint' || hint === 'idempotentHint') && annotations.readOnlyHint === true;
}

function toChange(
  kind: DefinitionChangeKind,
  tool: string,
  sentence: string,
  breaking: boolean,
): DefinitionChange {
  return { kind, tool, path: '', breaking, breaksPromise: false, sentence };
}
