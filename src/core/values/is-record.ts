// Whether a value is an object with keys. Everything that arrives from a wire is asked this before it is looked into.

/** True for objects that are neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
