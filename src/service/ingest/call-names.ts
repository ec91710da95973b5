// The names of a call that figures are grouped by, found while its row is written and looked at where all spans of a request come
// together; and a row whose names went beyond a limit, written again without them.

import { NAME_KINDS, type NameKind, OTHER_NAME } from '../../core/model/name-limits.ts';
import type { CaptureMode, ToolCall } from '../../core/model/tool-call.ts';
import type { DailyNames } from './daily-names.ts';
import { formatRow } from './format-row.ts';

/** By kind; of the kinds that a call has. */
export type CallNames = Readonly<Partial<Record<NameKind, string>>>;

/** The column of each kind; a listed tool is in no row of a call. */
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
 * @param call a call as it is stored
 * @param capture in the modes that keep values, a message is one of them and no template; pages do not group by those
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

/** Gathers the different sets of names of one request, of which there are few as a rule. */
export class RequestNames {
  readonly all: CallNames[] = [];
  readonly #positions = new Map<string, number>();

  /** @returns where in `all` these names are */
  add(names: CallNames): number {
    const key = Object.values(names).join('\n');
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.all.length);
    return this.all.push(names) - 1;
  }
}

/** Columns of a row with what stands in them instead. */
export type ColumnReplacements = Readonly<Record<string, string>>;

/** Names of a server, apart from itself and what it lists. */
const SCOPED_KINDS = NAME_KINDS.filter(
  (kind): kind is Exclude<NameKind, 'server' | 'listedTool'> => kind !== 'server' && kind !== 'listedTool',
);

/** @returns what has to stand instead in a row of a call with these names; undefined where it may stay as it is */
export function limitNames(names: CallNames, daily: DailyNames): ColumnReplacements | undefined {
  const replaced: [string, string][] = [];
  const given = names.server ?? '';
  const server = daily.admit('server', given) ? given : OTHER_NAME;
  if (server !== given) replaced.push([COLUMN_BY_KIND.server, server]);
  for (const kind of SCOPED_KINDS) {
    const name = names[kind] ?? '';
    // What the server lists itself has its own limit, so names that agents make up cannot take its place.
    const isListed = kind === 'tool' && daily.has('listedTool', name, server);
    if (isListed || daily.admit(kind, name, server)) continue;
    // A catalogue without a hash is one that is not known; there is no catalogue of the others.
    replaced.push([COLUMN_BY_KIND[kind], kind === 'catalogue' ? '' : OTHER_NAME]);
  }
  return replaced.length === 0 ? undefined : Object.fromEntries(replaced);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Cuts the other values in, since most of a flood comes here: parsing and writing a row takes ten times the work and memory.
 *
 * @param head a line of table `calls` without its end, as `toCallHead` writes it
 * @returns the same with other values in some columns of text
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
 * Where the text of a column stands, without its quotes. Inside of texts quotes are escaped, so what looks like the name of a column
 * is one, or a key in a map: the maps come after all of these columns but the catalogue, which stands right before the last of them.
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

/** @param rows whole lines @returns the lines with other values in the columns that they have */
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

/** @param rows whole lines, each a row of ours */
export function parseRows(rows: Uint8Array): Record<string, unknown>[] {
  const lines = Buffer.from(rows).toString().trimEnd().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
