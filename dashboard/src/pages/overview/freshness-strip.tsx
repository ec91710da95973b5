// How fresh and how right the figures of a page are, in one line under its verdict. Tells a dead exporter from a quiet server.
import type { SummaryResponse } from '../../../../src/contract/responses.ts';
import { Icon } from '../../components/icon.tsx';
import { Ago } from '../../components/values.tsx';
import { prepareFreshness } from './prepare-freshness.ts';

export function FreshnessStrip({ freshness }: Pick<SummaryResponse, 'freshness'>) {
  return (
    <ul className="freshness">
      {prepareFreshness(freshness).map(({ text, tone, at }) => (
        <li key={text} className={tone === 'lost' ? 'lost' : undefined}>
          {tone === 'lost' ? <Icon name="server" /> : null} {text} {at ? <Ago at={at} /> : null}
        </li>
      ))}
    </ul>
  );
}
