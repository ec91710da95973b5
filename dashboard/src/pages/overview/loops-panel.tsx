// Loops of the range on the overview, active ones first; hidden when there are none.

import { Link } from 'wouter';
import type { LoopRow } from '../../../../src/contract/loops.ts';
import type { StormRow } from '../../../../src/contract/storms.ts';
import { toQueryParams, useResource, useStorms } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { DeferredPanel } from '../../components/deferred-panel.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoopBadge } from '../../components/loop-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { countColumn, nameColumn, serverColumn } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { loopsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { sortActiveFirst } from '../loops/describe-loops.ts';

const MAX_ROWS = 5;

export function LoopsPanel({ view }: { readonly view: View }) {
  const result = useResource('loops', { ...toQueryParams(view), alone: 'true' });
  const storms = useStorms(view, {}).data?.storms ?? [];
  const { data } = result;
  if (!data) return <DeferredPanel result={result} title="Agent loops" />;
  if (data.total === 0 && storms.length === 0) return null;
  const { active, total, wastedCalls } = data;
  const shown = sortActiveFirst(data.loops).slice(0, MAX_ROWS);
  return (
    <Panel
      title="Agent loops"
      note={`${active === 0 ? 'none' : active} active, ${formatPlural(wastedCalls, 'call')} wasted`}
    >
      <StormList view={view} storms={storms} />
      {shown.length > 0 ? (
        <DataTable label="Agent loops" columns={toColumns(view)} rows={shown} keyOf={({ id }) => id} />
      ) : null}
      {total > shown.length ? (
        <p className="more">
          <Link href={loopsPath(view)}>All {total} loops</Link>
        </p>
      ) : null}
    </Panel>
  );
}

interface StormListProps {
  readonly view: View;
  readonly storms: readonly StormRow[];
}

function StormList({ view, storms }: StormListProps) {
  if (storms.length === 0) return null;
  return (
    <ul className="storm-lines" aria-label="Storms">
      {storms.slice(0, MAX_ROWS).map(({ id, sentence }) => (
        <li key={id}>
          <Icon name="server" /> <Link href={loopsPath(view, { storm: id })}>{sentence}</Link>
        </li>
      ))}
    </ul>
  );
}

function toColumns(view: View): Column<LoopRow>[] {
  return [
    { id: 'kind', header: 'Kind', cell: (loop) => <LoopBadge loop={loop} /> },
    {
      id: 'what',
      header: 'Tools',
      cell: ({ id, tools, sentence }) => (
        <Link href={loopsPath(view, { loop: id })} title={sentence} className="list">
          {tools.join(', ')}
        </Link>
      ),
    },
    serverColumn({ priority: 3 }),
    nameColumn(['client', 'Client'], ({ client }) => client, { priority: 3 }),
    countColumn(['repeats', 'Repetitions'], ({ repeats }) => repeats, { priority: 2 }),
    countColumn(['wasted', 'Wasted calls'], ({ wastedCalls }) => wastedCalls, {
      title: 'Calls that brought nothing new',
    }),
    {
      id: 'last',
      header: 'Last call',
      align: 'end',
      priority: 2,
      cell: ({ state, lastAt }) => (
        <span className={`loop-state ${state}`}>
          {state === 'active' ? <i className="pulse" aria-hidden="true" /> : null}
          <Ago at={lastAt} />
        </span>
      ),
    },
  ];
}
