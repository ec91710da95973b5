// What each panel of the tool page receives.

import type { ToolResponse } from '../../../../src/contract/tool.ts';
import type { toQueryParams } from '../../api/queries.ts';
import type { View } from '../../view/view.ts';

export interface ToolPanelProps {
  readonly response: ToolResponse;
  readonly view: View;
}

/** The query of the charts: the filters of the page, and its tool. */
export type ToolSeriesQuery = Omit<ReturnType<typeof toQueryParams>, 'tool' | 'server'> & {
  readonly id: string;
  readonly server: string;
};
