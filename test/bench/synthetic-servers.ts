// The servers of the made calls: eight tools each that are called, some that never are, one that was taken away, and a name
// that agents ask for and nobody has.

interface SyntheticTool {
  readonly name: string;
  readonly arguments: readonly string[];
  /** Of a thousand calls, how many do not end `ok`. */
  readonly failing: number;
  /** Logarithm of the median time in microseconds. */
  readonly slow: number;
}

export interface SyntheticServer {
  readonly name: string;
  /** Of all sessions, in twentieths. */
  readonly weight: number;
  readonly versions: readonly string[];
  /** Most called first. */
  readonly tools: readonly SyntheticTool[];
  readonly unused: readonly SyntheticTool[];
  readonly removed: SyntheticTool;
  readonly asked: string;
}

const FAILING = [20, 45, 80, 15, 150, 60, 30, 250];
const SLOW = [9.2, 10.1, 11.4, 8.3, 12.2, 9.8, 10.7, 13.1];
const NOUNS = ['record', 'document', 'ticket', 'comment', 'report', 'label', 'query', 'export'];
const VERBS = ['search', 'read', 'update', 'list', 'create', 'add', 'run', 'start'];
const FOURTH = ['version', 'cursor', 'fields', 'owner'];

const toTool = (noun: string, at: number): SyntheticTool => ({
  name: `${VERBS[at % VERBS.length]}_${noun}`,
  arguments: ['query', 'limit', 'format', FOURTH[at % FOURTH.length] ?? 'owner'],
  failing: FAILING[at % FAILING.length] ?? 20,
  slow: SLOW[at % SLOW.length] ?? 10,
});

const toServer = (name: string, weight: number): SyntheticServer => ({
  name,
  weight,
  versions: ['1.0.0', '1.1.0', '1.2.0'],
  tools: NOUNS.map((noun, at) => toTool(`${name}_${noun}`, at)),
  unused: [toTool(`${name}_archive`, 8), toTool(`${name}_template`, 9)],
  removed: toTool(`${name}_draft`, 10),
  asked: `find_${name}`,
});

/** Half of all sessions are of the first. */
export const SYNTHETIC_SERVERS: readonly SyntheticServer[] = [
  toServer('wiki', 10),
  toServer('crm', 4),
  toServer('git', 3),
  toServer('mail', 2),
  toServer('billing', 1),
];

/** As a listing says it; every version reads a little differently for some tools. */
export function createDefinition(tool: SyntheticTool, version: number): object {
  const isChanged = tool.name.length % 3 === version % 3;
  return {
    name: tool.name,
    description: `${tool.name.replaceAll('_', ' ')} in the workspace.${isChanged ? ` Since version ${version} newest first.` : ''}`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for.' },
        limit: { type: 'integer', ...(version > 0 && isChanged ? { maximum: 100 } : {}) },
        format: { type: 'string' },
        [tool.arguments[3] ?? 'owner']: { type: 'string' },
      },
      required: ['query'],
    },
  };
}
