// Which versions of MCP are spoken, as one bar: who still opens sessions, and who sends requests that stand alone.
import { Link } from 'wouter';
import type { ProtocolRow, ProtocolsAnswer } from '../../../../src/contract/overview.ts';
import { useProtocols } from '../../api/overview-questions.ts';
import { DrawnPanel } from '../../components/drawn-panel.tsx';
import { countColumn, shareColumn, textColumn } from '../../components/figure-columns.tsx';
import type { FigureTable } from '../../components/figure-table.ts';
import { Share } from '../../components/figures.tsx';
import { Shell } from '../../components/shell.tsx';
import { formatNoun } from '../../format/format-number.ts';
import { toCalls } from '../../paths.ts';
import type { View } from '../../view/view.ts';

const ERAS: Readonly<Record<ProtocolRow['era'], string>> = {
  '2025': 'opens a session',
  '2026-07-28': 'every request stands alone',
  unknown: 'of no known revision',
};

export function ProtocolStrip({ view }: { readonly view: View }) {
  const asked = useProtocols(view);
  const { data } = asked;
  return (
    <DrawnPanel
      id="protocols"
      title="Protocol"
      note={data && data.protocols.length > 0 ? sayWindow(data) : undefined}
      range={data?.range}
      table={data && findEmptySentence(data) === undefined ? toTable(data) : undefined}
    >
      <Shell asked={asked} rows={2} empty={findEmptySentence}>
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
                  <Protocol row={row} view={view} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Shell>
    </DrawnPanel>
  );
}

function toTable({ protocols }: ProtocolsAnswer): FigureTable<ProtocolRow> {
  return {
    label: 'Calls by protocol',
    rows: protocols,
    keyOf: ({ version }) => version,
    columns: [
      {
        ...textColumn<ProtocolRow>(['version', 'Version'], ({ version }) => version),
        cell: ({ version }) => version || 'not said',
      },
      countColumn(['calls', 'Calls'], ({ calls }) => calls),
      shareColumn(['share', 'Share'], ({ share }) => share),
      countColumn(['sessions', 'Sessions'], ({ sessions }) => sessions),
      textColumn(['clients', 'Clients'], ({ clients }) => clients.join(', ')),
    ],
  };
}

function sayWindow({ window }: ProtocolsAnswer): string | undefined {
  return window.isWhole ? undefined : `of the newest ${formatNoun(window.calls, 'call')}`;
}

function findEmptySentence({ protocols }: ProtocolsAnswer): string | undefined {
  if (protocols.length === 0) return 'No call whose protocol could be told.';
  return protocols.every(({ version }) => version === '')
    ? 'Not collected: no call says which protocol it speaks. Spans need the attribute mcp.protocol.version.'
    : undefined;
}

function Protocol({ row, view }: { readonly row: ProtocolRow; readonly view: View }) {
  const { version, era, calls, share, sessions, clients } = row;
  const counted = formatNoun(calls, 'call');
  return (
    <>
      <span className="version">
        <i className="era" data-era={era} /> <strong>{version || 'not said'}</strong>
      </span>
      <span>{ERAS[era]}</span>
      <span>
        {version === '' ? counted : <Link href={toCalls(view, { protocol: version })}>{counted}</Link>} in{' '}
        {formatNoun(sessions, 'session')}
      </span>
      <Share share={share} />
      {clients.length > 0 ? <span className="muted who">{clients.join(', ')}</span> : null}
    </>
  );
}
