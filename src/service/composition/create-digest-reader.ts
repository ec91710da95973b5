// Reads what a digest is composed of by the handlers of the API, so that its numbers are those of the dashboard and of
// `toolscope report`.

import type { Queries } from '../../contract/queries.ts';
import { composeDigest } from '../alerts/digest/compose-digest.ts';
import type { ReadDigest } from '../alerts/digest/digest-sender.ts';

/** One after the other: a digest must not take the store from the pages. */
export function createDigestReader(
  queries: Pick<Queries, 'summary' | 'changePoints' | 'attention' | 'neverCalled' | 'advice'>,
): ReadDigest {
  return async ({ range, server }) => {
    const query = { range, ...(server !== undefined && { server }) };
    return composeDigest({
      summary: await queries.summary(query),
      changePoints: await queries.changePoints(query),
      attention: await queries.attention(query),
      neverCalled: await queries.neverCalled({ ...query, limit: 1_000 }),
      goneAdvice: await queries.advice({ ...query, state: 'gone' }),
    });
  };
}
