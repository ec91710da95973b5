// The most frequent error messages of the range. Each pattern links to exactly its calls.
import { useId } from 'react';
import { Link } from 'wouter';
import type { CallValuesResponse, ErrorPattern } from '../../../../src/contract/call-values.ts';
import { Icon } from '../../components/icon.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { type CallsState, callsPath } from '../../paths.ts';
import { type View, withFilter } from '../../view/view.ts';

interface ErrorPatternsProps {
  readonly response: CallValuesResponse | undefined;
  readonly view: View;
  readonly state: CallsState;
}

export function ErrorPatterns({ response, view, state }: ErrorPatternsProps) {
  const id = useId();
  const patterns = response?.patterns ?? [];
  if (patterns.length === 0) return null;
  return (
    <div className="menu">
      <button type="button" className="button" popoverTarget={id}>
        {formatPlural(patterns.length, 'error pattern')} <Icon name="down" />
      </button>
      <div id={id} popover="auto" className="popover calls-menu wide">
        <ol className="offered" aria-label="Error patterns">
          {patterns.map((pattern) => (
            <li key={JSON.stringify(pattern)}>
              <Link href={patternPath(pattern, { view, state })}>
                <FaultIcon fault={pattern.fault} />
                <Pattern pattern={pattern} />
                <strong>{formatCount(pattern.count)}</strong>
              </Link>
            </li>
          ))}
        </ol>
        {response && !response.isWhole ? <p className="muted">Counted in the newest calls.</p> : null}
      </div>
    </div>
  );
}

function Pattern({
  pattern: { message, outcome, tool, server, code, argument },
}: {
  readonly pattern: ErrorPattern;
}) {
  return (
    <span>
      {message || formatOutcome(outcome)}
      <span className="muted">
        {' '}
        {tool || server}
        {code && code !== outcome ? <code> {code}</code> : null}
        {argument ? `, argument ${argument}` : ''}
      </span>
    </span>
  );
}

function patternPath(
  { server, tool, outcome, code, message, argument }: ErrorPattern,
  { view, state }: Pick<ErrorPatternsProps, 'view' | 'state'>,
): string {
  const own = withFilter(withFilter(view, ['server', server]), ['tool', tool || view.tool]);
  const { call: _, fault: __, ...rest } = state;
  return callsPath(own, { ...rest, errors: 'true', outcome, code, message, argument });
}
