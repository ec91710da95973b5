// What the definition promises, and whether calls kept it: each promise with the calls that tested it.
import { Link } from 'wouter';
import type { ContractPromise, ContractTruthResponse } from '../../../../src/contract/contract-truth.ts';
import type { PromiseKind } from '../../../../src/core/model/promise-kinds.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable, type ExportColumn, type ExportTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countColumn, textColumn } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
import { formatPlural, formatRate } from '../../format/format-number.ts';
import { callsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import type { ToolPanelProps } from './tool-panel-props.ts';

const TITLE = 'Truth of the contract';

const PROMISE_LABELS: Readonly<Record<PromiseKind, string>> = {
  read_only: 'only reads',
  not_destructive: 'destroys nothing',
  idempotent: 'idempotent',
  output_schema: 'output schema',
  enum: 'values of',
  bound: 'bounds of',
  error_codes: 'error codes',
  empty_if_none: 'empty result if there is nothing',
};

export function ContractPanel({ response: { server, tool }, view }: ToolPanelProps) {
  const { tool: _, ...filters } = toQueryParams(view);
  const result = useResource('contractTruth', { ...filters, server, tool });
  const { data } = result;
  const records = data?.tools[0]?.records ?? [];
  const own = toToolView(view, { server, tool });
  return (
    <ChartPanel
      id="contract"
      title={TITLE}
      note={data && describeScore(data)}
      of={{ server, tool }}
      range={data?.range}
      table={data && toTable(records, own)}
      isTable
    >
      <QueryBoundary
        result={result}
        skeletonRows={3}
        empty={({ tools }) =>
          tools.length > 0 ? undefined : 'The definition makes no promise that calls could test.'
        }
      >
        {() => <DataTable {...toTable(records, own)} />}
      </QueryBoundary>
    </ChartPanel>
  );
}

function describeScore({ tools: [own], score, tested, promises, sequence }: ContractTruthResponse): string {
  const mine = own === undefined ? '' : `${formatScore(own.score)} of this tool, `;
  const coverage = sequence.isWhole ? '' : `, among the newest ${formatPlural(sequence.calls, 'call')}`;
  return `${mine}${formatScore(score)} of the server: ${tested} of ${formatPlural(promises, 'promise')} tested${coverage}`;
}

const formatScore = (score: number | null): string => (score === null ? 'nothing tested' : formatRate(score));

const describePromise = ({ kind, argument }: ContractPromise): string =>
  `${PROMISE_LABELS[kind]} ${argument}`.trim();

function describeResult({ kept, broken }: ContractPromise): string {
  if (kept + broken === 0) return 'never tested';
  return broken === 0 ? 'kept' : 'broken';
}

function toTable(records: readonly ContractPromise[], view: View): ExportTable<ContractPromise> {
  return {
    label: TITLE,
    rows: records,
    keyOf: ({ kind, argument }) => `${kind} ${argument}`,
    columns: [
      textColumn(['promise', 'Promise'], describePromise),
      textColumn(['result', 'Result'], describeResult, {
        cell: (record) => <PromiseResult record={record} />,
      }),
      countColumn(['kept', 'Kept'], ({ kept }) => kept),
      countColumn(['broken', 'Broken'], ({ broken }) => broken),
      breakingCallsColumn(view),
    ],
  };
}

/** Never by colour alone: each result has a word, and kept and broken an icon. */
function PromiseResult({ record }: { readonly record: ContractPromise }) {
  const result = describeResult(record);
  if (result === 'never tested') return <span className="muted">{result}</span>;
  return (
    <>
      <Icon name={result === 'kept' ? 'check' : 'breaking'} /> {result}
    </>
  );
}

function breakingCallsColumn(view: View): ExportColumn<ContractPromise> {
  return {
    id: 'calls',
    header: 'Broken by',
    priority: 2,
    raw: [['brokenBy', ({ calls }) => calls.map(({ spanId }) => spanId).join(' ')]],
    cell: ({ calls }) =>
      calls.map(({ traceId, spanId, sessionId, startedAt }, at) => (
        <span key={spanId}>
          {at > 0 ? ', ' : ''}
          <Link
            className="link"
            href={callsPath(view, { session: sessionId || undefined, call: `${traceId}.${spanId}` })}
          >
            <Ago at={startedAt} />
          </Link>
        </span>
      )),
  };
}
