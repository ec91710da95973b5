// What guards did, and what enforcing would have saved and broken: the numbers by which to decide whether to
// enforce. Hidden when no guard acted on a call in the range.

import { Link } from 'wouter';
import type { GuardResponse, GuardSessionRow, GuardToolRow } from '../../../../src/contract/guard.ts';
import type { GuardVerdict } from '../../../../src/core/model/guard-verdict.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartFigure } from '../../charts/chart-figure.tsx';
import { toChartCsv } from '../../charts/prepare-csv.ts';
import { ChartButtons } from '../../components/chart-buttons.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { DeferredPanel } from '../../components/deferred-panel.tsx';
import { Fact } from '../../components/fact.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import {
  agoColumn,
  countColumn,
  nameColumn,
  serverColumn,
  textColumn,
  toolColumn,
} from '../../components/table-columns.tsx';
import { Count, Share } from '../../components/values.tsx';
import { formatGuardReason, GUARD_LABELS } from '../../format/describe-guard.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { countedCallsPath } from '../../paths.ts';
import { useSetRange, useTableView } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { hasVerdicts, prepareGuardChart } from './prepare-guard.ts';

const TITLE = 'Guard';

interface GuardPanelProps {
  readonly view: View;
}

export function GuardPanel({ view }: GuardPanelProps) {
  const result = useResource('guard', toQueryParams(view));
  const { data } = result;
  if (!data) return <DeferredPanel result={result} title={TITLE} />;
  if (!hasVerdicts(data)) return null;
  return <GuardActions view={view} response={data} nowMs={result.dataUpdatedAt} />;
}

interface GuardActionsProps extends GuardPanelProps {
  readonly response: GuardResponse;
  readonly nowMs: number;
}

function GuardActions({ view, response, nowMs }: GuardActionsProps) {
  const tableView = useTableView('guard');
  const onDrag = useSetRange();
  const chart = prepareGuardChart(response, nowMs);
  const { range, totals, tools, sessions } = response;
  const omitted = totals.sessions - sessions.length;
  return (
    <Panel
      title={TITLE}
      note={`in ${formatPlural(totals.sessions, 'session')}`}
      anchor="#guard"
      className="guard-panel"
      actions={
        <ChartButtons
          chart={{ id: 'guard', title: TITLE, range }}
          toCsv={() => toChartCsv(chart)}
          tableView={tableView}
        />
      }
    >
      <GuardFacts totals={totals} view={view} />
      <div className="plot">
        <ChartFigure
          asTable={tableView.isShown}
          label="Calls that a guard acted on over time"
          {...{ chart, onDrag, highlightedKey: undefined, annotations: [] }}
        />
      </div>
      <DataTable
        label="Guard by tool"
        columns={toToolColumns(view)}
        rows={tools}
        keyOf={({ server, tool, code }) => `${server} ${tool} ${code}`}
      />
      <DataTable
        label="Guard by session"
        columns={toSessionColumns(view)}
        rows={sessions}
        keyOf={({ server, source, sessionId }) => `${server} ${source} ${sessionId}`}
      />
      {omitted > 0 ? <p className="more muted">{formatPlural(omitted, 'more session')}</p> : null}
    </Panel>
  );
}

interface GuardFactsProps extends GuardPanelProps {
  readonly totals: GuardResponse['totals'];
}

function GuardFacts({ totals, view }: GuardFactsProps) {
  const { blocked, wouldBlock, nudged, saved, falseStops } = totals;
  return (
    <dl className="facts">
      <VerdictFact verdict="blocked" n={blocked} view={view} />
      <VerdictFact verdict="would_block" n={wouldBlock} view={view} />
      <VerdictFact verdict="nudged" n={nudged} view={view} />
      {wouldBlock > 0 ? (
        <>
          <Fact
            name="Enforcing would save"
            title="What the calls that would have been blocked took. A refusal takes about 300 tokens itself."
          >
            {formatPlural(saved.calls, 'call')}, {formatDuration(saved.durationMs)},{' '}
            {formatCount(saved.tokens)} tokens
          </Fact>
          <Fact
            name="False stops"
            title="Calls that would have been blocked, and that succeeded with a result that was new to their session"
          >
            <Count value={falseStops.calls} /> of <Count value={falseStops.share.n} />{' '}
            <Share share={falseStops.share} withInterval />
            {falseStops.unknown > 0 ? (
              <span className="muted">, {formatCount(falseStops.unknown)} without a fingerprint</span>
            ) : null}
          </Fact>
        </>
      ) : null}
    </dl>
  );
}

interface VerdictFactProps extends GuardPanelProps {
  readonly verdict: GuardVerdict;
  readonly n: number;
}

function VerdictFact({ verdict, n, view }: VerdictFactProps) {
  const { text, title } = GUARD_LABELS[verdict];
  return (
    <Fact name={text} title={title}>
      {n === 0 ? (
        '0'
      ) : (
        <Link href={countedCallsPath(view, { guard: verdict })}>
          <Count value={n} />
        </Link>
      )}
    </Fact>
  );
}

function toToolColumns(view: View): Column<GuardToolRow>[] {
  const link = (guard: GuardVerdict, { server, tool, code }: GuardToolRow) =>
    // A blocked call is the only one whose code is that of the guard.
    countedCallsPath(view, { server, tool, guard, ...(guard === 'blocked' && { code }) });
  return [
    toolColumn(view),
    serverColumn({ priority: 4 }),
    textColumn(['reason', 'Reason'], ({ code }) => formatGuardReason(code)),
    countColumn(['blocked', 'Blocked'], ({ blocked }) => blocked, {
      link: (row) => link('blocked', row),
      priority: 2,
    }),
    countColumn(['wouldBlock', 'Would block'], ({ wouldBlock }) => wouldBlock, {
      link: (row) => link('would_block', row),
    }),
    countColumn(['nudged', 'Nudged'], ({ nudged }) => nudged, {
      link: (row) => link('nudged', row),
      priority: 3,
    }),
    countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions, { priority: 4 }),
    {
      id: 'saved',
      header: 'Would save',
      align: 'end',
      priority: 3,
      title: 'Time and tokens of the calls that would have been blocked',
      cell: ({ saved }) =>
        saved.calls === 0 ? '' : `${formatDuration(saved.durationMs)}, ${formatCount(saved.tokens)} tokens`,
    },
    countColumn(['falseStops', 'False stops'], ({ falseStops }) => falseStops.calls, {
      title: 'Calls that would have been blocked, and that succeeded with a result new to their session',
    }),
  ];
}

function toSessionColumns(view: View): Column<GuardSessionRow>[] {
  return [
    { id: 'session', header: 'Session', cell: (session) => <SessionLink session={session} view={view} /> },
    serverColumn({ priority: 4 }),
    nameColumn(['client', 'Client'], ({ client }) => client, { priority: 3 }),
    countColumn(['blocked', 'Blocked'], ({ blocked }) => blocked, { priority: 2 }),
    countColumn(['wouldBlock', 'Would block'], ({ wouldBlock }) => wouldBlock),
    countColumn(['nudged', 'Nudged'], ({ nudged }) => nudged, { priority: 3 }),
    agoColumn(['last', 'Last'], ({ lastAt }) => lastAt, { priority: 2 }),
  ];
}
