// The outcome and the fault of a call: always an icon with a label, so that nothing depends on colour.
import type { CallRow, SessionRow } from '../../../src/contract/responses.ts';
import type { Fault } from '../../../src/core/model/outcome.ts';
import { Icon, type IconName } from './icon.tsx';

const FAULT_ICONS: Readonly<Record<Fault, IconName>> = { none: 'check', client: 'client', server: 'server' };
const FAULT_LABELS: Readonly<Record<Fault, string>> = {
  none: 'no error',
  client: 'client fault: the agent has to change its call',
  server: 'server fault: the server has to change',
};

/** The label of an outcome: `invalid_arguments` → "invalid arguments". */
export function formatOutcome(outcome: string): string {
  return outcome.replaceAll('_', ' ');
}

export function FaultIcon({ fault }: { readonly fault: Fault }) {
  return (
    <span className={`fault ${fault}`} title={FAULT_LABELS[fault]}>
      <Icon name={FAULT_ICONS[fault]} label={fault === 'none' ? 'no error' : `${fault} fault`} />
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
      {call.errorInResult ? <span className="muted">says error, isError is false</span> : null}
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
  high: 'surely one agent run',
  medium: 'probably one agent run',
  low: 'perhaps only a part of an agent run',
  none: 'not known to be one agent run',
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
