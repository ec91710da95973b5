// One line of the log for a person: local time, level, message, and the other fields after it.

import { isRecord } from '../core/values/is-record.ts';

/** Numbers of pino's levels, https://github.com/pinojs/pino/blob/main/docs/api.md#logger-level */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** @param line one JSON object of the log. @returns a line for a terminal; `line` itself if it is something else */
export function formatLogLine(line: string): string {
  const entry = parseRecord(line);
  if (entry === undefined) return line;
  const { level, time, msg, err, ...fields } = entry;
  const head = `${formatTime(time)} ${(LEVELS[Number(level)] ?? 'info').padEnd(5)} ${String(msg ?? '')}`;
  const details = Object.entries(fields).map(([name, value]) => `${name}=${formatValue(value)}`);
  const error = isRecord(err) ? [`error=${formatValue(err['message'] ?? err['type'])}`] : [];
  return `${[head, ...details, ...error].join('  ')}\n`;
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const formatTime = (time: unknown): string =>
  new Date(Number(time)).toTimeString().slice(0, 'HH:MM:SS'.length);

function formatValue(value: unknown): string {
  if (typeof value === 'string' && !/[\s="]/.test(value)) return value;
  return JSON.stringify(value) ?? String(value);
}
