// What the API asks of the alerts.

import type {
  AlertDeliveriesAnswer,
  AlertEventsAnswer,
  AlertEventsQuery,
  AlertsAnswer,
  AlertTestAnswer,
  SilenceBody,
  SilenceRow,
  SilencesAnswer,
} from '../../contract/alerts.ts';
import type { Resolved } from './questions-port.ts';

export interface AlertsPort {
  list(): AlertsAnswer;
  /** Throws UpstreamError when the store fails. */
  events(query: Resolved<AlertEventsQuery>): Promise<AlertEventsAnswer>;
  deliveries(): AlertDeliveriesAnswer;
  silences(): SilencesAnswer;
  addSilence(body: SilenceBody): Promise<SilenceRow>;
  /** Throws UserError NOT_FOUND. */
  endSilence(id: string): Promise<void>;
  /** Throws UserError INVALID_BODY when there is no such receiver. */
  test(receiver: string): Promise<AlertTestAnswer>;
}
