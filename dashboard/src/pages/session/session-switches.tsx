// Switches for the timeline's layout, and for requests other than tool calls. Both are stored in the URL.
import { Link } from 'wouter';
import { formatPlural } from '../../format/format-number.ts';
import { type SessionState, sessionPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

interface SwitchesProps {
  readonly view: View;
  readonly state: SessionState;
  /** Number of requests other than tool calls; 0 hides the switch. */
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
