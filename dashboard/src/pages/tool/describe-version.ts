// Describes a version of a schema: whether it helped, by its error rate compared with that of the previous version,
// and whether it is in use; two can be, as in a rolling deploy or in two installations.
import type { ToolVersion } from '../../../../src/contract/tool.ts';
import { MIN_RELIABLE_CALLS } from '../../charts/prepared-chart.ts';
import { formatRate } from '../../format/format-number.ts';

export interface VersionOutcome {
  readonly tone: 'better' | 'worse' | 'neutral';
  readonly sentence: string;
}

type VersionStats = Pick<ToolVersion, 'errorRate'>;

/** Undefined if one of the two versions has no calls. Overlapping intervals are reported as inconclusive. */
export function describeVersionOutcome(
  { errorRate: now }: VersionStats,
  before: VersionStats | undefined,
): VersionOutcome | undefined {
  const was = before?.errorRate;
  if (!was || now.value === null || was.value === null) return undefined;
  const rates = `${formatRate(was.value)} of calls failed before, ${formatRate(now.value)} since`;
  if (Math.min(now.n, was.n) < MIN_RELIABLE_CALLS)
    return { tone: 'neutral', sentence: `${rates}: too few calls to tell.` };
  const isApart = (now.low ?? 0) > (was.high ?? 1) || (now.high ?? 1) < (was.low ?? 0);
  if (!isApart) return { tone: 'neutral', sentence: `${rates}: within chance.` };
  const isWorse = now.value > was.value;
  return { tone: isWorse ? 'worse' : 'better', sentence: `${isWorse ? 'Worse' : 'Better'}: ${rates}.` };
}

/**
 * How much newer another version's last listing must be for the current version's last listing to be shown.
 */
const MIN_UNLISTED_MS = 2 * 3_600_000;

export interface VersionUsage {
  /** The badge's label; empty when the version is not in use. */
  readonly label: string;
  /** Whether to show when it was last listed. */
  readonly showsLastSeen: boolean;
}

type ListedVersion = Pick<ToolVersion, 'isCurrent' | 'isInUse' | 'serverVersions' | 'calls' | 'lastSeenAt'>;

/** @param versions all versions of the tool, newest first */
export function describeVersionUsage(
  version: ListedVersion,
  versions: readonly ListedVersion[],
): VersionUsage {
  if (version.isCurrent) return { label: 'current', showsLastSeen: isNoLongerListed(version, versions) };
  if (!version.isInUse) return { label: '', showsLastSeen: true };
  const used = versions.filter(({ isInUse }) => isInUse);
  const calls = used.reduce((sum, one) => sum + one.calls, 0);
  const name = versions.find(({ isCurrent }) => isCurrent)?.serverVersions.at(-1) ?? 'the current version';
  const share = calls === 0 ? '' : `: ${formatRate(version.calls / calls)} of calls`;
  return { label: `in use alongside ${name}${share}`, showsLastSeen: true };
}

/** Another version has been listed since and this one has not: it may have been rolled back. */
function isNoLongerListed({ lastSeenAt }: ListedVersion, versions: readonly ListedVersion[]): boolean {
  const newestMs = Math.max(...versions.map((one) => Date.parse(one.lastSeenAt)));
  return newestMs - Date.parse(lastSeenAt) > MIN_UNLISTED_MS;
}
