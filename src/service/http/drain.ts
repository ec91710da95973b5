// Ending the HTTP side: what was begun may finish, but not for ever.

import type { Server } from 'node:http';

/** A kept-alive connection that was busy when draining began is idle after its answer, and nobody closes it by itself. */
const IDLE_CHECK_INTERVAL_MS = 20;

/**
 * Stops taking connections and waits for open requests.
 *
 * @param server a listening server
 * @param withinMs after this, connections that are still busy are cut
 */
export function drain(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
    const cutOff = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearInterval(idleCheck);
      clearTimeout(cutOff);
      resolve();
    });
  });
}
