// Daily limits on new names that stats are grouped by. A client that may send spans could send a new name
// with each one, and every rollup, list and filter has a row per name. The defaults are far above real use
// and are configurable.

/** The kinds of name. `listedTool`: a tool in a server's own catalogue. `tool`: any tool that was called. */
export const NAME_KINDS = [
  'server',
  'environment',
  'version',
  'client',
  'clientVersion',
  'protocol',
  'method',
  'tool',
  'listedTool',
  'target',
  'code',
  'errorType',
  'errorArgument',
  'template',
  'catalogue',
] as const;

export type NameKind = (typeof NAME_KINDS)[number];

/**
 * New names per day: per server for each kind, in total for `server` itself. `total`: of one kind, over all
 * servers.
 */
export type NameLimits = Readonly<Record<NameKind | 'total', number>>;

export const DEFAULT_NAME_LIMITS: NameLimits = {
  server: 1_000,
  environment: 50,
  version: 500,
  client: 200,
  clientVersion: 500,
  protocol: 50,
  method: 100,
  tool: 500,
  listedTool: 2_000,
  target: 500,
  code: 200,
  errorType: 200,
  errorArgument: 1_000,
  template: 1_000,
  catalogue: 200,
  total: 10_000,
};

/** Replaces every name beyond a limit. */
export const OTHER_NAME = 'other';
