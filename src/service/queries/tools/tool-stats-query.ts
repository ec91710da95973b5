// Which tools' stats are read, and over which range.
import type { TimeRange } from '../../../contract/time-range.ts';
import type { Filters } from '../query/filters.ts';

export interface ToolStatsQuery {
  readonly range: TimeRange;
  /** With server and tool. */
  readonly filters: Filters & { readonly server: string; readonly tool: string };
}
