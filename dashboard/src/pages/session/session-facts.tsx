// The header of a session: who ran it and how reliable that is, when, how it ended, and what is unknown.
import { Link } from 'wouter';
import type { SessionCallRow, SessionResponse } from '../../../../src/contract/sessions.ts';
import { parseTime } from '../../../../src/contract/time-range.ts';
import { Fact } from '../../components/fact.tsx';
import { Icon } from '../../components/icon.tsx';
import { SessionSourceBadge } from '../../components/outcome-badge.tsx';
import { Ago, Id } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural, formatRate } from '../../format/format-number.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { planPath, sessionCallsPath } from '../../paths.ts';
import { useNow } from '../../view/use-now.ts';
import type { View } from '../../view/view.ts';
import { SessionOutcomeBadge } from '../sessions/session-columns.tsx';

interface SessionFactsProps {
  readonly response: SessionResponse;
  readonly calls: readonly SessionCallRow[];
  readonly view: View;
}

export function SessionFacts({ response: { session, loops }, calls, view }: SessionFactsProps) {
  const { sessionId, server, client, planId, startedAt, endedAt, calls: n, errors } = session;
  const wasted = loops.reduce((sum, { wastedCalls }) => sum + wastedCalls, 0);
  return (
    <>
      <dl className="facts">
        <Fact name="Session">
          <Id id={sessionId} what="session id" length={22} />
        </Fact>
        <Fact name="ID source">
          <SessionSourceBadge session={session} />
        </Fact>
        <Fact name="Server">{server}</Fact>
        <Fact name="Client">{client || 'unknown'}</Fact>
        {planId ? (
          <Fact name="Plan">
            <Link href={planPath(view, planId)} title={planId}>
              <code>{truncateMiddle(planId)}</code>
            </Link>
          </Fact>
        ) : null}
        <Fact name="Started">
          <Ago at={startedAt} />
        </Fact>
        <Fact name="Duration">{formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</Fact>
        <Fact name="Errors">
          {errors === 0 ? (
            '0'
          ) : (
            <Link href={sessionCallsPath(view, session, { counted: 'true', errors: 'true' })}>
              {formatCount(errors)} of {formatPlural(n, 'call')} ({formatRate(n === 0 ? null : errors / n)})
            </Link>
          )}
        </Fact>
        <Fact name="Outcome">
          <SessionOutcomeBadge session={session} />
        </Fact>
        {wasted > 0 ? (
          <Fact name="Wasted">
            {formatCount(wasted)} of {formatPlural(n, 'call')} (
            {formatRate(Math.min(1, wasted / Math.max(1, n)))})
          </Fact>
        ) : null}
      </dl>
      <SessionNotes session={session} calls={calls} view={view} />
    </>
  );
}

interface SessionNotesProps {
  readonly session: SessionResponse['session'];
  readonly calls: readonly SessionCallRow[];
  readonly view: View;
}

/** Notes that prevent misreading the stats. */
function SessionNotes({ session, calls, view }: SessionNotesProps) {
  const nowMs = useNow(60_000);
  const keys = new Set(calls.map(({ fingerprintKeyId }) => fingerprintKeyId).filter(Boolean));
  const [from, to] = [parseTime(view.from, nowMs), parseTime(view.to, nowMs)];
  const isCut =
    from !== undefined &&
    to !== undefined &&
    (Date.parse(session.startedAt) < from || Date.parse(session.endedAt) > to);
  const isOutside = isCut && (Date.parse(session.endedAt) < from || Date.parse(session.startedAt) > to);
  if (keys.size < 2 && !isCut) return null;
  return (
    <ul className="notes">
      {keys.size > 1 ? (
        <li>
          <Icon name="question" /> {formatCount(keys.size)} fingerprint keys were used; calls with different
          keys cannot be compared.
        </li>
      ) : null}
      {isCut ? (
        <li className="muted">
          <Icon name="clock" /> The session {isOutside ? 'is outside' : 'extends beyond'} the selected range;
          it is shown in full.
        </li>
      ) : null}
    </ul>
  );
}
