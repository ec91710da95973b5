// The alert operations that the API uses.

import type {
  AlertDeliveriesResponse,
  AlertEventsQuery,
  AlertEventsResponse,
  AlertsResponse,
  AlertTestResponse,
  SilenceBody,
  SilenceRow,
  SilencesResponse,
} from '../../contract/alerts.ts';
import type { ResolvedQuery } from '../../contract/queries.ts';

export interface AlertsService {
  list(): AlertsResponse;
  /** Throws UpstreamError when the store fails. */
  events(query: ResolvedQuery<AlertEventsQuery>): Promise<AlertEventsResponse>;
  deliveries(): AlertDeliveriesResponse;
  silences(): SilencesResponse;
  addSilence(body: SilenceBody): Promise<SilenceRow>;
  /** Throws UserError NOT_FOUND. */
  endSilence(id: string): Promise<void>;
  /** Throws UserError INVALID_BODY when there is no such receiver. */
  test(receiver: string): Promise<AlertTestResponse>;
}
