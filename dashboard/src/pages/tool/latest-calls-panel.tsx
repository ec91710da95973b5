// The newest calls of a tool with live updates, and a link to all of them.
import { Link, useLocation } from 'wouter';
import { useCallsTail } from '../../api/calls-tail.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countedCallsPath } from '../../paths.ts';
import { toCallKey } from '../../view/call-key.ts';
import { toToolView } from '../../view/tool-ref.ts';
import { DEFAULT_CALL_COLUMNS, toCallColumns } from '../calls/call-columns.tsx';
import type { ToolPanelProps } from './tool-panel-props.ts';

const MAX_ROWS = 8;
/** The page header shows the server already. */
const SHOWN_COLUMNS = DEFAULT_CALL_COLUMNS.filter((id) => id !== 'server');

export function LatestCallsPanel({ response, view }: ToolPanelProps) {
  const own = toToolView(view, response);
  const { result, tail } = useCallsTail({ view: own, state: { counted: 'true' } }, { isPaused: false });
  const [, navigate] = useLocation();
  const columns = toCallColumns({
    view: own,
    state: {},
    onToggle: (call) => navigate(countedCallsPath(own, { call: toCallKey(call) })),
  }).filter(({ id }) => SHOWN_COLUMNS.includes(id));
  return (
    <Panel
      title="Recent calls"
      note="live"
      actions={
        <Link className="link" href={countedCallsPath(own)}>
          All calls <Icon name="right" />
        </Link>
      }
    >
      <QueryBoundary
        result={result}
        skeletonRows={4}
        empty={({ calls }) => (calls.length > 0 ? undefined : 'No calls in this range.')}
      >
        {() => (
          <DataTable
            label="Recent calls"
            columns={columns}
            rows={(tail?.rows ?? []).slice(0, MAX_ROWS)}
            keyOf={toCallKey}
          />
        )}
      </QueryBoundary>
    </Panel>
  );
}
