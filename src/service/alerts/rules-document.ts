// The text of a rules file as a value, with the line and column of each part. YAML 1.2; JSON is YAML, but a file
// named `.json` must also be JSON, because other programs may read it.

import { LineCounter, parseDocument } from 'yaml';
import { UserError } from '../../errors.ts';

export interface RulesDocument {
  readonly value: unknown;
  /** @returns `:line:column` of the innermost part on the path that the file has, to put behind its name */
  readonly locate: (path: readonly PropertyKey[]) => string;
}

/** Far more than rules need: each alias is expanded. */
const MAX_ALIASES = 100;

/** @throws UserError INVALID_SETTING; the text is not repeated, because it may contain a secret */
export function parseRulesDocument(path: string, text: string): RulesDocument {
  if (path.endsWith('.json')) return { value: parseJson(path, text), locate: createLocator(text) };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const reason = error.code.toLowerCase().replaceAll('_', ' ');
    throw createSyntaxError(`${path}${format(lines, error.pos[0])} is not YAML (${reason}).`, error);
  }
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}, locate: createLocator(text) };
  } catch (cause) {
    throw createSyntaxError(`${path} has aliases that cannot be resolved.`, cause);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const lines = new LineCounter();
    const [error] = parseDocument(text, { lineCounter: lines, prettyErrors: false }).errors;
    const place = error ? format(lines, error.pos[0]) : '';
    throw createSyntaxError(`${path}${place} is not JSON.`, cause);
  }
}

function createSyntaxError(problem: string, cause: unknown): UserError {
  return new UserError('INVALID_SETTING', `${problem} Expected one object.`, { field: 'alerts', cause });
}

/** Parses only if something is located: most files have no error. */
function createLocator(text: string): RulesDocument['locate'] {
  return (path) => {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      const range = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : undefined;
      if (Array.isArray(range)) return format(lines, Number(range[0]));
    }
    return format(lines, 0);
  };
}

function format(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `:${line}:${col}`;
}
