// All stored fields of one call. Shapes and fingerprints stand for values that were never sent.
import { Link } from 'wouter';
import type { CallRow } from '../../../../src/contract/calls.ts';
import { Fact } from '../../components/fact.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Id } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { formatExactTime } from '../../format/format-time.ts';
import { callsPath, planPath, sessionPath } from '../../paths.ts';
import { toSpanKey } from '../../view/call-key.ts';
import { useZone } from '../../view/preferences.ts';
import { useView } from '../../view/use-view.ts';
import { type View, withFilter } from '../../view/view.ts';
import { CallSpans } from './call-spans.tsx';

export function CallDetail({ call }: { readonly call: CallRow }) {
  const zone = useZone();
  const view = useView();
  const { sessionId, server } = call;
  return (
    <div className="call-detail">
      {call.errorMessage || call.errorType ? (
        <p className="message">
          {call.errorType ? <strong>{call.errorType}: </strong> : null}
          {call.errorMessage}
          {call.errorArgument ? (
            <span className="muted">
              {' '}
              Argument <code>{call.errorArgument}</code>.
            </span>
          ) : null}{' '}
          {call.fault === 'none' ? null : (
            <Link className="link" href={toSimilarFailuresPath(view, call)}>
              View similar failures
            </Link>
          )}
        </p>
      ) : null}
      {call.fault !== 'none' && !call.errorMessage ? <NotCollected kind="message" /> : null}
      <dl className="facts">
        <Fact name="Started">{formatExactTime(Date.parse(call.startedAt), zone)}</Fact>
        <Fact name="Duration">{formatDuration(call.durationMs)}</Fact>
        <Fact name="Method">
          <code>{call.method}</code>
        </Fact>
        <Fact name="Server">
          {server} {call.serverVersion}
        </Fact>
        <Fact name="Client">{`${call.client} ${call.clientVersion}`.trim() || 'unknown'}</Fact>
        <Fact name="Protocol">{`${call.protocolVersion} ${call.transport}`.trim() || 'unknown'}</Fact>
        {call.environment ? <Fact name="Environment">{call.environment}</Fact> : null}
        {sessionId ? (
          <Fact name="Session">
            <Link href={sessionPath(view, { id: sessionId, of: server })}>show in session</Link>
          </Fact>
        ) : null}
        {call.planId ? (
          <Fact name="Plan">
            <Link href={planPath(view, call.planId)}>show plan</Link>
          </Fact>
        ) : null}
        <Fact name="Trace">
          <Id id={call.traceId} what="trace id" />
        </Fact>
        <Fact name="Span">
          <Id id={call.spanId} what="span id" length={16} />
        </Fact>
      </dl>
      <CallSpans call={call} />
      <ArgumentOrigins call={call} />
      <div className="shapes">
        <Shape call={call} part="arguments" />
        <Shape call={call} part="result" />
      </div>
    </div>
  );
}

const ORIGIN_TEXTS = {
  argument: 'as in an earlier argument',
  declared: 'listed in the schema',
  nowhere: 'from no result: from the prompt, or made up',
  page: 'asks for a further page',
} as const;

/** Where the values of the arguments came from; a result is a link to its call. */
function ArgumentOrigins({ call }: { readonly call: CallRow }) {
  const view = useView();
  const { sessionId, server } = call;
  if (call.argumentOrigins.length === 0) return null;
  return (
    <ul className="notes" aria-label="Where arguments came from">
      {call.argumentOrigins.map(({ path, kind, sourceTool, sourcePath, sourceSpanId }) => (
        <li key={JSON.stringify([path, kind, sourceTool, sourcePath, sourceSpanId])}>
          <code>{path}</code>{' '}
          {kind === 'result' || kind === 'part' ? (
            <>
              {kind === 'part' ? 'contains' : 'from'} <code>{sourcePath}</code> of{' '}
              <Link
                className="link"
                href={sessionPath(view, { id: sessionId, of: server, call: toSpanKey(sourceSpanId) })}
              >
                {sourceTool}
              </Link>
            </>
          ) : (
            ORIGIN_TEXTS[kind]
          )}
        </li>
      ))}
    </ul>
  );
}

function toSimilarFailuresPath(view: View, call: CallRow): string {
  const own = withFilter(withFilter(view, ['server', call.server]), ['tool', call.tool || undefined]);
  const { method, outcome, code, errorMessage: message, errorArgument: argument } = call;
  return callsPath(own, { errors: 'true', method, outcome, code, message, argument });
}

/** Requests other than tool calls have no shape in any capture mode, so there is nothing to enable. */
function ShapeNotCollected({ method }: Pick<CallRow, 'method'>) {
  return method === 'tools/call' ? (
    <NotCollected kind="shape" />
  ) : (
    <p className="muted">Only tool calls have a shape.</p>
  );
}

function Shape({ call, part }: { readonly call: CallRow; readonly part: 'arguments' | 'result' }) {
  const shape = call[`${part}Shape`];
  const fingerprint = call[`${part}Fingerprint`];
  return (
    <div>
      <h3>
        {part === 'arguments' ? 'Arguments' : 'Result'}{' '}
        <span className="muted">{formatBytes(call[`${part}Bytes`])}</span>
        {fingerprint ? (
          <span className="muted">
            {' '}
            fingerprint <code>{fingerprint}</code>
          </span>
        ) : null}
      </h3>
      {shape ? <pre>{formatShapeJson(shape)}</pre> : <ShapeNotCollected method={call.method} />}
    </div>
  );
}

function formatShapeJson(shape: string): string {
  try {
    return JSON.stringify(JSON.parse(shape), null, 2);
  } catch {
    return shape; // truncated at its size limit: shown as is
  }
}
