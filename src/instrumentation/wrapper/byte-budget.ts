// Limits the heap bytes that wait for redaction, and the rate at which large values are accepted. A waiting
// value survives minor collections of the host's heap and becomes part of the old generation, which costs the
// host memory.

/** Limit of the waiting values in heap bytes, approximately; together with the exporter's queue 16 MiB. */
export const MAX_PENDING_BYTES = 5 * 1024 * 1024;

/** Values above this are large; after a pause, `MAX_PENDING_BYTES` of them are accepted at once. */
const LARGE_VALUE_BYTES = 64 * 1024;
const LARGE_VALUE_BYTES_PER_MS = (4 * 1024 * 1024) / 1_000;

export interface ByteBudget {
  /**
   * Reserves capacity for a value of `bytes` bytes.
   * @returns false, without a reservation, when there is not enough
   */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

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
