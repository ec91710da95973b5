// The URL of every page. Each function takes the view (range and filters), so that no link loses it.
import { MAX_MESSAGE_FILTER_LENGTH } from '../../src/contract/query.ts';
import { type View, writeView } from './view/view.ts';

/** Page state in the URL query besides the view; defaults are omitted. */
type PageParams = Readonly<Record<string, string | undefined>>;

function toPath(pathname: string, view: View, own: PageParams = {}): string {
  const query = new URLSearchParams(writeView(view));
  for (const [name, value] of Object.entries(own)) if (value) query.set(name, value);
  const text = query.toString();
  return text ? `${pathname}?${text}` : pathname;
}

export interface OverviewState {
  /** The percentile of the latency chart; p95 by default. */
  readonly percentile?: 'p50' | undefined;
  /** Ids of charts shown as tables, joined with dots. */
  readonly tables?: string | undefined;
}

export function overviewPath(view: View, { percentile, tables }: OverviewState = {}): string {
  return toPath('/', view, { percentile, tables });
}

export const TOOL_TABS = ['failing', 'slow', 'expensive', 'never', 'removed', 'missing', 'advice'] as const;
export type ToolTab = (typeof TOOL_TABS)[number];

export interface ToolsState {
  /** A column id, prefixed with `-` for descending. */
  readonly sort?: string | undefined;
  /** The tab of the tools page; all called tools by default. */
  readonly tab?: ToolTab | undefined;
  /** The state of the advice to list; open by default. */
  readonly state?: 'dismissed' | 'gone' | 'all' | undefined;
}

export function toolsPath(view: View, { sort, tab, state }: ToolsState = {}): string {
  return toPath('/tools', view, { tab, state, sort });
}

export interface ToolState {
  readonly tool: string;
  /**
   * Two servers may have a tool of that name, so the URL holds the tool's server in addition to the filter.
   */
  readonly server: string;
}

/** The page of one tool. It ignores the view's filters on tool and server, but keeps them for links back. */
export function toolPath(view: View, { tool, server }: ToolState): string {
  return toPath(`/tools/${encodeURIComponent(tool)}`, view, { of: server });
}

/** The fragment of the tool's versions, with the changes between them. */
export const VERSIONS_HASH = '#versions';

export function readToolName(pathname: string): string {
  return readLastSegment(pathname, '/tools/');
}

/** Which sessions to list; names as in the API. */
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
  /** Most recent first by default. */
  readonly order?: 'calls' | 'errors' | 'duration' | undefined;
}

/** A session's id and its server: two servers may have sessions of the same id. */
export interface SessionRef {
  readonly id: string;
  readonly of: string;
}

/** @param compareWith a session to compare with the one picked from the list */
export function sessionsPath(view: View, state: SessionsState = {}, compareWith?: SessionRef): string {
  const { minCalls, maxCalls, looping, failed, ended, paused, booting, order } = state;
  const kind = { minCalls, maxCalls, looping, failed, ended, paused, booting, order };
  return toPath('/sessions', view, { ...kind, beside: compareWith?.id, besideOf: compareWith?.of });
}

export function sessionComparisonPath(view: View, [a, b]: readonly [SessionRef, SessionRef]): string {
  return toPath('/sessions-compared', view, { a: a.id, aOf: a.of, b: b.id, bOf: b.of });
}

export interface SessionState {
  readonly id: string;
  /** Two servers may have a session of that id, so the URL holds its server in addition to the filter. */
  readonly of: string;
  /** The call that is scrolled into view and expanded, as `traceId.spanId`. */
  readonly call?: string | undefined;
  /** Lays out the timeline in real time; evenly by default. */
  readonly spacing?: 'time' | undefined;
  /** Shows requests other than tool calls. */
  readonly others?: 'true' | undefined;
}

export function sessionPath(view: View, { id, of, call, spacing, others }: SessionState): string {
  return toPath(`/sessions/${encodeURIComponent(id)}`, view, { of, call, spacing, others });
}

/** Ids may contain slashes and percent signs, which a router would decode twice. */
export function readSessionId(pathname: string): string {
  return readLastSegment(pathname, '/sessions/');
}

