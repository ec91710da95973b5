// What the service says of tools to retire: one for each verdict, as literals.
import { type FilterValue, passesFilter } from '../../src/contract/filter-value.ts';
import {
  RetirementResponse,
  type RetirementRow,
  RetirementsResponse,
  type RetirementVerdict,
} from '../../src/contract/retirements.ts';

const DAY = 86_400_000;

function createRows(nowMs: number): RetirementRow[] {
  const ago = (days: number) => new Date(nowMs - days * DAY).toISOString();
  const row = (tool: string, verdict: RetirementVerdict, quietDays: number): RetirementRow => ({
    ...{ server: 'github', tool, successor: `${tool}_v2`, reason: 'name', isListed: true },
    ...{ verdict, quietDays, requiredDays: 14, longestGapDays: 3, knownSince: ago(60) },
    ...{ lastCalledAt: ago(quietDays), serverSeenAt: ago(0), calls: 341, successorCalls: 1_208, callers: [] },
  });
  const callers = [
    { client: 'cursor', clientVersion: '1.2', calls: 9, lastCalledAt: ago(3) },
    { client: 'claude', clientVersion: '0.9', calls: 4, lastCalledAt: ago(5) },
  ];
  return [
    { ...row('list_issues', 'still_called', 3), callers },
    {
      ...row('archive', 'too_early', 6),
      ...{ successor: null, successorCalls: null, reason: 'description', lastCalledAt: null, calls: 0 },
    },
    { ...row('search_code', 'safe', 33), requiredDays: 32, longestGapDays: 31 },
  ];
}

/** @param server undefined means all */
export function toRetirements(server: FilterValue | undefined, nowMs: number): RetirementsResponse {
  const retirements = createRows(nowMs).filter((row) => passesFilter(server, row.server));
  return RetirementsResponse.parse({ minQuietDays: 14, retirements });
}

/** @returns undefined for another tool */
export function toRetirement(tool: string, nowMs: number): RetirementResponse | undefined {
  const retirement = createRows(nowMs).find((row) => row.tool === tool);
  if (!retirement) return undefined;
  const today = Math.floor(nowMs / DAY) * DAY;
  const caller = (name: string, client: string, days: readonly (readonly [number, number])[]) => ({
    ...{ tool: name, client, clientVersion: '1.2', errors: 1 },
    calls: days.reduce((sum, [, calls]) => sum + calls, 0),
    firstCalledAt: new Date(today - 20 * DAY).toISOString(),
    lastCalledAt: new Date(today - 3 * DAY).toISOString(),
    days: days.map(([daysAgo, calls]) => ({ atMs: today - daysAgo * DAY, calls })),
  });
  const callers = [
    caller(`${tool}_v2`, 'cursor', [
      [9, 40],
      [3, 55],
    ]),
    caller(tool, 'cursor', [
      [20, 31],
      [3, 9],
    ]),
  ];
  return RetirementResponse.parse({
    retirement,
    counted: { fromMs: today - 29 * DAY, toMs: today + DAY },
    callers: retirement.verdict === 'too_early' ? [] : callers,
  });
}
