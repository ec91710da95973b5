// The plans page: one plan id per row, with the counts of the whole plan and how it ended.
import { Link } from 'wouter';
import type { PlanRow } from '../../../../src/contract/plans.ts';
import { toQueryParams, usePagedResource } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState, useViewDescription } from '../../components/empty-state.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn, countColumn, durationColumn, nameColumn } from '../../components/table-columns.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { planPath, sessionsPath } from '../../paths.ts';
import { useRangeText } from '../../view/use-range-text.ts';
import { useView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { PlanEndingBadge } from './plan-ending-badge.tsx';

export function PlansPage() {
  const view = useView();
  const range = useRangeText(view);
  const result = usePagedResource('plans', toQueryParams(view));
  return (
    <div className="page plans">
      <Link href={sessionsPath(view)} className="back">
        All sessions
      </Link>
      <QueryBoundary
        result={result}
        skeletonRows={10}
        empty={({ pages }) => ((pages[0]?.plans.length ?? 0) > 0 ? undefined : <NoPlans view={view} />)}
      >
        {({ pages }) => {
          const plans = pages.flatMap((page) => page.plans);
          const total = pages[0]?.total ?? plans.length;
          return (
            <>
              <h1>
                {formatPlural(total, 'plan')} {range}.
              </h1>
              <DataTable
                label="Plans"
                columns={toPlanColumns(view)}
                rows={plans}
                keyOf={({ planId }) => planId}
              />
              <MoreButton
                countText={`${formatCount(plans.length)} of ${formatCount(total)}`}
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

function NoPlans({ view }: { readonly view: View }) {
  const viewDescription = useViewDescription(view);
  return (
    <EmptyState view={view}>
      <h1 className="quiet-heading">No call carries a plan id{viewDescription}.</h1>
      <p className="muted">
        A plan is all calls with one plan id: what <code>planId</code> of <code>observe()</code> returns, or{' '}
        <code>planId</code>, <code>plan_id</code> or <code>runId</code> in the <code>_meta</code> of a
        request.
      </p>
    </EmptyState>
  );
}

function toPlanColumns(view: View): Column<PlanRow>[] {
  return [
    {
      id: 'plan',
      header: 'Plan',
      cell: ({ planId }) => (
        <span className="id">
          <Link href={planPath(view, planId)} title={planId}>
            <code>{truncateMiddle(planId)}</code>
          </Link>
          <CopyButton text={planId} what="plan id" />
        </span>
      ),
    },
    agoColumn(['last', 'Last call'], ({ endedAt }) => endedAt, { priority: 2 }),
    nameColumn(['servers', 'Servers'], ({ servers }) => servers.join(', '), { priority: 3 }),
    nameColumn(['clients', 'Clients'], ({ clients }) => clients.join(', '), { priority: 4 }),
    countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions, { priority: 4 }),
    countColumn(['steps', 'Tools'], ({ steps }) => steps, { priority: 3, title: 'Different tools' }),
    countColumn(['calls', 'Calls'], ({ calls }) => calls),
    countColumn(['errors', 'Errors'], ({ errors }) => errors, { priority: 2 }),
    countColumn(['repeated', 'Repeated'], ({ repeatedCalls }) => repeatedCalls, {
      priority: 3,
      title: 'Calls of a tool with exactly the arguments of an earlier call of it',
    }),
    durationColumn(
      ['duration', 'Duration'],
      ({ startedAt, endedAt }) => Date.parse(endedAt) - Date.parse(startedAt),
      { priority: 4 },
    ),
    { id: 'ending', header: 'Ended', cell: (plan) => <PlanEndingBadge plan={plan} /> },
  ];
}
