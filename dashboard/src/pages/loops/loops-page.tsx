import { useLocation } from 'wouter';
import type { LoopRow } from '../../../../src/contract/loops.ts';
import { toQueryParams, usePagedResource, useStorms } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SegmentedLinks } from '../../components/segmented-control.tsx';
import { formatCount } from '../../format/format-number.ts';
import { LOOPS_PARAMETERS, type LoopsState, loopsPath } from '../../paths.ts';
import { describeFilter } from '../../view/filter-entries.ts';
import { useRangeText } from '../../view/use-range-text.ts';
import { usePageState, useView } from '../../view/use-view.ts';
import { activeFilters, type View } from '../../view/view.ts';
import { describeLoops } from './describe-loops.ts';
import { LoopCard } from './loop-card.tsx';
import { PossibleLoopsPanel } from './possible-loops-panel.tsx';
import { StormsPanel } from './storms-panel.tsx';
import { ThresholdProposalPanel } from './threshold-proposal-panel.tsx';

export function LoopsPage() {
  const view = useView();
  const state = usePageState(LOOPS_PARAMETERS);
  const result = usePagedResource('loops', {
    ...toQueryParams(view),
    state: state.state,
    severity: state.severity,
    alone: 'true',
  });
  const storms = useStorms(view, state);
  const [, navigate] = useLocation();
  const range = useRangeText(view);
  const toggle =
    (kind: 'loop' | 'storm') =>
    (id: string): void =>
      navigate(loopsPath(view, { ...state, [kind]: id === state[kind] ? undefined : id }), { replace: true });
  const cards = { view, state, toggle: toggle('loop') };
  return (
    <div className="page loops">
      <div className="toolbar">
        <LoopFilters view={view} state={state} />
      </div>
      <StormsPanel view={view} state={state} toggle={toggle('storm')} />
      <QueryBoundary
        result={result}
        skeletonRows={8}
        empty={({ pages }) =>
          (pages[0]?.total ?? 0) > 0 ? undefined : (
            <NoLoops view={view} state={state} range={range} storms={storms.data?.total ?? 0} />
          )
        }
      >
        {({ pages }) => {
          const [first] = pages;
          const loops = pages.flatMap((page) => page.loops);
          return (
            <>
              <h1>{first ? describeLoops(first, { range, withNotes: state.severity === 'note' }) : null}</h1>
              <LoopCards title="Active" loops={loops.filter(isActive)} {...cards} />
              {state.severity === 'note' ? null : <PossibleLoopsPanel view={view} />}
              <LoopCards title="Ended" loops={loops.filter((loop) => !isActive(loop))} {...cards} />
              <MoreButton
                countText={`${formatCount(loops.length)} of ${formatCount(first?.total ?? loops.length)}`}
                hasMore={result.hasNextPage}
                isLoading={result.isFetchingNextPage}
                onMore={result.fetchNextPage}
              />
            </>
          );
        }}
      </QueryBoundary>
      <ThresholdProposalPanel view={view} />
    </div>
  );
}

const isActive = ({ state }: LoopRow): boolean => state === 'active';

interface LoopCardsProps extends LoopsStateProps {
  readonly title: string;
  readonly loops: readonly LoopRow[];
  readonly toggle: (id: string) => void;
}

function LoopCards({ title, loops, view, state, toggle }: LoopCardsProps) {
  if (loops.length === 0) return null;
  return (
    <Panel title={title}>
      <ul className="loop-cards" aria-label={`Loops: ${title.toLowerCase()}`}>
        {loops.map((loop) => (
          <LoopCard
            key={loop.id}
            loop={loop}
            view={view}
            isOpen={loop.id === state.loop}
            onToggle={() => toggle(loop.id)}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface LoopsStateProps {
  readonly view: View;
  readonly state: LoopsState;
}

interface NoLoopsProps extends LoopsStateProps {
  readonly range: string;
  readonly storms: number;
}

function NoLoops({ view, state, range, storms }: NoLoopsProps) {
  const filters = activeFilters(view).map(([name, value]) => ` with ${describeFilter(name, value)}`);
  const exceptStorms = storms > 0 ? ' apart from the storms above' : '';
  const what = state.state === 'active' ? `No active loops${exceptStorms}` : `No loops${exceptStorms}`;
  return (
    <EmptyState view={view}>
      <h1 className="quiet-heading">
        {what}
        {filters.join(' and')}
        {state.state === 'active' ? '' : ` ${range}`}.
      </h1>
      <p>
        A loop is a call, a cycle of calls or a failure that repeats without new results. Paging, polling with
        progress and retries that end are not loops.
      </p>
    </EmptyState>
  );
}

function LoopFilters({ view, state }: LoopsStateProps) {
  const toLink = (text: string, own: LoopsState, isCurrent: boolean) => ({
    text,
    path: loopsPath(view, { ...state, ...own }),
    isCurrent,
  });
  return (
    <>
      <SegmentedLinks
        label="Which loops"
        links={[
          toLink('All', { state: undefined }, state.state === undefined),
          toLink('Active', { state: 'active' }, state.state === 'active'),
        ]}
      />
      <SegmentedLinks
        label="Confidence"
        links={[
          toLink('Suspected or confirmed', { severity: undefined }, state.severity === undefined),
          toLink('Include low confidence', { severity: 'note' }, state.severity === 'note'),
        ]}
      />
    </>
  );
}
