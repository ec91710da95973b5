// Which calls: the page's own filters, and how many calls they leave. Each stands in the address; those of the bar on top
// apply as on every page.
import { useLocation } from 'wouter';
import { useCallValues } from '../api/calls-tail.ts';
import { Icon } from '../components/icon.tsx';
import { shortenMiddle } from '../format/format-id.ts';
import { formatExactCount } from '../format/format-number.ts';
import { CALLS_FILTERS, type CallsFilter, type CallsState, callsPath, isAsked } from '../paths.ts';
import { FILTERS, type Filter, type View, withFilter } from '../view/view.ts';
import { CallsExport } from './calls-export.tsx';
import { type ColumnFilter, FILTER_COLUMNS, FilterMenu } from './calls-filter-menu.tsx';
import { ErrorPatterns } from './error-patterns.tsx';

interface CallFiltersProps {
  readonly view: View;
  readonly state: CallsState;
}

export function CallFilters({ view, state }: CallFiltersProps) {
  const [, navigate] = useLocation();
  const { data } = useCallValues(view, state);
  const set = (change: CallsState): void => navigate(callsPath(view, { ...state, ...change }));
  return (
    <div className="toolbar">
      <Segments state={state} set={set} />
      <FilterMenu
        answer={data}
        currentOf={(name) => (isOfView(name) ? view[name] : state[name])}
        onSet={(name, value) =>
          isOfView(name)
            ? navigate(callsPath(withFilter(view, [name, value]), state))
            : set({ [name]: value })
        }
      />
      <ErrorPatterns answer={data} view={view} state={state} />
      {chipsOf(state).map(({ name, words, value }) => (
        <button
          key={name}
          type="button"
          className="button chip"
          onClick={() => set({ [name]: undefined })}
          aria-label={`Remove filter ${words} ${value || 'none'}`}
        >
          {words} <code title={value}>{name === 'session' ? shortenMiddle(value) : value || 'none'}</code>{' '}
          <Icon name="close" />
        </button>
      ))}
      <output className="calls-total muted">
        {data
          ? `${formatExactCount(data.total)} ${state.counted ? 'tool call' : 'request'}${data.total === 1 ? '' : 's'}`
          : ''}
      </output>
      <CallsExport view={view} state={state} />
    </div>
  );
}

function isOfView(name: ColumnFilter): name is Filter {
  return FILTERS.some((filter) => filter === name);
}

/** What each filter that has no control of its own says. */
function chipsOf(state: CallsState): { name: CallsFilter; words: string; value: string }[] {
  return CALLS_FILTERS.flatMap((name) => {
    const value = state[name];
    const words = FILTER_COLUMNS.find((column) => column.name === name)?.words;
    return words && isAsked(name, value) ? [{ name, words, value }] : [];
  });
}

interface SegmentsProps {
  readonly state: CallsState;
  readonly set: (change: CallsState) => void;
}

function Segments({ state: { counted, errors }, set }: SegmentsProps) {
  return (
    <>
      <fieldset className="segments">
        <legend className="visually-hidden">Which calls</legend>
        <button type="button" aria-pressed={!counted} onClick={() => set({ counted: undefined })}>
          Every request
        </button>
        <button
          type="button"
          aria-pressed={counted === 'true'}
          title="What every figure counts: tool calls that were answered for good"
          onClick={() => set({ counted: 'true' })}
        >
          Tool calls
        </button>
      </fieldset>
      <fieldset className="segments">
        <legend className="visually-hidden">How they ended</legend>
        <button type="button" aria-pressed={!errors} onClick={() => set({ errors: undefined })}>
          All
        </button>
        <button type="button" aria-pressed={errors === 'true'} onClick={() => set({ errors: 'true' })}>
          Errors only
        </button>
        {errors === 'false' ? (
          <button type="button" aria-pressed="true" onClick={() => set({ errors: undefined })}>
            Without errors
          </button>
        ) : null}
      </fieldset>
    </>
  );
}
