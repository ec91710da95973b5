// How many sessions there are of each kind, how long they are in calls, and which clients connect and call nothing.
// What the chips and the histogram above the list of sessions show.

import { z } from 'zod';
import { CommonQuery } from './query.ts';

const count = z.number().int().nonnegative();
const time = z.string();

export const SessionCountsQuery = CommonQuery;

/** Sessions without a tool call, of one client at one server. */
export const SessionsWithoutCalls = z.object({
  server: z.string(),
  client: z.string(),
  sessions: count,
  /** Those that connected in so many words (`initialize`, `server/discover`). */
  connected: count,
  /** Those that listed the tools. */
  listedTools: count,
  /** Those of five or more that connected within ten minutes and called nothing; never ones known by a trace alone. */
  booting: count,
  /** When the first and the last of those began; null where there are none. */
  bootingFrom: time.nullable(),
  bootingTo: time.nullable(),
});
export type SessionsWithoutCalls = z.infer<typeof SessionsWithoutCalls>;

export const SessionCountsResponse = z.object({
  range: z.object({ fromMs: z.number(), toMs: z.number() }),
  total: count,
  overThirty: count,
  looping: count,
  allFailed: count,
  endedOnError: count,
  /** Silent for half an hour, to within five minutes. */
  paused: count,
  oneCall: count,
  uncalled: count,
  booting: count,
  /** Sessions that go beyond the range; they are counted whole. */
  cut: count,
  /** Sessions by their number of tool calls, from few to many; the last one has no upper bound. */
  callsPerSession: z.array(z.object({ from: count, to: count.nullable(), sessions: count })),
  /** By client and server, most sessions first; at most fifty. */
  uncalledBy: z.array(SessionsWithoutCalls),
});
export type SessionCountsResponse = z.infer<typeof SessionCountsResponse>;
