// The stats of one tool, each with a link to what it counts.
import { Link } from 'wouter';
import type { ToolResponse } from '../../../../src/contract/tool.ts';
import { Fact } from '../../components/fact.tsx';
import { ServerLink } from '../../components/server-link.tsx';
import { Duration } from '../../components/table-columns.tsx';
import { Count, Share } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import {
  formatCount,
  formatPlural,
  formatRate,
  formatSignificant,
  NO_VALUE,
} from '../../format/format-number.ts';
import { countedCallsPath, loopsPath, sessionsPath } from '../../paths.ts';
import { toToolView } from '../../view/tool-ref.ts';
import type { ToolPanelProps } from './tool-panel-props.ts';

const LISTING_LABELS: Readonly<Record<ToolResponse['listed'], string>> = {
  current: 'listed now',
  retired: 'no longer listed',
  unlisted: 'never listed',
  unknown_catalogue: 'unknown: no tools/list was seen',
};

export function ToolFacts({ response, view }: ToolPanelProps) {
  const { calls, sessions, next, loopShare, triesPerSuccess, resultTokensP95 } = response;
  const own = toToolView(view, response);
  return (
    <dl className="facts tool-facts">
      <Fact name="Server">
        <ServerLink server={response.server} />
      </Fact>
      <Fact name="Catalogue">{LISTING_LABELS[response.listed]}</Fact>
      <Fact name="Calls">
        <Link href={countedCallsPath(own)}>
          <Count value={calls} />
        </Link>
      </Fact>
      <Fact name="Sessions">
        <Link href={sessionsPath(own)}>
          <Count value={sessions} />
        </Link>
      </Fact>
      <Fact name="Error rate">
        <Link href={countedCallsPath(own, { errors: 'true' })}>
          <Share share={response.errorRate} withInterval />
        </Link>
      </Fact>
      <Fact name="p50, p95">
        <Duration ms={response.p50Ms} n={calls} />, {formatDuration(response.p95Ms)}
      </Fact>
      <Fact name="After an error" title="Of failed calls whose next call is known">
        {next.n === 0 ? (
          NO_VALUE
        ) : (
          <>
            {formatRate(next.recovered / next.n)} recovered, {formatRate(next.gaveUp / next.n)} gave up{' '}
            <span className="muted">of {formatCount(next.n)}</span>
          </>
        )}
      </Fact>
      <Fact name="Calls per success">
        {triesPerSuccess === null ? NO_VALUE : formatSignificant(triesPerSuccess)}
      </Fact>
      <Fact name="In loops">
        <Link href={loopsPath(own)}>
          <Share share={loopShare} />
        </Link>
      </Fact>
      <Fact name="Result p95" title="Estimated tokens of the longest results: characters / 4">
        {resultTokensP95 === null ? NO_VALUE : `≈ ${formatPlural(resultTokensP95, 'token')}`}
      </Fact>
      <Fact name="Results" title="Content types of its newest results">
        <ResultKinds results={response.results} />
      </Fact>
    </dl>
  );
}

function ResultKinds({ results: { n, structured, json } }: Pick<ToolResponse, 'results'>) {
  if (n === 0) return NO_VALUE;
  const kinds = [
    [structured, 'structured'],
    [json, 'JSON in a text'],
    [n - structured - json, 'text or media'],
  ] as const;
  const parts = kinds.flatMap(([count, name]) =>
    count > 0 ? [count === n ? name : `${name} ${formatRate(count / n)}`] : [],
  );
  return (
    <>
      {parts.join(', ')} <span className="muted">of {formatCount(n)}</span>
    </>
  );
}
