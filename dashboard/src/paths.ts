// The URL of every page. Each function takes the view (range and filters), so that no link loses it.

import { MAX_MESSAGE_FILTER_LENGTH } from '../../src/contract/calls.ts';
import { type FilterValue, toFilterChoice, toFilterValue } from '../../src/contract/filter-value.ts';
import { FILTERS, type Filter } from '../../src/contract/query.ts';
import { GUARD_VERDICTS } from '../../src/core/model/guard-verdict.ts';
import { FAULTS, OUTCOMES } from '../../src/core/model/outcome.ts';
import { type PageParameters, type PageState, type PageValues, writePageState } from './view/page-state.ts';
import type { ToolRef } from './view/tool-ref.ts';
import { type View, writeView } from './view/view.ts';

function toPath(
  pathname: string,
  view: View,
  [parameters, state]: readonly [PageParameters, PageValues],
): string {
  const query = new URLSearchParams([...writeView(view), ...writePageState(parameters, state)]);
  return query.size > 0 ? `${pathname}?${query}` : pathname;
}

export const OVERVIEW_PARAMETERS = {
  /** The percentile of the latency chart; p95 by default. */
  percentile: ['p50'],
  /** The chart of errors shows rates; counts by default, which two calls that failed do not bury. */
  errors: ['rate'],
  /** Ids of charts shown as tables, joined with dots. */
  tables: 'text',
} as const;

export function overviewPath(view: View, state: PageState<typeof OVERVIEW_PARAMETERS> = {}): string {
  return toPath('/', view, [OVERVIEW_PARAMETERS, state]);
}

export const TOOL_TABS = [
  'failing',
  'slow',
  'expensive',
  'never',
  'removed',
  'unknown',
  'retirement',
  'advice',
] as const;
export type ToolTab = (typeof TOOL_TABS)[number];

export const TOOLS_PARAMETERS = {
  /** All called tools by default. */
  tab: TOOL_TABS,
  /** The state of the advice to list; open by default. */
  state: ['dismissed', 'gone', 'all'],
  /** A column id, prefixed with `-` for descending. */
  sort: 'text',
} as const;

export function toolsPath(view: View, state: PageState<typeof TOOLS_PARAMETERS> = {}): string {
  return toPath('/tools', view, [TOOLS_PARAMETERS, state]);
}

/**
 * Two servers may have a tool or a session of the same name, so the URL of one holds its server in addition to
 * the filter.
 */
const SERVER_PARAMETER = { of: 'text' } as const;

/** The page of one tool. It ignores the view's filters on tool and server, but keeps them for links back. */
export function toolPath(view: View, { tool, server }: ToolRef): string {
  return toPath(`/tools/${encodeURIComponent(tool)}`, view, [SERVER_PARAMETER, { of: server }]);
}

/** The fragment of the tool's versions, with the changes between them. */
export const VERSIONS_HASH = '#versions';

export function readToolName(pathname: string): string {
  return readLastSegment(pathname, '/tools/');
}

const VERSIONS_PARAMETERS = { of: 'text', before: 'text', after: 'text' } as const;

/** Two versions of a server compared in the range. */
export function comparisonPath(
  view: View,
  { server, before, after }: { readonly server: string; readonly before: string; readonly after: string },
): string {
  return toPath('/comparison', view, [VERSIONS_PARAMETERS, { of: server, before, after }]);
}

/** The changes of level of the range. */
export function incidentsPath(view: View): string {
  return toPath('/incidents', view, [{}, {}]);
}

export const ERRORS_PARAMETERS = {
  /** The groups to list; those that are open or regressed by default. */
  state: ['regressed', 'ignored', 'resolved', 'all'],
  /** One group. */
  group: 'text',
} as const;
export type ErrorsState = PageState<typeof ERRORS_PARAMETERS>;

/** The error groups of the range, with their states. */
export function errorsPath(view: View, state: ErrorsState = {}): string {
  return toPath('/errors', view, [ERRORS_PARAMETERS, state]);
}

/** The page of one tool to remove. */
export function retirementPath(view: View, { tool, server }: ToolRef): string {
  return toPath(`/retirements/${encodeURIComponent(tool)}`, view, [SERVER_PARAMETER, { of: server }]);
}

export function readRetiredTool(pathname: string): string {
  return readLastSegment(pathname, '/retirements/');
}

