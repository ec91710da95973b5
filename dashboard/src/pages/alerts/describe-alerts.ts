import type {
  AlertDeliveryRow,
  AlertRow,
  AlertsResponse,
  SilenceMatcher,
} from '../../../../src/contract/alerts.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';

export function describeAlerts({ alerts, rules }: Pick<AlertsResponse, 'alerts' | 'rules'>): string {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const silenced = firing.filter(({ silencedBy }) => silencedBy.length > 0).length;
  const active = rules.filter(({ enabled }) => enabled).length;
  const ruleText = active === 0 ? 'No active rules' : formatPlural(active, 'active rule');
  const alertText = firing.length === 0 ? 'No active alerts' : formatPlural(firing.length, 'firing alert');
  return `${alertText}${silenced > 0 ? `, ${silenced} silenced` : ''}. ${ruleText}.`;
}

/** What the rule compares: a loop has a severity, only a rule on calls has a threshold, and a storm neither. */
export function describeAlertValue({
  value,
  threshold,
  severity,
}: Pick<AlertRow, 'value' | 'threshold' | 'severity'>): string {
  if (severity !== null) return `${formatPlural(value, 'repetition')}, ${severity}`;
  return threshold === 0
    ? formatPlural(value, 'session')
    : `${formatPlural(value, 'call')}, threshold ${formatCount(threshold)}`;
}

/** As `name = value` or `name ≠ value`; of regular expressions as `name =~ value` or `name !~ value`. */
export function formatMatcher({ name, value, isEqual, isRegex }: SilenceMatcher): string {
  const operator = isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '≠';
  return `${name} ${operator} ${value === '' ? '(none)' : value}`;
}

export function describeDelivery({ status, httpStatus, reason, attempts }: AlertDeliveryRow): string {
  const httpText = httpStatus === null ? '' : ` HTTP ${httpStatus}`;
  const attemptText = attempts > 1 ? ` after ${attempts} attempts` : '';
  const reasonText = reason && status !== 'delivered' ? `: ${reason}` : '';
  return `${status}${httpText}${attemptText}${reasonText}`;
}
