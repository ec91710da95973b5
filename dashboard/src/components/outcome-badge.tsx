// The outcome and the fault of a call: always an icon with a label, so that nothing depends on colour.
import { Link } from 'wouter';
import type { CallRow } from '../../../src/contract/calls.ts';
import type { SessionRow } from '../../../src/contract/sessions.ts';
import type { ErrorRow } from '../../../src/contract/tools.ts';
import type { Fault } from '../../../src/core/model/outcome.ts';
import { formatGuardReason, GUARD_LABELS } from '../format/describe-guard.ts';
import { countedCallsPath } from '../paths.ts';
import { toToolView } from '../view/tool-ref.ts';
import type { View } from '../view/view.ts';
import { Icon, type IconName } from './icon.tsx';

const FAULT_ICONS: Readonly<Record<Fault, IconName>> = { none: 'check', client: 'client', server: 'server' };
const FAULT_LABELS: Readonly<Record<Fault, string>> = {
  none: 'no error',
  client: 'client error: the agent has to change its call',
  server: 'server error: the server has to change',
};

/** The label of an outcome: `invalid_arguments` → "invalid arguments". */
export function formatOutcome(outcome: string): string {
  return outcome.replaceAll('_', ' ');
}

export function FaultIcon({ fault }: { readonly fault: Fault }) {
  return (
    <span className={`fault ${fault}`} title={FAULT_LABELS[fault]}>
      <Icon name={FAULT_ICONS[fault]} label={fault === 'none' ? 'no error' : `${fault} error`} />
    </span>
  );
}

/** Icon, outcome, and the code if it adds information. */
export function OutcomeBadge({ call }: { readonly call: CallRow }) {
  const isPlain = call.outcome === 'ok' && !call.errorInResult;
  return (
    <span className="outcome">
      <FaultIcon fault={call.fault} />
      <span className={isPlain ? 'muted' : undefined}>{formatOutcome(call.outcome)}</span>
      {call.code && call.code !== call.outcome ? <code className="code">{call.code}</code> : null}
      {/* A blocked call has its own outcome and code. */}
      {call.guardVerdict === '' || call.guardVerdict === 'blocked' ? null : (
        <span className="guard muted" title={`${GUARD_LABELS[call.guardVerdict].title}: ${call.guardCode}`}>
          guard: {GUARD_LABELS[call.guardVerdict].text.toLowerCase()}, {formatGuardReason(call.guardCode)}
        </span>
      )}
      {call.errorInResult ? <span className="muted">error text, but isError is false</span> : null}
    </span>
  );
}

interface ErrorCodeLinkProps {
  readonly row: ErrorRow;
  readonly view: View;
  /** Shows the outcome next to a code that differs from it. */
  readonly withOutcome?: boolean;
  /** Further codes of the same tool. */
  readonly others?: number;
}

/** An error code of a tool with its fault, as a link to its calls. */
export function ErrorCodeLink({ row, view, withOutcome = false, others = 0 }: ErrorCodeLinkProps) {
  const { code, outcome, fault } = row;
  const hasOwnCode = code !== outcome;
  return (
    <span className="code-name">
      <FaultIcon fault={fault} />
      <Link href={countedCallsPath(toToolView(view, row), { errors: 'true', code, outcome })}>
        {hasOwnCode ? <code>{code}</code> : formatOutcome(outcome)}
      </Link>
      {withOutcome && hasOwnCode ? <span className="muted">{formatOutcome(outcome)}</span> : null}
      {others > 0 ? <span className="muted">+{others}</span> : null}
    </span>
  );
}

const SOURCE_LABELS: Readonly<Record<SessionRow['source'], string>> = {
  host: "host's own id",
  transport: 'transport session',
  meta: 'conversation id',
  connection: 'stdio connection',
  trace: 'trace',
  none: 'no session',
};

const CONFIDENCE_LABELS: Readonly<Record<SessionRow['confidence'], string>> = {
  high: 'high confidence: one agent run',
  medium: 'medium confidence: probably one agent run',
  low: 'low confidence: perhaps only part of an agent run',
  none: 'no confidence: not known to be one agent run',
};

/** The source of a session id and how reliable it is, with up to three filled dots. */
export function SessionSourceBadge({
  session,
}: {
  readonly session: Pick<SessionRow, 'source' | 'confidence'>;
}) {
  const dots = { high: 3, medium: 2, low: 1, none: 0 }[session.confidence];
  return (
    <span
      className="source"
      title={`${SOURCE_LABELS[session.source]}: ${CONFIDENCE_LABELS[session.confidence]}`}
    >
      <span className="dots" role="img" aria-label={`confidence ${session.confidence}`}>
        {[1, 2, 3].map((dot) => (
          <i key={dot} className={dot <= dots ? 'on' : undefined} />
        ))}
      </span>
      {SOURCE_LABELS[session.source]}
    </span>
  );
}
