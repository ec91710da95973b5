// Drains the HTTP server: requests in progress may finish within a time limit.

import type { Server } from 'node:http';

/**
 * A keep-alive connection that was busy when draining began becomes idle after its response, and must be
 * closed explicitly.
 */
const IDLE_CHECK_INTERVAL_MS = 20;

/**
 * Accepts no more connections and waits for open requests.
 *
 * @param withinMs then connections that are still busy are closed
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
