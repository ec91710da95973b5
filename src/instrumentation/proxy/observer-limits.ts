// Limits of the thread that observes traffic, and of what waits for it.

export const MAX_UNOBSERVED_BYTES = 16 * 1024 * 1024;

/** Parts are batched, because waking a thread costs as much as a call. */
export const BATCH_MS = 5;
export const BATCH_BYTES = 256 * 1024;

/** Wall time (ms) for closing, in addition to the export; after that the thread is abandoned. */
export const CLOSE_TIMEOUT_MS = 10_000;

export const WORKER_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 4 };
