// A listing with the edits that its findings suggest. What a description states goes into the schema; what only the author can
// know becomes a marked placeholder, at the place where it belongs. Nothing is made up, and no name or hint is changed.

import { isRecord } from '../values/is-record.ts';
import type { DefinitionEdit, Finding } from './finding.ts';

/** Begins every placeholder. */
export const TODO_MARK = 'TODO(toolscope)';
/** Key of the placeholders that no field can hold: in `_meta` of a tool, and at the top of a listing. */
export const TODO_KEY = 'toolscope/todo';

/** Rules whose edits take a value out of the description. */
const STATED_BY: readonly string[] = ['TD008', 'TD011', 'TD041', 'TD043'];

type MutableRecord = Record<string, unknown>;

export interface FixedTool {
  readonly tool: Readonly<Record<string, unknown>>;
  readonly describes: boolean;
  /** JSON pointers of the changed arguments. */
  readonly pointers: readonly string[];
}

export interface FixedListing {
  /** Every listed tool, in order. */
  readonly tools: readonly unknown[];
  readonly changed: readonly FixedTool[];
  /** Placeholders about the whole server. */
  readonly todo: readonly string[];
  /** Values that were taken out of descriptions. */
  readonly stated: number;
  readonly placeholders: number;
}

/** @param listed tools as the server lists them; they are not changed */
export function fixTools(listed: readonly unknown[], findings: readonly Finding[]): FixedListing {
  const tools = structuredClone(listed);
  const fixes = new Map<string, ToolFix>();
  for (const tool of tools) if (isRecord(tool)) fixes.set(String(tool['name']), createFix(tool));
  const todo = findings.flatMap((finding) => applyFinding(finding, fixes));
  const all = [...fixes.values()];
  return {
    tools,
    changed: all
      .filter(({ stated, placeholders }) => stated + placeholders > 0)
      .map(({ tool, describes, pointers }) => ({ tool, describes, pointers: [...pointers] })),
    todo: todo.map((text) => `${TODO_MARK}: ${text}`),
    stated: all.reduce((sum, { stated }) => sum + stated, 0),
    placeholders: all.reduce((sum, { placeholders }) => sum + placeholders, todo.length),
  };
}

interface ToolFix {
  readonly tool: MutableRecord;
  readonly pointers: Set<string>;
  describes: boolean;
  stated: number;
  placeholders: number;
}

const createFix = (tool: MutableRecord): ToolFix => ({
  ...{ tool, pointers: new Set<string>() },
  ...{ describes: false, stated: 0, placeholders: 0 },
});

/** @returns what is left to say of the whole server */
function applyFinding(finding: Finding, fixes: ReadonlyMap<string, ToolFix>): string[] {
  const { rule, tool, suggestion } = finding;
  const left = suggestion.edits.filter((edit) => {
    const fix = fixes.get(edit.tool);
    return fix !== undefined && !applyEdit(fix, edit, STATED_BY.includes(rule));
  });
  if (suggestion.edits.length > 0 && left.length === 0) return [];
  const text = `${rule}: ${finding.finding} ${suggestion.text}`;
  const own = tool === '' ? [] : [tool];
  const names = left.length > 0 ? [...new Set(left.map((edit) => edit.tool))] : own;
  const addressed = names.flatMap((name) => fixes.get(name) ?? []);
  for (const fix of addressed) addNote(fix, text);
  return addressed.length === 0 ? [text] : [];
}

/** @returns whether the edit found its place */
function applyEdit(fix: ToolFix, edit: DefinitionEdit, isStated: boolean): boolean {
  if (edit.pointer === '/description') return extendDescription(fix, edit);
  const { parent, key } = findParent(fix.tool, edit.pointer);
  if (parent === undefined || !isArgumentKeyword(edit.pointer)) return false;
  if (isStated && !(key in parent)) {
    parent[key] = edit.after;
    fix.stated += 1;
  } else if (key === 'description' && !(key in parent)) {
    parent[key] = `${TODO_MARK}: ${withoutBrackets(edit.after)}`;
    fix.placeholders += 1;
  } else {
    addComment(parent, `${TODO_MARK}: \`${key}\`: ${withoutBrackets(edit.after)}`);
    fix.placeholders += 1;
  }
  fix.pointers.add(edit.pointer.slice(0, -key.length - 1));
  return true;
}

/** Adds what the edit has more than the text has now; the author's own words stay as they are. */
function extendDescription(fix: ToolFix, { before, after }: DefinitionEdit): boolean {
  if (typeof after !== 'string') return false;
  const start = typeof before === 'string' ? before.trim().replace(/\.$/, '') : '';
  if (!after.startsWith(start)) return false;
  const rest = after.slice(start.length).replace(/^[.\s]+/, '');
  // Without a gap for the author it is a statement, which only the author can make.
  if (!rest.includes('<')) return false;
  const added = `${TODO_MARK}: ${withoutBrackets(rest)}`;
  const text = typeof fix.tool['description'] === 'string' ? fix.tool['description'].trim() : '';
  if (text.includes(added)) return true;
  fix.tool['description'] = text === '' ? added : `${text} ${added}`;
  fix.describes = true;
  fix.placeholders += 1;
  return true;
}

/** `<what it is>` is a place for the author: `what it is`. */
const withoutBrackets = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'remove it')).replaceAll(/[<>]/g, '');

function addComment(schema: MutableRecord, text: string): void {
  const now = schema['$comment'];
  if (typeof now === 'string' && now.includes(text)) return;
  schema['$comment'] = typeof now === 'string' ? `${now} ${text}` : text;
}

function addNote(fix: ToolFix, text: string): void {
  const meta = isRecord(fix.tool['_meta']) ? fix.tool['_meta'] : {};
  const notes = Array.isArray(meta[TODO_KEY]) ? meta[TODO_KEY] : [];
  fix.tool['_meta'] = { ...meta, [TODO_KEY]: [...notes, `${TODO_MARK}: ${text}`] };
  fix.placeholders += 1;
}

/** Whether a pointer ends in a keyword of a declared argument: a whole argument is not ours to add. */
const isArgumentKeyword = (pointer: string): boolean =>
  /^\/inputSchema(?:(?:\/properties\/[^/]+)(?:\/items)*)+\/(?!properties$|items$)[^/]+$/.test(pointer);

/** The object that a JSON pointer's last step is, or would be, a key of. */
function findParent(
  root: MutableRecord,
  pointer: string,
): { parent: MutableRecord | undefined; key: string } {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let at: unknown = root;
  for (const step of steps.slice(0, -1)) at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return { parent: isRecord(at) ? at : undefined, key: steps.at(-1) ?? '' };
}
