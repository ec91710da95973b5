// The names of a call that stats are grouped by: collected while its row is written and checked per request.
// Also rewrites rows whose names exceed a limit.

import { NAME_KINDS, type NameKind, OTHER_NAME } from '../../core/model/name-limits.ts';
import type { CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { DailyNames } from './daily-names.ts';
import { formatRow } from './format-row.ts';

/** By kind; only the kinds that the call has. */
export type CallNames = Readonly<Partial<Record<NameKind, string>>>;

/** The column of each kind; a listed tool is not a column of a call. */
const COLUMN_BY_KIND: Readonly<Record<Exclude<NameKind, 'listedTool'>, string>> = {
  server: 'server_name',
  environment: 'environment',
  version: 'server_version',
  client: 'client_name',
  clientVersion: 'client_version',
  protocol: 'protocol_version',
  method: 'method',
  tool: 'tool_name',
  target: 'target',
  code: 'error_code',
  errorType: 'error_type',
  errorArgument: 'error_argument',
  template: 'error_message',
  catalogue: 'catalogue_hash',
};

/**
 * @param call the call as stored
 * @param capture in modes that keep values, the message is a value rather than a template, and pages do not
 * group by it
 */
export function toCallNames(call: ToolCall, capture: CaptureMode): CallNames {
  const isTemplate = capture === 'none' || capture === 'shape';
  return {
    server: call.serverName,
    environment: call.environment,
    version: call.serverVersion,
    client: call.clientName,
    clientVersion: call.clientVersion,
    protocol: call.protocolVersion,
    method: call.method,
    tool: call.toolName,
    target: call.target,
    code: call.errorCode,
    errorType: call.errorType,
    errorArgument: call.errorArgument,
    template: isTemplate ? call.errorMessage : '',
    catalogue: call.catalogueHash,
  };
}

/** Collects the distinct sets of names of one request, which are usually few. */
export class RequestNames {
  readonly all: CallNames[] = [];
  readonly #positions = new Map<string, number>();

  /** @returns the index of these names in `all` */
  add(names: CallNames): number {
    const key = Object.values(names).join('\n');
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.all.length);
    return this.all.push(names) - 1;
  }
}

/** Replacement values by column. */
export type ColumnReplacements = Readonly<Record<string, string>>;

/** Kinds of names scoped to a server, except the server itself and its listed tools. */
const SCOPED_KINDS = NAME_KINDS.filter(
  (kind): kind is Exclude<NameKind, 'server' | 'listedTool'> => kind !== 'server' && kind !== 'listedTool',
);

/** @returns the replacements for a row of a call with these names; undefined if it is unchanged */
export function limitNames(names: CallNames, daily: DailyNames): ColumnReplacements | undefined {
  const replaced: [string, string][] = [];
  const given = names.server ?? '';
  const server = daily.admit('server', given) ? given : OTHER_NAME;
  if (server !== given) replaced.push([COLUMN_BY_KIND.server, server]);
  for (const kind of SCOPED_KINDS) {
    const name = names[kind] ?? '';
    // Listed tools have their own limit, so that names made up by agents cannot use it up.
    const isListed = kind === 'tool' && daily.has('listedTool', name, server);
    if (isListed || daily.admit(kind, name, server)) continue;
    // An empty catalogue hash means unknown; there is no catalogue for other values.
    replaced.push([COLUMN_BY_KIND[kind], kind === 'catalogue' ? '' : OTHER_NAME]);
  }
  return replaced.length === 0 ? undefined : Object.fromEntries(replaced);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Replaces the values in the bytes, since most of a flood comes here: parsing and serialising a row takes ten
 * times the work and memory.
 *
 * @param head a line of table `calls` without its end, as `toCallHead` writes it
 * @returns the line with other values in some text columns
 */
export function replaceInHead(head: Uint8Array, replacements: ColumnReplacements): Uint8Array {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const cuts = Object.entries(replacements)
    .map(([column, value]) => ({ ...findValue(bytes, column), value: JSON.stringify(value).slice(1, -1) }))
    .sort((one, other) => one.from - other.from);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, value } of cuts) {
    pieces.push(bytes.subarray(at, from), Buffer.from(value));
    at = to;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

/**
 * Finds a column's text without its quotes. Quotes inside texts are escaped, so a match of the column name is
 * the column or a map key; the maps come after all of these columns except the catalogue, which is right
 * before the last of them.
 */
function findValue(row: Buffer, column: string): { readonly from: number; readonly to: number } {
  const name = `,"${column}":"`;
  const isLast = column === COLUMN_BY_KIND.catalogue;
  const at = isLast ? row.lastIndexOf(name, row.indexOf(',"attributes":{')) : row.indexOf(name);
  const from = at + name.length;
  let to = from;
  while (row[to] !== QUOTE) to += row[to] === BACKSLASH ? 2 : 1;
  return { from, to };
}

/**
 * @param rows whole lines
 * @returns the lines with the columns replaced
 */
export function replaceInRows(rows: Uint8Array, replacements: ColumnReplacements): Uint8Array {
  return Buffer.from(
    parseRows(rows)
      .map((row) => {
        const own = Object.entries(replacements).filter(([column]) => column in row);
        return formatRow({ ...row, ...Object.fromEntries(own) });
      })
      .join(''),
  );
}

/** @param rows whole lines, each a row written by this service */
export function parseRows(rows: Uint8Array): Record<string, unknown>[] {
  const lines = Buffer.from(rows).toString().trimEnd().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
