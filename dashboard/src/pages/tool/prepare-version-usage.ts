// Which versions of a contract are in use; two can be, as in a rolling deploy or in two installations.
import type { ToolVersion } from '../../../../src/contract/tool.ts';
import { formatRate } from '../../format/format-number.ts';

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
export function prepareVersionUsage(
  version: ListedVersion,
  versions: readonly ListedVersion[],
): VersionUsage {
  if (version.isCurrent) return { label: 'current', showsLastSeen: isNoLongerListed(version, versions) };
  if (!version.isInUse) return { label: '', showsLastSeen: true };
  const used = versions.filter(({ isInUse }) => isInUse);
  const calls = used.reduce((sum, one) => sum + one.calls, 0);
  const name = versions.find(({ isCurrent }) => isCurrent)?.serverVersions.at(-1) ?? 'the current one';
  const share = calls === 0 ? '' : `: ${formatRate(version.calls / calls)} of calls`;
  return { label: `in use beside ${name}${share}`, showsLastSeen: true };
}

/** Another version has been listed since and this one has not: it may have been rolled back. */
function isNoLongerListed({ lastSeenAt }: ListedVersion, versions: readonly ListedVersion[]): boolean {
  const newestMs = Math.max(...versions.map((one) => Date.parse(one.lastSeenAt)));
  return newestMs - Date.parse(lastSeenAt) > MIN_UNLISTED_MS;
}
