// Ending the HTTP side: what was begun may finish, but not for ever.

import type { Server } from 'node:http';

/**
 * Stops taking connections and waits for open requests.
 *
 * @param server a listening server
 * @param withinMs after this, connections that are still busy are cut
 */
export function drain(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), withinMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