function readLastSegment(pathname: string, start: string): string {
  const raw = pathname.slice(start.length);
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw; // an invalid escape, typed by hand: used as is
  }
}

export interface LoopsState {
  readonly state?: 'active' | undefined;
  /** The lowest severity to list; suspected by default. */
  readonly severity?: 'note' | undefined;
  /** The loop whose evidence is expanded. */
  readonly loop?: string | undefined;
  /** The storm whose sessions are expanded. */
  readonly storm?: string | undefined;
}

export function loopsPath(view: View, { state, severity, loop, storm }: LoopsState = {}): string {
  return toPath('/loops', view, { state, severity, loop, storm });
}

/**
 * Filters on calls besides those of the view; names as in the API. An empty value is a filter where noted.
 */
export interface CallsState {
  /** Only calls that stats count: tool calls with a final response. */
  readonly counted?: 'true' | undefined;
  readonly errors?: 'true' | 'false' | undefined;
  readonly method?: string | undefined;
  readonly outcome?: string | undefined;
  readonly fault?: string | undefined;
  /** Empty matches calls without a code. */
  readonly code?: string | undefined;
  /** The error message or its template, exactly. Empty matches calls without one. */
  readonly message?: string | undefined;
  /** The argument that the error names. Empty matches calls whose error names none. */
  readonly argument?: string | undefined;
  readonly session?: string | undefined;
  readonly protocol?: string | undefined;
  readonly transport?: string | undefined;
  readonly minMs?: string | undefined;
  readonly maxMs?: string | undefined;
  /** The expanded call, as `traceId.spanId`. */
  readonly call?: string | undefined;
}

/** In URL order. */
export const CALLS_FILTERS = [
  ...(['counted', 'errors', 'method', 'outcome', 'fault', 'code', 'message', 'argument'] as const),
  ...(['session', 'protocol', 'transport', 'minMs', 'maxMs'] as const),
] as const;
export type CallsFilter = (typeof CALLS_FILTERS)[number];

/** Filters for which an empty value means "has none" rather than "not set". */
const FILTERS_MATCHING_EMPTY: readonly string[] = ['code', 'message', 'argument'] satisfies CallsFilter[];

export function isFilterSet(name: CallsFilter, value: string | undefined): value is string {
  return value !== undefined && (value !== '' || FILTERS_MATCHING_EMPTY.includes(name));
}

/** The calls page; lists every request that matches the filters, including those that stats do not count. */
export function callsPath(view: View, state: CallsState = {}): string {
  const own = CALLS_FILTERS.flatMap((name): [string, string][] => {
    const value = name === 'message' ? truncateMessage(state.message) : state[name];
    return isFilterSet(name, value) ? [[name, value]] : [];
  });
  const query = new URLSearchParams([...writeView(view), ...own]);
  if (state.call) query.set('call', state.call);
  return query.size > 0 ? `/calls?${query}` : '/calls';
}

/**
 * Truncates to the filter's maximum length, at which the service matches a prefix; never splits a surrogate
 * pair.
 */
function truncateMessage(message: string | undefined): string | undefined {
  return message?.slice(0, MAX_MESSAGE_FILTER_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
}

/** The calls that a count covers, besides the range and the filters of its page. */
export interface CountedCallsFilter extends CallsState {
  readonly server?: string | undefined;
  readonly environment?: string | undefined;
  readonly tool?: string | undefined;
  readonly client?: string | undefined;
  readonly version?: string | undefined;
}

/**
 * The calls page with exactly the calls that a count covers.
 *
 * @param of narrows the view; an empty or absent name leaves it unchanged
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

/** The fields of a session that select its calls. */
export interface SessionBounds {
  readonly sessionId: string;
  readonly server: string;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** All calls of a session, independent of the view's range and filters, as its stats cover all of them. */
export function sessionCallsPath(view: View, session: SessionBounds, state: CallsState = {}): string {
  const { sessionId, server, startedAt, endedAt } = session;
  // The end of a range is exclusive.
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
