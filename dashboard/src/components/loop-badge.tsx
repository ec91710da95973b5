// The kind, severity and state of a loop, always as text.
import type { LoopRow } from '../../../src/contract/loops.ts';
import { formatLoopKind } from '../format/describe-loop.ts';
import { Icon } from './icon.tsx';
import { Ago } from './values.tsx';

const SEVERITY_TITLES: Readonly<Record<LoopRow['severity'], string>> = {
  confirmed: 'well past its threshold',
  suspected: 'threshold reached',
  note: 'one short of its threshold: not a loop yet',
};

export function LoopBadge({ loop }: { readonly loop: Pick<LoopRow, 'kind' | 'severity'> }) {
  return (
    <span className={`loop-kind ${loop.severity}`}>
      <Icon name="loop" />
      <strong>{formatLoopKind(loop.kind)}</strong>
      <span title={SEVERITY_TITLES[loop.severity]}>{loop.severity}</span>
    </span>
  );
}

export function LoopStateBadge({ loop }: { readonly loop: Pick<LoopRow, 'state' | 'lastAt'> }) {
  const isActive = loop.state === 'active';
  return (
    <span className={`loop-state ${loop.state}`}>
      {isActive ? <i className="pulse" aria-hidden="true" /> : null}
      {isActive ? 'active, last call ' : 'ended, last call '}
      <Ago at={loop.lastAt} />
    </span>
  );
}
