// What a tool did during the call: its queries and requests as bars over the time of the call. The bars are the last column
// of a table, so the same numbers can be read without them.
import type { CSSProperties } from 'react';
import type { CallRow } from '../../../../src/contract/calls.ts';
import type { CallSpan } from '../../../../src/contract/child-spans.ts';
import { useResource } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatPlural } from '../../format/format-number.ts';
import { computeOwnMs, prepareSpanBars, type SpanBar } from './prepare-call-spans.ts';

export function CallSpans({ call }: { readonly call: CallRow }) {
  const { server, tool, traceId, spanId, startedAt } = call;
  const id = `${traceId}.${spanId}`;
  const result = useResource('callSpans', { id, server, tool: tool || undefined, at: startedAt });
  return (
    <section className="call-spans" aria-label="Child spans">
      <QueryBoundary
        result={result}
        skeletonRows={1}
        empty={({ spans }) =>
          spans.length > 0 ? undefined : 'No database query or request was traced during this call.'
        }
      >
        {({ spans, isLimited }) => <Waterfall spans={spans} isLimited={isLimited} callMs={call.durationMs} />}
      </QueryBoundary>
    </section>
  );
}

interface WaterfallProps {
  readonly spans: readonly CallSpan[];
  readonly isLimited: boolean;
  readonly callMs: number;
}

function Waterfall({ spans, isLimited, callMs }: WaterfallProps) {
  return (
    <>
      <h3>
        Child spans{' '}
        <span className="muted">
          {isLimited ? `the first ${spans.length} kept; ` : `${formatPlural(spans.length, 'span')}; `}
          {formatDuration(computeOwnMs(spans, callMs))} of {formatDuration(callMs)} in none of them
        </span>
      </h3>
      <table className="waterfall" aria-label="Child spans of the call">
        <thead>
          <tr>
            <th scope="col">Span</th>
            <th scope="col">Dependency</th>
            <th scope="col" className="end span-start">
              After
            </th>
            <th scope="col" className="end">
              Duration
            </th>
            <th scope="col" className="span-bar">
              <span className="visually-hidden">Timeline</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {prepareSpanBars(spans, callMs).map((bar) => (
            <SpanRow key={bar.span.id} bar={bar} />
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Deeper spans are not indented further. */
const MAX_INDENT = 8;

function SpanRow({ bar: { span, left, width } }: { readonly bar: SpanBar }) {
  const { name, kind, dependency, depth, offsetMs, durationMs, failed, errorType } = span;
  return (
    <tr>
      <td style={{ '--depth': Math.min(depth, MAX_INDENT) } as CSSProperties}>
        {name || kind}
        {failed ? (
          <span className="fault server">
            <Icon name="server" /> {errorType || 'failed'}
          </span>
        ) : null}
      </td>
      <td>{dependency || <span className="muted">{kind}</span>}</td>
      <td className="end span-start">{formatDuration(offsetMs)}</td>
      <td className="end">{formatDuration(durationMs)}</td>
      <td className="span-bar">
        <i className={failed ? 'failed' : kind} style={{ marginLeft: `${left}%`, width: `${width}%` }} />
      </td>
    </tr>
  );
}
