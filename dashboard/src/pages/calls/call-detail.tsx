// All stored fields of one call. Shapes and fingerprints stand for values that were never sent.
import { Link } from 'wouter';
import type { CallRow } from '../../../../src/contract/calls.ts';
import { Fact } from '../../components/fact.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Id } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { formatExactTime } from '../../format/format-time.ts';
import { callsPath, sessionPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useView } from '../../view/use-view.ts';
import { type View, withFilter } from '../../view/view.ts';

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
              Every call that failed so
            </Link>
          )}
        </p>
      ) : null}
      {call.fault !== 'none' && !call.errorMessage ? <NotCollected kind="message" /> : null}
      <dl className="facts">
        <Fact name="Began">{formatExactTime(Date.parse(call.startedAt), zone)}</Fact>
        <Fact name="Took">{formatDuration(call.durationMs)}</Fact>
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
            <Link href={sessionPath(view, { id: sessionId, of: server })}>in its session</Link>
          </Fact>
        ) : null}
        <Fact name="Trace">
          <Id id={call.traceId} what="trace id" />
        </Fact>
        <Fact name="Span">
          <Id id={call.spanId} what="span id" length={16} />
        </Fact>
      </dl>
      <div className="shapes">
        <Shape
          name="Arguments"
          shape={call.argumentsShape}
          bytes={call.argumentsBytes}
          fingerprint={call.argumentsFingerprint}
          method={call.method}
        />
        <Shape
          name="Result"
          shape={call.resultShape}
          bytes={call.resultBytes}
          fingerprint={call.resultFingerprint}
          method={call.method}
        />
      </div>
    </div>
  );
}

/** Calls of the same tool with the same outcome, code, message and argument. */
function toSimilarFailuresPath(view: View, call: CallRow): string {
  const own = withFilter(withFilter(view, ['server', call.server]), ['tool', call.tool || undefined]);
  const { method, outcome, code, errorMessage: message, errorArgument: argument } = call;
  return callsPath(own, { errors: 'true', method, outcome, code, message, argument });
}

interface ShapeProps {
  readonly name: string;
  readonly shape: string;
  readonly bytes: number;
  readonly fingerprint: string;
  readonly method: string;
}

/** Requests other than tool calls have no shape in any capture mode, so there is nothing to enable. */
function ShapeNotCollected({ method }: Pick<ShapeProps, 'method'>) {
  return method === 'tools/call' ? (
    <NotCollected kind="shape" />
  ) : (
    <p className="muted">Only calls of tools have a shape.</p>
  );
}

function Shape({ name, shape, bytes, fingerprint, method }: ShapeProps) {
  return (
    <div>
      <h3>
        {name} <span className="muted">{formatBytes(bytes)}</span>
        {fingerprint ? (
          <span className="muted">
            {' '}
            fingerprint <code>{fingerprint}</code>
          </span>
        ) : null}
      </h3>
      {shape ? <pre>{formatShapeJson(shape)}</pre> : <ShapeNotCollected method={method} />}
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
