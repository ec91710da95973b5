// The figures of one tool, each a link to what it counts.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ToolAnswer } from '../../../../src/contract/tool.ts';
import { FEW_CALLS } from '../../charts/prepared-chart.ts';
import { Count, Share } from '../../components/figures.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import {
  formatCount,
  formatNoun,
  formatRate,
  formatSignificant,
  NOTHING,
} from '../../format/format-number.ts';
import { loopsPath, sessionsPath, toCalls } from '../../paths.ts';
import { toOwnView } from './to-own-view.ts';
import type { ToolPartProps } from './tool-page.tsx';

const LISTED: Readonly<Record<ToolAnswer['listed'], string>> = {
  current: 'listed now',
  retired: 'no longer listed',
  unlisted: 'never listed',
  unknown_catalogue: 'unknown: its server was not asked for tools/list',
};

export function ToolFacts({ answer, view }: ToolPartProps) {
  const { calls, sessions, next, loopShare, triesPerSuccess, resultTokensP95 } = answer;
  const own = toOwnView(view, answer);
  const isFew = calls < FEW_CALLS;
  return (
    <dl className="facts tool-facts">
      <Fact name="Server">{answer.server}</Fact>
      <Fact name="Catalogue">{LISTED[answer.listed]}</Fact>
      <Fact name="Calls">
        <Link href={toCalls(own)}>
          <Count value={calls} />
        </Link>
      </Fact>
      <Fact name="Sessions">
        <Link href={sessionsPath(own)}>
          <Count value={sessions} />
        </Link>
      </Fact>
      <Fact name="Error rate">
        <Link href={toCalls(own, { errors: 'true' })}>
          <Share share={answer.errorRate} withInterval />
        </Link>
      </Fact>
      <Fact name="p50, p95">
        <span className={isFew ? 'few' : undefined}>
          {formatDuration(answer.p50Ms)}, {formatDuration(answer.p95Ms)}
        </span>
      </Fact>
      <Fact name="After an error" title="Of failed calls whose session is whole enough to say what came next">
        {next.n === 0 ? (
          NOTHING
        ) : (
          <>
            {formatRate(next.recovered / next.n)} recovered, {formatRate(next.gaveUp / next.n)} gave up{' '}
            <span className="muted">of {formatCount(next.n)}</span>
          </>
        )}
      </Fact>
      <Fact name="Tries per success">
        {triesPerSuccess === null ? NOTHING : formatSignificant(triesPerSuccess)}
      </Fact>
      <Fact name="In loops">
        <Link href={loopsPath(own)}>
          <Share share={loopShare} />
        </Link>
      </Fact>
      <Fact name="Result p95" title="Estimated tokens of the longest results: characters / 4">
        {resultTokensP95 === null ? NOTHING : `≈ ${formatNoun(resultTokensP95, 'token')}`}
      </Fact>
      <Fact name="Results" title="What its newest results are made of">
        <Results results={answer.results} />
      </Fact>
    </dl>
  );
}

function Results({ results: { n, structured, json } }: Pick<ToolAnswer, 'results'>) {
  if (n === 0) return NOTHING;
  const kinds = [
    [structured, 'structured'],
    [json, 'JSON in a text'],
    [n - structured - json, 'text or media'],
  ] as const;
  const told = kinds.flatMap(([count, name]) =>
    count > 0 ? [count === n ? name : `${name} ${formatRate(count / n)}`] : [],
  );
  return (
    <>
      {told.join(', ')} <span className="muted">of {formatCount(n)}</span>
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ReactNode;
}

function Fact({ name, title, children }: FactProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
