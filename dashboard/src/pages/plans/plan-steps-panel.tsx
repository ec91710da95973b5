// The steps of a plan, with the steps that like plans make and this one did not.
import type { PlanResponse, PlanStep } from '../../../../src/contract/plans.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { countColumn, durationColumn, serverColumn, toolColumn } from '../../components/table-columns.tsx';
import { toolKey } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { describeComparison, describeMissingStep } from './describe-plan.ts';

interface PlanStepsPanelProps {
  readonly response: PlanResponse;
  readonly view: View;
}

export function PlanStepsPanel({ response: { steps, comparison }, view }: PlanStepsPanelProps) {
  return (
    <Panel title="Steps" note={describeComparison(comparison)}>
      <DataTable label="Steps" columns={toStepColumns(steps, view)} rows={steps} keyOf={toolKey} />
      {comparison.missing.length > 0 ? (
        <ul className="notes" aria-label="Missing steps">
          {comparison.missing.map((step) => (
            <li key={toolKey(step)}>
              <Icon name="question" /> {describeMissingStep(step)}
            </li>
          ))}
        </ul>
      ) : null}
    </Panel>
  );
}

function toStepColumns(steps: readonly PlanStep[], view: View): Column<PlanStep>[] {
  return [
    {
      id: 'number',
      header: '#',
      align: 'end',
      priority: 2,
      cell: (step) => <span className="muted">{steps.indexOf(step) + 1}</span>,
    },
    toolColumn(view),
    serverColumn({ priority: 3 }),
    countColumn(['calls', 'Calls'], ({ calls }) => calls),
    countColumn(['errors', 'Errors'], ({ errors }) => errors, { priority: 2 }),
    countColumn(['repeated', 'Repeated'], ({ repeatedCalls }) => repeatedCalls, {
      priority: 2,
      title: 'Calls with exactly the arguments of an earlier call of the step',
    }),
    durationColumn(['duration', 'Duration'], ({ durationMs }) => durationMs, {
      title: 'Of all calls of the step together',
      priority: 2,
    }),
    {
      id: 'outcome',
      header: 'Last outcome',
      cell: ({ lastFault, lastOutcome }) => (
        <span className="outcome">
          <FaultIcon fault={lastFault} />
          <span className={lastFault === 'none' ? 'muted' : undefined}>{formatOutcome(lastOutcome)}</span>
        </span>
      ),
    },
  ];
}
