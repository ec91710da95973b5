// Waits between two requests of a command. Unlike the pauses of the service, it keeps the process alive.

import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms` milliseconds, or when the signal is aborted. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
