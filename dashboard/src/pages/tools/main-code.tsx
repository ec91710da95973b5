// The most frequent error code of a tool, with whose fault it is, as a link to its calls.
import { Link } from 'wouter';
import { FaultMark, formatOutcome } from '../../components/outcome.tsx';
import { toCalls } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import type { ErrorGroup } from '../prepare-error-groups.ts';
import { toOwnView } from '../tool/to-own-view.ts';

interface MainCodeProps {
  readonly group: ErrorGroup | undefined;
  readonly view: View;
}

export function MainCode({ group, view }: MainCodeProps) {
  const [main, ...others] = group?.codes ?? [];
  if (!main) return null;
  const path = toCalls(toOwnView(view, main), { errors: 'true', code: main.code, outcome: main.outcome });
  return (
    <span className="code-name">
      <FaultMark fault={main.fault} />
      <Link href={path}>
        {main.code === main.outcome ? formatOutcome(main.outcome) : <code>{main.code}</code>}
      </Link>
      {others.length > 0 ? <span className="muted">+{others.length}</span> : null}
    </span>
  );
}
