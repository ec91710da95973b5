// The servers that sent something since the page was opened. Compares two responses rather than clocks, because the
// browser's may differ from the service's.
import type { ServersResponse } from '../../../../src/contract/tools.ts';

type ServerRow = ServersResponse['servers'][number];

export interface ReceivedServer extends Pick<ServerRow, 'server' | 'lastEventAt'> {
  readonly isNew: boolean;
}

/** New servers first, then the most recent event first. */
export function prepareReceived(before: readonly ServerRow[], now: readonly ServerRow[]): ReceivedServer[] {
  const known = new Map(before.map(({ server, lastEventAt }) => [server, lastEventAt]));
  return now
    .filter(({ server, lastEventAt }) => known.get(server) !== lastEventAt)
    .map(({ server, lastEventAt }) => ({ server, lastEventAt, isNew: !known.has(server) }))
    .sort(
      (one, other) =>
        Number(other.isNew) - Number(one.isNew) ||
        Date.parse(other.lastEventAt) - Date.parse(one.lastEventAt),
    );
}
