// What a definition can promise.

export const PROMISE_KINDS = [
  'read_only',
  'not_destructive',
  'idempotent',
  'output_schema',
  'enum',
  'bound',
  'error_codes',
  'empty_if_none',
] as const;
export type PromiseKind = (typeof PROMISE_KINDS)[number];
