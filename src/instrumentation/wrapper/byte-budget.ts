// How many bytes of a host's heap may wait to be looked at, and how many of large values are taken on in a second: each value
// that waits outlives a collection or two of the host's young objects, and is then collected with the old ones, which costs the
// host memory.

/** Heap bytes, about, of the values that wait; with those of the delivery 16 MiB. */
export const MAX_PENDING_BYTES = 5 * 1024 * 1024;

/** Values above this are large; after a pause `MAX_PENDING_BYTES` of them are taken on at once. */
const LARGE_VALUE_BYTES = 64 * 1024;
const LARGE_VALUE_BYTES_PER_MS = (4 * 1024 * 1024) / 1_000;

export interface ByteBudget {
  /** Takes room for a value of so many bytes. @returns false, and takes none, where there is not enough */
  take(bytes: number): boolean;
  /** Gives room back. */
  release(bytes: number): void;
}

/** Creates an empty room. */
export function createByteBudget(): ByteBudget {
  let usedBytes = 0;
  let largeValueBytes = MAX_PENDING_BYTES;
  let refilledMs = performance.now();

  function takeLarge(bytes: number): boolean {
    const nowMs = performance.now();
    largeValueBytes = Math.min(
      MAX_PENDING_BYTES,
      largeValueBytes + (nowMs - refilledMs) * LARGE_VALUE_BYTES_PER_MS,
    );
    refilledMs = nowMs;
    if (bytes > largeValueBytes) return false;
    largeValueBytes -= bytes;
    return true;
  }

  return {
    take(bytes) {
      if (usedBytes + bytes > MAX_PENDING_BYTES) return false;
      if (bytes > LARGE_VALUE_BYTES && !takeLarge(bytes)) return false;
      usedBytes += bytes;
      return true;
    },
    release(bytes) {
      usedBytes -= bytes;
    },
  };
}
