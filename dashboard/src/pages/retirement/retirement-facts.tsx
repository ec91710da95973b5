// What a verdict on a retirement rests on.
import { Link } from 'wouter';
import type { RetirementRow } from '../../../../src/contract/retirements.ts';
import { Fact } from '../../components/fact.tsx';
import { Ago, Count } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { describeRequiredDays } from './describe-retirement.ts';

const LISTED_LABELS = {
  true: 'listed now',
  false: 'no longer listed',
  null: 'unknown: no tools/list was seen',
};

interface RetirementFactsProps {
  readonly retirement: RetirementRow;
  readonly view: View;
}

export function RetirementFacts({ retirement, view }: RetirementFactsProps) {
  const { server, tool, successor, reason, isListed, lastCalledAt } = retirement;
  return (
    <dl className="facts">
      <Fact name="Tool">
        <Link href={toolPath(view, { tool, server })}>{tool}</Link>
      </Fact>
      <Fact name="Server">{server}</Fact>
      <Fact name="Successor">
        {successor === null ? (
          <span className="muted">not named</span>
        ) : (
          <Link href={toolPath(view, { tool: successor, server })}>{successor}</Link>
        )}
      </Fact>
      <Fact name="Why it is listed here">
        {reason === 'name' ? 'its name' : 'its title or description says deprecated'}
      </Fact>
      <Fact name="Catalogue">{LISTED_LABELS[`${isListed}`]}</Fact>
      <Fact name="Last call">{lastCalledAt === null ? 'never' : <Ago at={lastCalledAt} />}</Fact>
      <Fact name="Without a call" title="Until its server was last called or listed">
        {formatPlural(retirement.quietDays, 'day')}
      </Fact>
      <Fact name="Needed to be safe">{describeRequiredDays(retirement)}</Fact>
      <Fact name="Known since">
        <Ago at={retirement.knownSince} />
      </Fact>
      <Fact name="Calls" title="As far back as days are kept: thirteen months by default">
        <Count value={retirement.calls} />
        {retirement.successorCalls === null ? null : (
          <>
            {' '}
            of it, <Count value={retirement.successorCalls} /> of its successor
          </>
        )}
      </Fact>
    </dl>
  );
}
