// How a plan ended: an icon with a label.
import type { PlanRow } from '../../../../src/contract/plans.ts';
import { Icon } from '../../components/icon.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { describeEnding } from './describe-plan.ts';

export function PlanEndingBadge({ plan }: { readonly plan: PlanRow }) {
  return (
    <span className="outcome" title={describeEnding(plan)}>
      <EndingContent plan={plan} />
    </span>
  );
}

function EndingContent({ plan: { ending, lastFault, lastOutcome } }: { readonly plan: PlanRow }) {
  switch (ending) {
    case 'loop':
      return (
        <>
          <span className="in-loop">
            <Icon name="loop" />
          </span>
          <span>loop</span>
        </>
      );
    case 'error':
      return (
        <>
          <FaultIcon fault={lastFault} />
          <span>abandoned after an error</span>
        </>
      );
    case 'active':
      return <span className="muted">active</span>;
    case 'ok':
    case 'other':
      return <span className="muted">{formatOutcome(lastOutcome)}</span>;
  }
}
