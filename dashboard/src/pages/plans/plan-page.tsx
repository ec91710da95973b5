// The page of one plan: a sentence, its steps in order with what like plans do besides, its loops, sessions and
// calls. Shows the complete plan, independent of the range.
import { Link } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { PlanResponse } from '../../../../src/contract/plans.ts';
import { usePagedResource } from '../../api/queries.ts';
import { Fact } from '../../components/fact.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Ago, Count, Id } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { loopsPath, plansPath, readPlanId } from '../../paths.ts';
import { useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { describePlan } from './describe-plan.ts';
import { PlanCallsTable, PlanSessionsTable } from './plan-calls.tsx';
import { PlanEndingBadge } from './plan-ending-badge.tsx';
import { PlanStepsPanel } from './plan-steps-panel.tsx';

const CALLS_PER_PAGE = '200';

export function PlanPage() {
  const view = useView();
  const id = readPlanId(usePathname());
  const result = usePagedResource('plan', { id, limit: CALLS_PER_PAGE });
  return (
    <div className="page plan">
      <Link href={plansPath(view)} className="back">
        All plans
      </Link>
      <QueryBoundary result={result} skeletonRows={8} empty={() => undefined}>
        {({ pages }) => {
          const [first] = pages;
          const calls = pages.flatMap((page) => page.calls);
          if (!first) return null;
          return (
            <>
              <PlanContent response={first} calls={calls} view={view} />
              <MoreButton
                countText={`${formatCount(calls.length)} of ${formatPlural(first.plan.calls, 'call')}`}
                hasMore={result.hasNextPage}
                isLoading={result.isFetchingNextPage}
                onMore={result.fetchNextPage}
              />
            </>
          );
        }}
      </QueryBoundary>
    </div>
  );
}

interface PlanContentProps {
  readonly response: PlanResponse;
  readonly calls: readonly CallRow[];
  readonly view: View;
}

function PlanContent({ response, calls, view }: PlanContentProps) {
  const { plan, sessions, loops } = response;
  return (
    <>
      <h1>{describePlan(plan)}</h1>
      <PlanFacts response={response} />
      <PlanStepsPanel response={response} view={view} />
      {loops.length > 0 ? <PlanLoopsPanel loops={loops} view={view} /> : null}
      {sessions.length > 0 ? (
        <Panel
          title="Sessions"
          note="All calls with this plan id, in whatever session and on whatever server."
        >
          <PlanSessionsTable sessions={sessions} view={view} />
        </Panel>
      ) : null}
      <Panel title="Calls" note="In order, oldest first.">
        <PlanCallsTable calls={calls} view={view} />
      </Panel>
    </>
  );
}

function PlanFacts({ response: { plan } }: { readonly response: PlanResponse }) {
  return (
    <dl className="facts">
      <Fact name="Plan">
        <Id id={plan.planId} what="plan id" length={22} />
      </Fact>
      <Fact name="Servers">{plan.servers.join(', ')}</Fact>
      <Fact name="Clients">{plan.clients.join(', ') || 'unknown'}</Fact>
      <Fact name="Started">
        <Ago at={plan.startedAt} />
      </Fact>
      <Fact name="Duration">{formatDuration(Date.parse(plan.endedAt) - Date.parse(plan.startedAt))}</Fact>
      <Fact name="Errors">
        <Count value={plan.errors} /> of {formatPlural(plan.calls, 'call')}
      </Fact>
      <Fact
        name="Repeated"
        title="Calls of a tool with exactly the arguments of an earlier call of it in the plan"
      >
        {formatPlural(plan.repeatedCalls, 'call')}
      </Fact>
      <Fact name="Ended">
        <PlanEndingBadge plan={plan} />
      </Fact>
    </dl>
  );
}

function PlanLoopsPanel({ loops, view }: Pick<PlanResponse, 'loops'> & { readonly view: View }) {
  return (
    <Panel title="Loops">
      <ul className="notes">
        {loops.map(({ id, sentence }) => (
          <li key={id}>
            <Link href={loopsPath(view, { loop: id })}>{sentence}</Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
