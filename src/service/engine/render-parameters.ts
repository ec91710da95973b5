// Replaces `{name:Type}` by a literal. The engine's own binding cannot be used: in chDB bound queries queue
// process-wide, so one slow page would hold up all others. A value only ever stands inside one single-quoted
// string, with the two characters that could end it escaped, so it cannot become SQL.

import { StatementError } from './statement-error.ts';

/** Values as they stand in the URL, by parameter name, in ClickHouse's escaped text form. */
export type QueryParameters = ReadonlyMap<string, string>;

/** Strings, quoted identifiers and comments are matched first so that braces inside them are left alone. */
const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|`(?:[^`\\]|\\[\s\S])*`|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*([A-Za-z_]\w*)\s*:\s*([^{}]+?)\s*\}/g;

const TYPE = /^[A-Za-z]\w*(?:\([\w\s(),'/+-]*\))?$/;

const BAD_QUERY_PARAMETER = { code: 457, type: 'BAD_QUERY_PARAMETER' };
const UNKNOWN_QUERY_PARAMETER = { code: 456, type: 'UNKNOWN_QUERY_PARAMETER' };

/**
 * @param sql a statement with `{name:Type}` placeholders
 * @param parameters the values, as `@clickhouse/client` writes them into `param_<name>`
 * @returns the statement with literals
 * @throws StatementError 456 when a placeholder has no value, 457 when a value is not of its type
 */
export function renderParameters(sql: string, parameters: QueryParameters): string {
  return sql.replace(TOKEN, (token: string, name?: string, type?: string) => {
    if (name === undefined || type === undefined) return token;
    const value = parameters.get(name);
    if (value === undefined)
      throw new StatementError(UNKNOWN_QUERY_PARAMETER, `Query parameter '${name}' was not set`);
    return renderValue(name, type, value);
  });
}

function renderValue(name: string, type: string, value: string): string {
  if (!TYPE.test(type) || type === 'Identifier')
    throw new StatementError(
      BAD_QUERY_PARAMETER,
      `Query parameter '${name}' has a type that is not rendered`,
    );
  const inner = unwrapType(type);
  if (value === '\\N') {
    if (/^(?:LowCardinality\()?Nullable\(/.test(type)) return `CAST(NULL AS ${type})`;
    if (!isTextType(inner)) throw unparsableValue(name, type);
  }
  if (inner.startsWith('Map(')) return renderMap(name, inner, value);
  if (isCompositeType(inner)) return `CAST(${quoteText(value)} AS ${type})`;
  const text = unescapeText(value);
  if (!isTextType(inner) && !isValidValue(inner, text)) throw unparsableValue(name, type);
  return `CAST(${quoteText(text)} AS ${type})`;
}

function unparsableValue(name: string, type: string): StatementError {
  return new StatementError(
    BAD_QUERY_PARAMETER,
    `Value of query parameter '${name}' cannot be parsed as ${type}`,
  );
}

/** `LowCardinality(Nullable(String))` is a String here. */
function unwrapType(type: string): string {
  const wrapped = /^(?:LowCardinality|Nullable)\((.*)\)$/s.exec(type);
  return wrapped ? unwrapType(wrapped[1] ?? '') : type;
}

function isCompositeType(type: string): boolean {
  return /^(?:Array|Tuple)\(/.test(type);
}

/** A text cannot be cast to a Map, but to an array of pairs, and that to a Map: `{'a':1}` becomes `[('a',1)]`. */
function renderMap(name: string, type: string, value: string): string {
  const types = type.slice('Map('.length, -1);
  const entries = /^\{(.*)\}$/s.exec(value)?.[1];
  if (entries === undefined || /\bMap\(/.test(types)) throw unparsableValue(name, type);
  return `CAST(CAST(${quoteText(`[${toPairs(entries)}]`)} AS Array(Tuple(${types}))) AS ${type})`;
}

/** Quoted texts and bracketed lists are one token each, so that what is inside of them stays as it is. */
const ENTRY_TOKEN = /'(?:[^'\\]|\\[\s\S])*'|\[(?:[^\]']|'(?:[^'\\]|\\[\s\S])*')*\]|[:,]|[^'[\]:,]+|[\s\S]/g;

const SEPARATORS: Readonly<Record<string, string>> = { ':': ',', ',': '),(' };

function toPairs(entries: string): string {
  if (entries.trim() === '') return '';
  return `(${entries.replace(ENTRY_TOKEN, (token) => SEPARATORS[token] ?? token)})`;
}

function isTextType(type: string): boolean {
  return /^(?:String$|FixedString\()/.test(type);
}

/** A cast of '300' to UInt8 gives 44 in the engine; such a value is refused here instead. */
function isValidValue(type: string, text: string): boolean {
  const integer = /^(U?)Int(\d+)$/.exec(type);
  if (integer) return isValidInteger(text, integer[1] === 'U', Number(integer[2]));
  if (/^(?:Float|Decimal)/.test(type)) return /^[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan|inf)$/i.test(text);
  if (type === 'Bool') return /^(?:0|1|true|false)$/i.test(text);
  return true;
}

function isValidInteger(text: string, unsigned: boolean, bits: number): boolean {
  if (!/^[+-]?\d{1,80}$/.test(text)) return false;
  const value = BigInt(text.replace(/^\+/, ''));
  const wrapped = unsigned ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  return wrapped === value;
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' };

/** Undoes the escaping of ClickHouse's TabSeparated form, which the client applies to a scalar value. */
function unescapeText(value: string): string {
  return value.replace(/\\([\s\S])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

/** NUL is escaped too: the engine takes a statement as a C string. */
function quoteText(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`;
}
