// The newest calls of a tool as they come, and the way to all of them.
import { Link, useLocation } from 'wouter';
import { useCallsTail } from '../../api/calls-tail.ts';
import { keyOfCall } from '../../api/prepare-tail.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { Shell } from '../../components/shell.tsx';
import { toCalls } from '../../paths.ts';
import { toCallColumns } from '../calls-columns.tsx';
import { toOwnView } from './to-own-view.ts';
import type { ToolPartProps } from './tool-page.tsx';

const MOST = 8;
/** Said at the head of the page already. */
const KNOWN: readonly string[] = ['server'];

export function LatestCallsPanel({ answer, view }: ToolPartProps) {
  const own = toOwnView(view, answer);
  const { asked, tail } = useCallsTail({ view: own, state: { counted: 'true' } }, { isHeld: false });
  const [, navigate] = useLocation();
  const columns = toCallColumns({
    view: own,
    opened: undefined,
    open: (call) => navigate(toCalls(own, { call: keyOfCall(call) })),
  }).filter(({ id }) => !KNOWN.includes(id));
  return (
    <Panel
      title="Its latest calls"
      note="as they come"
      actions={
        <Link className="link" href={toCalls(own)}>
          All calls <Icon name="right" />
        </Link>
      }
    >
      <Shell
        asked={asked}
        rows={4}
        empty={({ calls }) => (calls.length > 0 ? undefined : 'None in this range.')}
      >
        {() => (
          <DataTable
            label="Its latest calls"
            columns={columns}
            rows={(tail?.rows ?? []).slice(0, MOST)}
            keyOf={keyOfCall}
          />
        )}
      </Shell>
    </Panel>
  );
}
