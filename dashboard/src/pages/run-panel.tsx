// The run of a session as one strip, or as its calls in figures.
import type { CallRow, SessionRow } from '../../../src/contract/answers.ts';
import { DrawnPanel } from '../components/drawn-panel.tsx';
import { useZone } from '../view/preferences.ts';
import { RunStrip } from './run-strip.tsx';
import { toRunTable } from './run-table.tsx';

interface RunPanelProps {
  /** Those to be shown, in order. */
  readonly calls: readonly CallRow[];
  readonly session: SessionRow;
  readonly spacing: 'time' | undefined;
}

export function RunPanel({ calls, session, spacing }: RunPanelProps) {
  const zone = useZone();
  return (
    <DrawnPanel
      id="run"
      title="The run, a lane per tool"
      of={{ server: session.server, session: session.sessionId }}
      table={toRunTable(calls, zone)}
    >
      <RunStrip calls={calls} spacing={spacing} />
    </DrawnPanel>
  );
}
