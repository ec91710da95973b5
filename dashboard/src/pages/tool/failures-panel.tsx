// How a tool fails, by message, with what agents did next, which shows whether a message helps.
import { useState } from 'react';
import { Link } from 'wouter';
import type { FailureGroup } from '../../../../src/contract/tool.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatCount, formatPlural, formatRate } from '../../format/format-number.ts';
import { callsPath, countedCallsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { AfterFailureBar } from './after-failure-bar.tsx';
import { toFailuresTable } from './failures-table.tsx';
import type { ToolPanelProps } from './tool-panel-props.ts';

const MAX_ROWS = 5;

export function FailuresPanel({ response, view }: ToolPanelProps) {
  const [whole, setWhole] = useState(false);
  const zone = useZone();
  const { failures, server, tool, range } = response;
  const own = toToolView(view, response);
  return (
    <ChartPanel
      id="failures"
      title="How it fails, and what agents did next"
      of={{ server, tool }}
      range={range}
      table={toFailuresTable(failures, zone)}
      note={`${formatPlural(failures.length, 'way')} to fail`}
      className="failures"
    >
      <ol>
        {(whole ? failures : failures.slice(0, MAX_ROWS)).map((group) => (
          <li key={group.id}>
            <FailureGroupEntry group={group} view={own} />
          </li>
        ))}
      </ol>
      {failures.length > MAX_ROWS ? (
        <p className="more">
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show fewer' : `All ${failures.length} ways`}
          </button>
        </p>
      ) : null}
    </ChartPanel>
  );
}

function FailureGroupEntry({ group, view }: { readonly group: FailureGroup; readonly view: View }) {
  const { code, outcome, count, share, sessions, clients, argument, next, isNew } = group;
  const path = countedCallsPath(view, { errors: 'true', code, outcome, message: group.template, argument });
  const hasOwnCode = code !== '' && code !== outcome;
  return (
    <article className="failure">
      <div className="failure-head">
        <FaultIcon fault={group.fault} />
        <h3>
          <Link href={path}>{group.template || formatOutcome(outcome)}</Link>
        </h3>
        {isNew ? <span className="badge">new in this range</span> : null}
        <p className="muted">
          {formatOutcome(outcome)}
          {hasOwnCode ? <code> {code}</code> : null}
          {argument ? (
            <>
              , argument <code>{argument}</code>
            </>
          ) : null}
        </p>
      </div>
      <p className="failure-count">
        <Link href={path}>
          <strong>
            <Count value={count} />
          </strong>{' '}
          {count === 1 ? 'call' : 'calls'}
        </Link>
        <span className="muted">
          {formatRate(share)} of its failures, in {formatPlural(sessions, 'session')}
        </span>
      </p>
      <div className="failure-next">
        <AfterFailureBar next={next} changed={group.changedArguments} />
      </div>
      <p className="failure-foot muted">
        <span>by {clients.join(', ') || 'an unknown client'}</span>
        <span>
          first <Ago at={group.firstSeenAt} />, last <Ago at={group.lastSeenAt} />
        </span>
        <SampleCalls group={group} view={view} />
        {next.n === 0 ? null : <span>{formatCount(next.recovered)} recovered later in their session</span>}
      </p>
    </article>
  );
}

/** Links to sample calls, each expanded in its session. */
function SampleCalls({ group, view }: { readonly group: FailureGroup; readonly view: View }) {
  if (group.samples.length === 0) return null;
  return (
    <span>
      see{' '}
      {group.samples.map(({ traceId, spanId, sessionId, startedAt }, at) => (
        <span key={spanId}>
          {at > 0 ? ', ' : ''}
          <Link
            className="link"
            href={callsPath(view, {
              errors: 'true',
              session: sessionId || undefined,
              call: `${traceId}.${spanId}`,
            })}
          >
            <Ago at={startedAt} />
          </Link>
        </span>
      ))}
    </span>
  );
}
