// The event `loop` of the stream: which updates of loops are worth one, and its text.

import type { LoopEvent, StreamQuery } from '../../contract/stream-event.ts';
import type { LoopUpdate } from '../../core/model/loop-record.ts';
import { BoundedMap } from '../../core/values/bounded-map.ts';

/** Loops whose last event is remembered; an older one that changes again is sent again. */
const MAX_LOOPS = 10_000;

/** Remembers what was sent of each loop, so that a loop that only grows makes no event. */
export class LoopChanges {
  readonly #sent = new BoundedMap<string, string>(MAX_LOOPS);

  /** @returns the updates that begin a loop, change its severity or end it */
  take(updates: readonly LoopUpdate[]): readonly LoopUpdate[] {
    return updates.filter(({ id, severity, state }) => {
      const now = `${severity} ${state}`;
      const isNews = severity !== 'note' && this.#sent.get(id) !== now;
      if (isNews) this.#sent.set(id, now);
      return isNews;
    });
  }
}

export function matchesQuery(
  { server, sessionId }: Pick<LoopUpdate, 'server' | 'sessionId'>,
  query: StreamQuery,
): boolean {
  return (
    (query.server === undefined || query.server === server) &&
    (query.session === undefined || query.session === sessionId)
  );
}

export function formatLoop(update: LoopUpdate, atMs: number): string {
  const { id, server, environment, sessionId, client, tools, kind, severity, state } = update;
  const { repeats, wastedCalls, sentence } = update;
  const event: LoopEvent = {
    ...{ kind: 'loop', atMs, id, server, environment, sessionId, client, tools: [...tools] },
    ...{ loopKind: kind, severity, state, repeats, wastedCalls, sentence },
  };
  return `event: loop\ndata: ${JSON.stringify(event)}\n\n`;
}
