// How the timeline is laid out, and whether requests that are no tool calls are in it. Both stand in the address.
import { Link } from 'wouter';
import { formatPlural } from '../../format/format-number.ts';
import { type SessionState, sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

interface SwitchesProps {
  readonly view: View;
  readonly state: SessionState;
  /** Requests that are no tool calls; 0 offers no switch. */
  readonly others: number;
}

export function SessionSwitches({ view, state, others }: SwitchesProps) {
  const to = (change: Partial<SessionState>): string => sessionPath(view, { ...state, ...change });
  return (
    <>
      <nav className="segments" aria-label="How calls are spaced">
        <Link href={to({ spacing: undefined })} aria-current={state.spacing ? undefined : 'true'} replace>
          Evenly
        </Link>
        <Link href={to({ spacing: 'time' })} aria-current={state.spacing ? 'true' : undefined} replace>
          In real time
        </Link>
      </nav>
      {others > 0 ? (
        <Link className="button" href={to({ others: state.others ? undefined : 'true' })} replace>
          {state.others ? 'Hide' : 'Show'} {formatPlural(others, 'other request')}
        </Link>
      ) : null}
    </>
  );
}
