// The alerts that the verdict names: firing and not silenced.

import type { AlertsResponse } from '../../../contract/alerts.ts';
import type { FiringAlert } from '../query/query-context.ts';

export function findFiringAlerts({ rules, alerts }: AlertsResponse): FiringAlert[] {
  const kinds = new Map(rules.map(({ id, kind }) => [id, kind]));
  return alerts.flatMap(({ ruleId, state, labels, silencedBy, server, tools, sentence }) => {
    const kind = kinds.get(ruleId);
    if (state !== 'firing' || silencedBy.length > 0 || kind === undefined) return [];
    const { environment = '', client = '' } = labels;
    return [{ rule: ruleId, kind, server, environment, client, tools, sentence }];
  });
}
