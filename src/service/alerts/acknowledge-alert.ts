// Acknowledging an alert: somebody takes care of it, so its notification is not repeated. Its end is notified all the
// same, and the same problem starts anew when it fires again.

import type { AcknowledgementBody } from '../../contract/alerts.ts';
import { UserError } from '../../errors.ts';
import type { AlertState } from './alert-records.ts';

/** @throws UserError NOT_FOUND if no alert of that fingerprint is pending or firing */
export function acknowledgeAlert(
  alertState: AlertState,
  { fingerprint, author, comment }: AcknowledgementBody,
  atMs: number,
): AlertState {
  const { alertSet } = alertState;
  const isMeant = (alert: (typeof alertSet.alerts)[number]): boolean =>
    alert.fingerprint === fingerprint && alert.state !== 'resolved';
  if (!alertSet.alerts.some(isMeant))
    throw new UserError('NOT_FOUND', 'No pending or firing alert has this fingerprint.', {
      field: 'fingerprint',
    });
  const alerts = alertSet.alerts.map((alert) =>
    isMeant(alert) ? { ...alert, acknowledged: { author, comment, atMs } } : alert,
  );
  return { ...alertState, alertSet: { ...alertSet, alerts } };
}
