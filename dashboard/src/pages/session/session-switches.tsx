// Switches for the timeline's layout, and for requests other than tool calls. Both are stored in the URL.
import { Link } from 'wouter';
import { SegmentedLinks } from '../../components/segmented-control.tsx';
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
      <SegmentedLinks
        label="How calls are spaced"
        replace
        links={[
          { text: 'Evenly', path: to({ spacing: undefined }), isCurrent: !state.spacing },
          { text: 'In real time', path: to({ spacing: 'time' }), isCurrent: state.spacing === 'time' },
        ]}
      />
      {others > 0 ? (
        <Link className="button" href={to({ others: state.others ? undefined : 'true' })} replace>
          {state.others ? 'Hide' : 'Show'} {formatPlural(others, 'other request')}
        </Link>
      ) : null}
    </>
  );
}
