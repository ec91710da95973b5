// The freshness of the page's data in one line. Distinguishes a failed exporter from an idle server.
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
