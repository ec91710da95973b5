// The most frequent error code of a tool, with its fault, as a link to its calls.
import { Link } from 'wouter';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { countedCallsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import type { ErrorGroup } from './prepare-error-groups.ts';

interface TopErrorCodeProps {
  readonly group: ErrorGroup | undefined;
  readonly view: View;
}

export function TopErrorCode({ group, view }: TopErrorCodeProps) {
  const [main, ...others] = group?.codes ?? [];
  if (!main) return null;
  const path = countedCallsPath(toToolView(view, main), {
    errors: 'true',
    code: main.code,
    outcome: main.outcome,
  });
  return (
    <span className="code-name">
      <FaultIcon fault={main.fault} />
      <Link href={path}>
        {main.code === main.outcome ? formatOutcome(main.outcome) : <code>{main.code}</code>}
      </Link>
      {others.length > 0 ? <span className="muted">+{others.length}</span> : null}
    </span>
  );
}