const SESSION_FILTERS = {
  minCalls: 'text',
  maxCalls: 'text',
  looping: ['true'],
  failed: ['all'],
  ended: ['error'],
  paused: ['true'],
  booting: ['true'],
} as const;
/** Which sessions to list; names as in the API. */
export type SessionFilter = PageState<typeof SESSION_FILTERS>;

export const SESSIONS_PARAMETERS = {
  ...SESSION_FILTERS,
  /** Most recent first by default. */
  order: ['calls', 'errors', 'duration'],
} as const;
export type SessionsState = PageState<typeof SESSIONS_PARAMETERS>;

/** A session's id and its server: two servers may have sessions of the same id. */
export interface SessionRef {
  readonly id: string;
  readonly of: string;
}

/** The session to compare with the one picked from the list. */
export const COMPARE_WITH_PARAMETERS = { compareWith: 'text', compareWithOf: 'text' } as const;

export function sessionsPath(view: View, state: SessionsState = {}, compareWith?: SessionRef): string {
  return toPath('/sessions', view, [
    { ...SESSIONS_PARAMETERS, ...COMPARE_WITH_PARAMETERS },
    { ...state, compareWith: compareWith?.id, compareWithOf: compareWith?.of },
  ]);
}

const COMPARISON_PARAMETERS = { a: 'text', aOf: 'text', b: 'text', bOf: 'text' } as const;

export function sessionComparisonPath(view: View, [a, b]: readonly [SessionRef, SessionRef]): string {
  const state = { a: a.id, aOf: a.of, b: b.id, bOf: b.of };
  return toPath('/sessions-comparison', view, [COMPARISON_PARAMETERS, state]);
}

export const SESSION_PARAMETERS = {
  ...SERVER_PARAMETER,
  /** The call that is scrolled into view and expanded, as `traceId.spanId`. */
  call: 'text',
  /** Lays out the timeline in real time; evenly by default. */
  spacing: ['time'],
  /** Shows requests other than tool calls. */
  others: ['true'],
} as const;
export type SessionState = PageState<typeof SESSION_PARAMETERS> & SessionRef;

