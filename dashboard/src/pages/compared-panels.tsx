// The proof of what is said of two sessions: their facts beside each other, their calls by tool, and call by call.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { SessionAnswer, SessionRow } from '../../../src/contract/answers.ts';
import { DataTable } from '../components/data-table.tsx';
import { DrawnPanel } from '../components/drawn-panel.tsx';
import { Ago } from '../components/figures.tsx';
import { Panel } from '../components/panel.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { shortenMiddle } from '../format/format-id.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';
import { sessionPath } from '../paths.ts';
import type { View } from '../view/view.ts';
import { toStepsTable, toToolPairsTable } from './compared-tables.tsx';
import { formatParting, type Parting, prepareParting, prepareToolPairs } from './prepare-parting.ts';
import { isCounted } from './prepare-session-lines.ts';
import { SessionOutcomeMark } from './session-columns.tsx';

const SHOWN = 20;
const SHOWN_AFTER = 10;

export interface ComparedProps {
  readonly a: SessionAnswer;
  readonly b: SessionAnswer;
  readonly view: View;
}

export function ComparedPanels({ a, b, view }: ComparedProps) {
  const [ofA, ofB] = [a.calls.filter(isCounted), b.calls.filter(isCounted)];
  const parting = prepareParting(ofA, ofB);
  const isCut = a.nextCursor !== null || b.nextCursor !== null;
  return (
    <>
      <h1>{formatParting(parting)}</h1>
      {isCut ? <p className="muted">Compared are the first {formatNoun(1_000, 'request')} of each.</p> : null}
      <Facts a={a} b={b} view={view} />
      {parting.steps.length > 0 ? (
        <>
          <DrawnPanel
            id="by-tool"
            title="Calls by tool"
            note="those that differ most first"
            table={toToolPairsTable(prepareToolPairs(ofA, ofB))}
            isTable
          >
            <DataTable {...toToolPairsTable(prepareToolPairs(ofA, ofB))} />
          </DrawnPanel>
          <Steps parting={parting} compared={{ a, b, view }} />
        </>
      ) : null}
    </>
  );
}

interface StepsProps {
  readonly parting: Parting;
  readonly compared: ComparedProps;
}

/** Call by call until they part, and a little further: what comes then has nothing beside it that it could be compared with. */
function Steps({ parting, compared }: StepsProps) {
  const [whole, setWhole] = useState(false);
  const table = toStepsTable(parting, compared);
  const parted = parting.parted ? parting.steps.indexOf(parting.parted) : -1;
  const shown = Math.max(SHOWN, parted + SHOWN_AFTER);
  const { length } = table.rows;
  return (
    <DrawnPanel
      id="by-call"
      title="Call by call"
      note={parting.parted ? 'after they part, the same place says nothing' : undefined}
      table={table}
      isTable
    >
      <DataTable {...table} rows={whole || parted < 0 ? table.rows : table.rows.slice(0, shown)} />
      {parted >= 0 && length > shown ? (
        <p className="more">
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show fewer' : `All ${length} places`}
          </button>
        </p>
      ) : null}
    </DrawnPanel>
  );
}

interface FactRow {
  readonly name: string;
  readonly tell: (answer: SessionAnswer) => ReactNode;
}

const lastedOf = ({ startedAt, endedAt }: SessionRow): number => Date.parse(endedAt) - Date.parse(startedAt);

const FACTS: readonly FactRow[] = [
  { name: 'Client', tell: ({ session }) => session.client || 'unknown' },
  { name: 'Server', tell: ({ session }) => session.server },
  { name: 'Outcome', tell: ({ session }) => <SessionOutcomeMark session={session} /> },
  { name: 'Tool calls', tell: ({ session }) => formatCount(session.calls) },
  { name: 'Errors', tell: ({ session }) => formatCount(session.errors) },
  { name: 'Loops', tell: ({ loops }) => formatCount(loops.length) },
  { name: 'Lasted', tell: ({ session }) => formatDuration(lastedOf(session)) },
  { name: 'Began', tell: ({ session }) => <Ago at={session.startedAt} /> },
];

function Facts({ a, b, view }: ComparedProps) {
  const columns = [
    { id: 'name', header: 'Session', cell: ({ name }: FactRow) => <span className="muted">{name}</span> },
    { id: 'a', header: 'A', cell: ({ tell }: FactRow) => tell(a) },
    { id: 'b', header: 'B', cell: ({ tell }: FactRow) => tell(b) },
  ];
  const id: FactRow = {
    name: 'Id',
    tell: ({ session: { sessionId, server } }) => (
      <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
        <code>{shortenMiddle(sessionId)}</code>
      </Link>
    ),
  };
  return (
    <Panel title="Side by side">
      <DataTable label="Side by side" columns={columns} rows={[id, ...FACTS]} keyOf={({ name }) => name} />
    </Panel>
  );
}
