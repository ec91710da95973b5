// Describes alerts: the page's summary sentence, delivery states, and what a silence matches.
import type { AlertDeliveryRow, AlertsResponse, SilenceMatcher } from '../../../../src/contract/alerts.ts';
import { formatPlural } from '../../format/format-number.ts';

/** Whether alerts fire, how many of them are silenced, and how many rules are evaluated. */
export function describeAlerts({ alerts, rules }: Pick<AlertsResponse, 'alerts' | 'rules'>): string {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const silenced = firing.filter(({ silencedBy }) => silencedBy.length > 0).length;
  const watching = rules.filter(({ enabled }) => enabled).length;
  const watch =
    watching === 0
      ? 'No rule watches.'
      : `${formatPlural(watching, 'rule')} ${watching === 1 ? 'watches' : 'watch'}.`;
  if (firing.length === 0) return `Nothing fires. ${watch}`;
  const fires = `${formatPlural(firing.length, 'alert')} ${firing.length === 1 ? 'fires' : 'fire'}`;
  return `${fires}${silenced > 0 ? `, ${silenced} silenced` : ''}. ${watch}`;
}

/** As `name = value`, or `name ≠ value`. */
export function formatMatcher({ name, value, isEqual }: SilenceMatcher): string {
  return `${name} ${isEqual ? '=' : '≠'} ${value === '' ? '(none)' : value}`;
}

export function describeDelivery({ status, httpStatus, reason, attempts }: AlertDeliveryRow): string {
  const httpText = httpStatus === null ? '' : ` HTTP ${httpStatus}`;
  const tries = attempts > 1 ? ` after ${attempts} tries` : '';
  const why = reason && status !== 'delivered' ? `: ${reason}` : '';
  return `${status}${httpText}${tries}${why}`;
}
