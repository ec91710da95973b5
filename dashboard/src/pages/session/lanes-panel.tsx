// The calls of a session as a strip of lanes, or as a table view.
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { SessionRow } from '../../../../src/contract/sessions.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { useZone } from '../../view/preferences.ts';
import { LanesChart } from './lanes-chart.tsx';
import { toLanesTable } from './lanes-table.tsx';

interface LanesPanelProps {
  /** The calls to show, in order. */
  readonly calls: readonly CallRow[];
  readonly session: SessionRow;
  readonly spacing: 'time' | undefined;
}

export function LanesPanel({ calls, session, spacing }: LanesPanelProps) {
  const zone = useZone();
  return (
    <ChartPanel
      id="run"
      title="The run, a lane per tool"
      of={{ server: session.server, session: session.sessionId }}
      table={toLanesTable(calls, zone)}
    >
      <LanesChart calls={calls} spacing={spacing} />
    </ChartPanel>
  );
}
