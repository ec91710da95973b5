// Every URL of the dashboard, as a function. Each takes the view (range and filters), so none can lose them.
import { MAX_MESSAGE_FILTER_LENGTH } from '../../src/contract/query.ts';
import { type View, writeView } from './view/view.ts';

/** What a page keeps in the query beside the view; a default is left out. */
type PageParams = Readonly<Record<string, string | undefined>>;

function toPath(pathname: string, view: View, own: PageParams = {}): string {
  const query = new URLSearchParams(writeView(view));
  for (const [name, value] of Object.entries(own)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `${pathname}?${text}` : pathname;
}

export interface OverviewState {
  /** Which percentile the latency chart draws; p95 unless told. */
  readonly percentile?: 'p50' | undefined;
  /** Charts that are shown as tables, joined with dots. */
  readonly tables?: string | undefined;
}

export function overviewPath(view: View, { percentile, tables }: OverviewState = {}): string {
  return toPath('/', view, { percentile, tables });
}

export const TOOL_TABS = ['failing', 'slow', 'expensive', 'never', 'removed', 'missing', 'advice'] as const;
export type ToolTab = (typeof TOOL_TABS)[number];

export interface ToolsState {
  /** A column, with `-` before it for descending. */
  readonly sort?: string | undefined;
  /** Which part of the tools; all that were called unless told. */
  readonly tab?: ToolTab | undefined;
  /** Which advice; open unless told. */
  readonly state?: 'dismissed' | 'gone' | 'all' | undefined;
}

export function toolsPath(view: View, { sort, tab, state }: ToolsState = {}): string {
  return toPath('/tools', view, { tab, state, sort });
}

export interface ToolState {
  readonly tool: string;
  /** Two servers may have a tool of that name, so the tool's own server stands in the address beside the filter. */
  readonly server: string;
}

/** One tool. Its filters go along; those of tool and server say nothing here, and lead back to where they were set. */
export function toolPath(view: View, { tool, server }: ToolState): string {
  return toPath(`/tools/${encodeURIComponent(tool)}`, view, { of: server });
}

/** Where the definitions of a tool stand on its page, with what changed between them. */
export const VERSIONS_HASH = '#versions';

export function readToolName(pathname: string): string {
  return readLastSegment(pathname, '/tools/');
}

/** Which sessions, named as in the API. */
export interface SessionFilter {
  readonly minCalls?: string | undefined;
  readonly maxCalls?: string | undefined;
  readonly looping?: 'true' | undefined;
  readonly failed?: 'all' | undefined;
  readonly ended?: 'error' | undefined;
  readonly paused?: 'true' | undefined;
  readonly booting?: 'true' | undefined;
}

export interface SessionsState extends SessionFilter {
  /** Most recent first unless told. */
  readonly order?: 'calls' | 'errors' | 'duration' | undefined;
}

/** A session's id, and its own server: two may have one id. */
export interface SessionRef {
  readonly id: string;
  readonly of: string;
}

/** @param compareWith waits for another session to be compared with */
export function sessionsPath(view: View, state: SessionsState = {}, compareWith?: SessionRef): string {
  const { minCalls, maxCalls, looping, failed, ended, paused, booting, order } = state;
  const kind = { minCalls, maxCalls, looping, failed, ended, paused, booting, order };
  return toPath('/sessions', view, { ...kind, beside: compareWith?.id, besideOf: compareWith?.of });
}

/** Two sessions side by side. */
export function sessionComparisonPath(view: View, [a, b]: readonly [SessionRef, SessionRef]): string {
  return toPath('/sessions-compared', view, { a: a.id, aOf: a.of, b: b.id, bOf: b.of });
}

export interface SessionState {
  readonly id: string;
  /** Two servers may have one id, so the session's own server stands in the address beside the filter. */
  readonly of: string;
  /** The call that is brought into view and folded open, as `traceId.spanId`. */
  readonly call?: string | undefined;
  /** Lays the timeline out in real time; evenly unless told. */
  readonly spacing?: 'time' | undefined;
  /** Shows requests that are no tool calls. */
  readonly others?: 'true' | undefined;
}

export function sessionPath(view: View, { id, of, call, spacing, others }: SessionState): string {
  return toPath(`/sessions/${encodeURIComponent(id)}`, view, { of, call, spacing, others });
}

/** The session id in a raw pathname; ids may hold slashes and percent signs, which a router would decode twice. */
export function readSessionId(pathname: string): string {
  return readLastSegment(pathname, '/sessions/');
}

function readLastSegment(pathname: string, start: string): string {
  const raw = pathname.slice(start.length);
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw; // typed by hand with a lone %: taken as it stands
  }
}

