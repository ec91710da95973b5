// The MCP protocol versions in use, as one bar: clients with sessions and clients with stateless requests.

import { Link } from 'wouter';
import type { ProtocolRow, ProtocolsResponse } from '../../../../src/contract/overview.ts';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import type { ExportTable } from '../../components/data-table.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { countColumn, nameColumn, shareColumn, textColumn } from '../../components/table-columns.tsx';
import { Share } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { countedCallsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

/** Calls that do not name their protocol version. */
const UNSPECIFIED = 'unspecified';

const ERA_LABELS: Readonly<Record<ProtocolRow['era'], string>> = {
  '2025': 'stateful',
  '2026-07-28': 'stateless',
  unknown: 'unknown revision',
};

export function ProtocolPanel({ view }: { readonly view: View }) {
  const result = useResource('protocols', toQueryParams(view));
  const { data } = result;
  return (
    <ChartPanel
      id="protocols"
      title="Protocol"
      note={data && data.protocols.length > 0 ? describeWindow(data) : undefined}
      range={data?.range}
      table={data && findEmptyText(data) === undefined ? toTable(data) : undefined}
    >
      <QueryBoundary result={result} skeletonRows={2} empty={findEmptyText}>
        {({ protocols }) => (
          <>
            <div className="eras" aria-hidden="true">
              {protocols.map(({ version, era, share }) => (
                <i key={version} data-era={era} style={{ flexGrow: share.value ?? 0 }} />
              ))}
            </div>
            <ul className="protocols" aria-label="Protocol versions">
              {protocols.map((row) => (
                <li key={row.version}>
                  <ProtocolEntry row={row} view={view} />
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryBoundary>
    </ChartPanel>
  );
}

function toTable({ protocols }: ProtocolsResponse): ExportTable<ProtocolRow> {
  return {
    label: 'Calls by protocol',
    rows: protocols,
    keyOf: ({ version }) => version,
    columns: [
      nameColumn(['version', 'Version'], ({ version }) => version, { unknown: UNSPECIFIED }),
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      shareColumn(['share', 'Share'], ({ share }) => share),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      textColumn(['clients', 'Clients'], ({ clients }) => clients.join(', ')),
    ],
  };
}

function describeWindow({ window }: ProtocolsResponse): string | undefined {
  return window.isWhole ? undefined : `of the newest ${formatPlural(window.calls, 'call')}`;
}

function findEmptyText({ protocols }: ProtocolsResponse): string | undefined {
  if (protocols.length === 0) return 'No call with a known protocol.';
  return protocols.every(({ version }) => version === '')
    ? 'Not collected: spans need the attribute mcp.protocol.version.'
    : undefined;
}

function ProtocolEntry({ row, view }: { readonly row: ProtocolRow; readonly view: View }) {
  const { version, era, calls, share, sessions, clients } = row;
  const counted = formatPlural(calls, 'call');
  return (
    <>
      <span className="version">
        <i className="era" data-era={era} /> <strong>{version || UNSPECIFIED}</strong>
      </span>
      <span>{ERA_LABELS[era]}</span>
      <span>
        {version === '' ? (
          counted
        ) : (
          <Link href={countedCallsPath(view, { protocol: version })}>{counted}</Link>
        )}{' '}
        in {formatPlural(sessions, 'session')}
      </span>
      <Share share={share} />
      {clients.length > 0 ? <span className="muted who">{clients.join(', ')}</span> : null}
    </>
  );
}
