// The names that figures are grouped by, and how many different ones a day may bring. Whoever may send spans could send a new name
// with each; every rollup, list and filter has a row for each name. Far above what people have, and settings all the same.

/** What a name may be of. `listedTool` is of a tool in a server's own catalogue, `tool` of any that was called. */
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

/** New names a day of each kind: of one server, and of `server` itself altogether. `total`: of a kind, over all servers. */
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

/** What stands for every name beyond a limit. */
export const OTHER_NAME = 'other';