export interface LoopsState {
  readonly state?: 'active' | undefined;
  /** The weakest to be listed; suspected unless told. */
  readonly severity?: 'note' | undefined;
  /** The loop whose evidence is folded open. */
  readonly loop?: string | undefined;
  /** The storm whose sessions are folded open. */
  readonly storm?: string | undefined;
}

export function loopsPath(view: View, { state, severity, loop, storm }: LoopsState = {}): string {
  return toPath('/loops', view, { state, severity, loop, storm });
}

/** Filters of the calls beside those of the view, named as in the API. Empty is a filter where it says so. */
export interface CallsState {
  /** Only what every figure counts: tool calls that a server answered for good. */
  readonly counted?: 'true' | undefined;
  readonly errors?: 'true' | 'false' | undefined;
  readonly method?: string | undefined;
  readonly outcome?: string | undefined;
  readonly fault?: string | undefined;
  /** Empty: the calls without one. */
  readonly code?: string | undefined;
  /** The error's message or its template, exactly. Empty: the calls without one. */
  readonly message?: string | undefined;
  /** The argument that the error names. Empty: the calls whose error names none. */
  readonly argument?: string | undefined;
  readonly session?: string | undefined;
  readonly protocol?: string | undefined;
  readonly transport?: string | undefined;
  readonly minMs?: string | undefined;
  readonly maxMs?: string | undefined;
  /** The call that is folded open, as `traceId.spanId`. */
  readonly call?: string | undefined;
}

/** In the order of the address. */
export const CALLS_FILTERS = [
  ...(['counted', 'errors', 'method', 'outcome', 'fault', 'code', 'message', 'argument'] as const),
  ...(['session', 'protocol', 'transport', 'minMs', 'maxMs'] as const),
] as const;
export type CallsFilter = (typeof CALLS_FILTERS)[number];

/** Filters for which empty means "has none" rather than "not asked". */
const FILTERS_MATCHING_EMPTY: readonly string[] = ['code', 'message', 'argument'] satisfies CallsFilter[];

export function isFilterSet(name: CallsFilter, value: string | undefined): value is string {
  return value !== undefined && (value !== '' || FILTERS_MATCHING_EMPTY.includes(name));
}

/** The page of calls; every request that the filters name, also those that no figure counts. */
export function callsPath(view: View, state: CallsState = {}): string {
  const own = CALLS_FILTERS.flatMap((name): [string, string][] => {
    const value = name === 'message' ? truncateMessage(state.message) : state[name];
    return isFilterSet(name, value) ? [[name, value]] : [];
  });
  const query = new URLSearchParams([...writeView(view), ...own]);
  if (state.call) query.set('call', state.call);
  return query.size > 0 ? `/calls?${query}` : '/calls';
}

/** The service compares the beginning of a message that fills the filter; a character of two units stays whole. */
function truncateMessage(message: string | undefined): string | undefined {
  return message?.slice(0, MAX_MESSAGE_FILTER_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
}

/** What a figure is of, beside the range and the filters of its page. */
export interface CountedCallsFilter extends CallsState {
  readonly server?: string | undefined;
  readonly environment?: string | undefined;
  readonly tool?: string | undefined;
  readonly client?: string | undefined;
  readonly version?: string | undefined;
}

/**
 * The very calls that a figure counts: the list has as many as the figure says.
 *
 * @param of narrows the view; a name that is empty or absent leaves it as it is
 */
export function countedCallsPath(
  view: View,
  { server, environment, tool, client, version, ...state }: CountedCallsFilter = {},
): string {
  const narrowed = Object.entries({ server, environment, tool, client, version }).flatMap(
    ([name, value]): [string, string][] => (value ? [[name, value]] : []),
  );
  return callsPath({ ...view, ...Object.fromEntries(narrowed) }, { ...state, counted: 'true' });
}

/** What of a session says which calls are its own. */
export interface SessionBounds {
  readonly sessionId: string;
  readonly server: string;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** The calls of a whole session, whatever range and filters it was found with: its figures are of all of it. */
export function sessionCallsPath(view: View, session: SessionBounds, state: CallsState = {}): string {
  const { sessionId, server, startedAt, endedAt } = session;
  // The end of a range is left out of it.
  const to = new Date(Date.parse(endedAt) + 1).toISOString();
  return callsPath(
    { from: startedAt, to, server, ...(view.zone && { zone: view.zone }) },
    { ...state, session: sessionId },
  );
}

export function alertsPath(view: View): string {
  return toPath('/alerts', view);
}

export function settingsPath(view: View): string {
  return toPath('/settings', view);
}