export function sessionPath(view: View, { id, ...state }: SessionState): string {
  return toPath(`/sessions/${encodeURIComponent(id)}`, view, [SESSION_PARAMETERS, state]);
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

/** The page of the agent that had a session, with its sessions on other servers. */
export function agentPath(view: View, { id, of }: SessionRef): string {
  return toPath(`/agents/${encodeURIComponent(id)}`, view, [SERVER_PARAMETER, { of }]);
}

export function readAgentSession(pathname: string): string {
  return readLastSegment(pathname, '/agents/');
}

export function plansPath(view: View): string {
  return toPath('/plans', view, [{}, {}]);
}

/** Which results fed which arguments. */
export function resultUsePath(view: View): string {
  return toPath('/data-flow', view, [{}, {}]);
}

/** The page of one plan. */
export function planPath(view: View, id: string): string {
  return toPath(`/plans/${encodeURIComponent(id)}`, view, [{}, {}]);
}

export function readPlanId(pathname: string): string {
  return readLastSegment(pathname, '/plans/');
}

export const LOOPS_PARAMETERS = {
  state: ['active'],
  /** The lowest severity to list; suspected by default. */
  severity: ['note'],
  /** The loop whose evidence is expanded. */
  loop: 'text',
  /** The storm whose sessions are expanded. */
  storm: 'text',
} as const;
export type LoopsState = PageState<typeof LOOPS_PARAMETERS>;

export function loopsPath(view: View, state: LoopsState = {}): string {
  return toPath('/loops', view, [LOOPS_PARAMETERS, state]);
}

/** Filters on calls besides those of the view; names as in the API. Empty text means "has none". */
const CALLS_FILTER_PARAMETERS = {
  /** Only calls that stats count: tool calls with a final response. */
  counted: ['true'],
  errors: ['true', 'false'],
  method: { several: 'text' },
  outcome: { several: OUTCOMES },
  fault: { several: FAULTS },
  code: { several: 'empty or text' },
  /** The error message or its template, exactly. */
  message: { several: 'empty or text' },
  /** The argument that the error names. */
  argument: { several: 'empty or text' },
  session: { several: 'text' },
  protocol: { several: 'text' },
  transport: { several: 'text' },
  /** What a guard did about the call. */
  guard: { several: GUARD_VERDICTS },
  minMs: 'text',
  maxMs: 'text',
  /** Text in the name of the tool, the code or the message. */
  q: 'text',
} as const;
export type CallsFilter = keyof typeof CALLS_FILTER_PARAMETERS;

export const CALLS_PARAMETERS = {
  ...CALLS_FILTER_PARAMETERS,
  /** The expanded call, as `traceId.spanId`. */
  call: 'text',
} as const;
export type CallsState = PageState<typeof CALLS_PARAMETERS>;

const CALLS_FILTERS = Object.keys(CALLS_FILTER_PARAMETERS) as CallsFilter[]; // the keys of that record

/** The filters that are set, in the order of the URL. */
export function listCallsFilters(state: CallsState): (readonly [CallsFilter, FilterValue])[] {
  return CALLS_FILTERS.flatMap((name): (readonly [CallsFilter, FilterValue])[] => {
    const value = state[name];
    return value === undefined ? [] : [[name, value]];
  });
}

/** The calls page; lists every request that matches the filters, including those that stats do not count. */
export function callsPath(view: View, state: CallsState = {}): string {
  return toPath('/calls', view, [CALLS_PARAMETERS, { ...state, message: truncateMessages(state.message) }]);
}

function truncateMessages(filter: FilterValue | undefined): FilterValue | undefined {
  const { only, except } = toFilterChoice(filter);
  return toFilterValue({ only: only.map(truncateMessage), except: except.map(truncateMessage) });
}

/**
 * Truncates to the filter's maximum length, at which the service matches a prefix; never splits a surrogate
 * pair.
 */
function truncateMessage(message: string): string {
  return message.slice(0, MAX_MESSAGE_FILTER_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
}

/** The calls that a count covers, besides the range and the filters of its page. */
export type CountedCallsFilter = CallsState & Readonly<Partial<Record<Filter, FilterValue | undefined>>>;

/**
 * The calls page with exactly the calls that a count covers.
 *
 * @param of narrows the view; an empty or absent name leaves it unchanged
 */
export function countedCallsPath(view: View, of: CountedCallsFilter = {}): string {
  const names = FILTERS.filter((name) => of[name]);
  const narrowed = Object.fromEntries(names.map((name) => [name, of[name]]));
  return callsPath({ ...view, ...narrowed }, { ...of, counted: 'true' });
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
  return toPath('/alerts', view, [{}, {}]);
}

export const ALERT_RULE_PARAMETERS = {
  /** Id of the rule to duplicate. */
  copy: 'text',
  /** The server and the tool that a new rule is about. */
  of: 'text',
  on: 'text',
} as const;

/** The form of an alert rule; of a new one without an id. */
export function alertRulePath(
  view: View,
  { id, ...state }: PageState<typeof ALERT_RULE_PARAMETERS> & { readonly id?: string } = {},
): string {
  const path = id === undefined ? '/alert-rules' : `/alert-rules/${encodeURIComponent(id)}`;
  return toPath(path, view, [ALERT_RULE_PARAMETERS, state]);
}

/** @returns the id of the rule, or '' on the page of a new one */
export function readAlertRuleId(pathname: string): string {
  return readLastSegment(pathname, '/alert-rules/');
}

/** The page of one server. */
export function serverPath(view: View, server: string): string {
  return toPath(`/servers/${encodeURIComponent(server)}`, view, [{}, {}]);
}

export function readServerName(pathname: string): string {
  return readLastSegment(pathname, '/servers/');
}

export const CLIENTS_PARAMETERS = {
  /** The rows of the table of callers and tools; clients by default. */
  by: ['user'],
} as const;

export function clientsPath(view: View, state: PageState<typeof CLIENTS_PARAMETERS> = {}): string {
  return toPath('/clients', view, [CLIENTS_PARAMETERS, state]);
}

/** How to instrument another server. */
export function addServerPath(view: View): string {
  return toPath('/add-server', view, [{}, {}]);
}

/** The settings in force, storage and ingest of the service. */
export function administrationPath(view: View): string {
  return toPath('/administration', view, [{}, {}]);
}

export function settingsPath(view: View): string {
  return toPath('/settings', view, [{}, {}]);
}
