// Where the value of an argument came from, and the texts in which a call carries that: paths and names of tools, never a value.

/**
 * `result`: the value stood in an earlier result of the session. `part`: a part of it did, such as the id in a URL.
 * `argument`: the session had used it in an argument before. `declared`: the input schema lists it. `nowhere`: none of these, so that
 * it came from the prompt or the model made it up. `page`: no origin, but the note that the argument asks for a further page.
 */
export const ARGUMENT_ORIGIN_KINDS = ['result', 'part', 'argument', 'declared', 'nowhere', 'page'] as const;

export type ArgumentOriginKind = (typeof ARGUMENT_ORIGIN_KINDS)[number];

/**
 * What a use was of its source call. `first`: the first of its results to be used. `first_page`: the same, of a call that asked for a further
 * page. `paging`: only its cursor was used. `again`: one of its results had been used before.
 */
export const RESULT_USES = ['first', 'first_page', 'again', 'paging'] as const;

export type ResultUse = (typeof RESULT_USES)[number];

/** The result that an argument came from. */
export interface ArgumentSource {
  /** Name of the tool, or the method of any other request. */
  readonly tool: string;
  /** Of the field, such as `items[].id`. */
  readonly path: string;
  readonly use: ResultUse;
}

export interface ArgumentOrigin {
  /** Of the argument, such as `filter.user_id`. */
  readonly path: string;
  readonly kind: ArgumentOriginKind;
  /** Only of `result` and `part`. */
  readonly source?: ArgumentSource;
}

/** Origins of one call, and fields of one result. */
export const MAX_ORIGINS = 16;
export const MAX_RESULT_FIELDS = 48;
/** UTF-16 units of a path or the name of a tool. */
const MAX_NAME_LENGTH = 256;

/** Origins as JSON text, '' for none; `parseArgumentOrigins` reads it. */
export function formatArgumentOrigins(origins: readonly ArgumentOrigin[]): string {
  if (origins.length === 0) return '';
  return JSON.stringify(
    origins.map(({ path, kind, source }) =>
      source === undefined ? [path, kind] : [path, kind, source.tool, source.path, source.use],
    ),
  );
}

/** The origins in a text; none if it is no such text. Never throws. */
export function parseArgumentOrigins(text: string): readonly ArgumentOrigin[] {
  const parsed = parseArray(text);
  const origins = parsed.slice(0, MAX_ORIGINS).map(toOrigin);
  return origins.every((origin) => origin !== undefined) ? origins : [];
}

/** The fields that a result offered; none if the text is no list of them. Never throws. */
export function parseResultFields(text: string): readonly string[] {
  const fields = parseArray(text).slice(0, MAX_RESULT_FIELDS);
  return fields.every(isName) ? fields : [];
}

/** The span ids of the source calls, in the order of the origins that have one. */
export function parseArgumentSources(text: string): readonly string[] {
  const ids = text === '' ? [] : text.split(',').slice(0, MAX_ORIGINS);
  return ids.every((id) => /^[0-9a-f]{16}$/.test(id)) ? ids : [];
}

function parseArray(text: string): readonly unknown[] {
  if (!text.startsWith('[')) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    // Cut on its way, or no text of ours.
    return [];
  }
}

function toOrigin(value: unknown): ArgumentOrigin | undefined {
  if (!Array.isArray(value)) return undefined;
  const [path, named, tool, sourcePath, used] = value;
  const kind = ARGUMENT_ORIGIN_KINDS.find((one) => one === named);
  if (!isName(path) || kind === undefined) return undefined;
  if (kind !== 'result' && kind !== 'part') return { path, kind };
  const use = RESULT_USES.find((one) => one === used);
  if (!isName(tool) || !isName(sourcePath) || use === undefined) return undefined;
  return { path, kind, source: { tool, path: sourcePath, use } };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME_LENGTH;
}
