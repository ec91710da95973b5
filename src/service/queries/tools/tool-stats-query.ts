// Which tools' stats are read, and over which range.
import type { TimeRange } from '../../../contract/time-range.ts';
import type { CommonFilters } from '../query/filters.ts';

export interface ToolStatsQuery {
  readonly range: TimeRange;
  /** With server and tool. */
  readonly filters: CommonFilters & { readonly server: string; readonly tool: string };
}
