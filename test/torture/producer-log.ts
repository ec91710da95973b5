// What producers say of themselves, in files of their own: a line a call, written the moment it was acknowledged (OTLP) or
// answered (MCP). A line survives the SIGKILL of its writer, because it is in the page cache by then.
import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** `beat`: the process was running just then. */
export type ProducerEvent = 'acknowledged' | 'answered' | 'beat';

/** How often a process says that it runs. */
export const PRODUCER_HEARTBEAT_MS = 20;

export interface ProducerLogLine {
  readonly said: ProducerEvent;
  readonly traceId: string;
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Whose ledger it stands in. */
  readonly producer: string;
}

/** Opens a producer's ledger; the function that is returned writes one batch of lines at once. */
export function openProducerLog(path: string): (event: ProducerEvent, traceIds: readonly string[]) => void {
  const file = openSync(path, 'a', 0o600);
  return (event, traceIds) => {
    const atMs = Date.now();
    writeSync(file, traceIds.map((traceId) => `${event} ${traceId} ${atMs}\n`).join(''));
  };
}

/** Every whole line of every ledger in a folder; a torn last line was not said. */
export function readProducerLogs(folder: string): ProducerLogLine[] {
  return readdirSync(folder).flatMap((producer) => {
    const text = readFileSync(join(folder, producer), 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [said = '', traceId = '', at = ''] = line.split(' ');
        // Only `openProducerLog` writes these files.
        return { said: said as ProducerEvent, traceId, atMs: Number(at), producer };
      });
  });
}
