// Splits a batch by days: the engine refuses an insert into more than a hundred partitions, and the tables of
// calls are partitioned by day. The parts depend only on the bytes, so a repeat gives the same ones.

/** Below `max_partitions_per_insert_block`, which is 100. */
const DAYS_PER_INSERT = 90;
/** The first one in a row is the column: texts have their quotes escaped, and the columns that hold keys come later. */
const KEY = Buffer.from('"started_at":"');
const DAY_BYTES = 10;
const NEWLINE = 0x0a;

export interface DayRangePart {
  /** Added to the token of the table's rows; empty when they stay together. */
  readonly suffix: string;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

/** @param rows one JSON object per line; those without a day go with the first part */
export function splitByDays(rows: Uint8Array): DayRangePart[] {
  const bytes = Buffer.from(rows.buffer, rows.byteOffset, rows.length);
  if (countDays(bytes) <= DAYS_PER_INSERT) return [{ suffix: '', rows }];
  const linesOfDay = groupByDay(bytes);
  const days = [...linesOfDay.keys()].sort();
  const parts: DayRangePart[] = [];
  for (let from = 0; from < days.length; from += DAYS_PER_INSERT) {
    const own = days.slice(from, from + DAYS_PER_INSERT);
    const lines = own.flatMap((day) => linesOfDay.get(day) ?? []);
    parts.push({
      suffix: `-days-${from}-${from + own.length}-of-${days.length}`,
      rows: Buffer.concat(lines),
    });
  }
  return parts;
}

/** Not fewer than there are; the hot path, so nothing is cut into lines. */
function countDays(bytes: Buffer): number {
  const days = new Set<string>();
  for (let at = bytes.indexOf(KEY); at !== -1; at = bytes.indexOf(KEY, at + KEY.length))
    days.add(dayAt(bytes, at));
  return days.size;
}

function groupByDay(bytes: Buffer): Map<string, Buffer[]> {
  const lines = new Map<string, Buffer[]>();
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline + 1;
    const line = bytes.subarray(start, end);
    const at = line.indexOf(KEY);
    const day = at === -1 ? '' : dayAt(line, at);
    const own = lines.get(day);
    if (own) own.push(line);
    else lines.set(day, [line]);
    start = end;
  }
  return lines;
}

function dayAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at + KEY.length, at + KEY.length + DAY_BYTES);
}
