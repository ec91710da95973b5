// The loops page: a summary sentence, and each loop with its evidence.
import { Link, useLocation } from 'wouter';
import type { LoopRow } from '../../../../src/contract/loops.ts';
import { useLoops, useStorms } from '../../api/queries.ts';
import { EmptyState as WaysOut } from '../../components/empty-state.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatCount } from '../../format/format-number.ts';
import { formatRange } from '../../format/format-range.ts';
import { type LoopsState, loopsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';
import { useSearchParam, useSearchParamChoice, useView } from '../../view/use-view.ts';
import { activeFilters, type View } from '../../view/view.ts';
import { describeLoops } from './describe-loops.ts';
import { LoopCard } from './loop-card.tsx';
import { PossibleLoopsPanel } from './possible-loops-panel.tsx';
import { StormsPanel } from './storms-panel.tsx';

export function LoopsPage() {
  const view = useView();
  const state: LoopsState = {
    state: useSearchParamChoice('state', ['active']),
    severity: useSearchParamChoice('severity', ['note']),
    loop: useSearchParam('loop'),
    storm: useSearchParam('storm'),
  };
  const result = useLoops(view, state);
  const storms = useStorms(view, state);
  const [, navigate] = useLocation();
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  const toggle = (id: string): void =>
    navigate(loopsPath(view, { ...state, loop: id === state.loop ? undefined : id }), { replace: true });
  return (
    <div className="page loops">
      <div className="toolbar">
        <LoopFilters view={view} state={state} />
      </div>
      <StormsPanel
        view={view}
        state={state}
        toggle={(id) =>
          navigate(loopsPath(view, { ...state, storm: id === state.storm ? undefined : id }), {
            replace: true,
          })
        }
      />
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
              <LoopCards title="Going on" loops={loops.filter(isActive)} {...{ view, state, toggle }} />
              {state.severity === 'note' ? null : <PossibleLoopsPanel view={view} />}
              <LoopCards
                title="Over"
                loops={loops.filter((loop) => !isActive(loop))}
                {...{ view, state, toggle }}
              />
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
  const filters = activeFilters(view).map(([name, value]) => ` with ${name} ${value}`);
  const exceptStorms = storms > 0 ? ' beside the storms above' : '';
  const what =
    state.state === 'active' ? `No loop goes on now${exceptStorms}` : `No agent looped${exceptStorms}`;
  return (
    <WaysOut view={view}>
      <h1 className="quiet-heading">
        {what}
        {filters.join(' and')}
        {state.state === 'active' ? '' : ` ${range}`}.
      </h1>
      <p>
        Looked for: the same call, cycle or failure again and again with nothing new in the answers. Paging,
        polling with progress and retries that end are not loops.
      </p>
    </WaysOut>
  );
}

function LoopFilters({ view, state }: LoopsStateProps) {
  const chip = (name: string, own: LoopsState, isCurrent: boolean) => (
    <Link
      key={name}
      href={loopsPath(view, { ...state, ...own })}
      aria-current={isCurrent ? 'true' : undefined}
    >
      {name}
    </Link>
  );
  return (
    <>
      <nav className="segments" aria-label="Which loops">
        {chip('All', { state: undefined }, state.state === undefined)}
        {chip('Looping now', { state: 'active' }, state.state === 'active')}
      </nav>
      <nav className="segments" aria-label="How sure">
        {chip('Suspected or confirmed', { severity: undefined }, state.severity === undefined)}
        {chip('Notes too', { severity: 'note' }, state.severity === 'note')}
      </nav>
    </>
  );
}
