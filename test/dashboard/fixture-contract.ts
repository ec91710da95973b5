// What the definitions of the fixture promise: one promise kept, one broken, one never tested.

import { ContractTruthResponse } from '../../src/contract/contract-truth.ts';
import type { FilterValue } from '../../src/contract/filter-value.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';

export function toContractTruth({
  range,
  server,
  tool,
}: {
  readonly range: TimeRange;
  readonly server: string;
  readonly tool?: FilterValue | undefined;
}): ContractTruthResponse {
  const call = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sessionId: 'session-1' },
    startedAt: new Date(range.toMs - 60_000).toISOString(),
  };
  const own = { score: 0.9, promises: 3, tested: 2, broken: 1 };
  const records = [
    { kind: 'read_only', argument: '', kept: 41, broken: 0, calls: [] },
    { kind: 'enum', argument: 'filter', kept: 12, broken: 3, calls: [call] },
    { kind: 'error_codes', argument: '', kept: 0, broken: 0, calls: [] },
  ];
  const isKnown = server === 'github' && tool === 'search_issues';
  return ContractTruthResponse.parse({
    range,
    ...own,
    sequence: { calls: 1_204, isWhole: true },
    tools: isKnown ? [{ tool, ...own, records }] : [],
  });
}
