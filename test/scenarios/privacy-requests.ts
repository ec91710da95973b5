// The requests with which a search for leaks asks a service: every resource of the contract, so that a new one is asked by itself,
// with its required parameters; those that group or follow calls also with each of their filters.
import type { CallRow, CallsResponse } from '../../src/contract/calls.ts';
import type { PlansResponse } from '../../src/contract/plans.ts';
import { RESOURCES, type ResourceName } from '../../src/contract/resources.ts';
import { SERIES_METRICS } from '../../src/contract/series.ts';
import type { SessionsResponse } from '../../src/contract/sessions.ts';
import type { ToolsResponse } from '../../src/contract/tools.ts';
import { PROOF_PATH } from '../../src/service/api/control-proof.ts';
import { NON_RESOURCE_ROUTES } from '../../src/service/api/openapi-routes.ts';
import type { RunningService } from '../support/service.ts';

type Parameters = Readonly<Record<string, string>>;
/** What the path is about, and values for the parameters that go with it. */
interface Subject {
  readonly id?: string;
  readonly values: Parameters;
}
export interface SearchRequest {
  /** Of a resource, or the path of a route that is none. */
  readonly name: string;
  readonly path: string;
}

const FILTERED: readonly ResourceName[] = [
  ...(['rates', 'resultUse', 'toolColumns', 'recoveries', 'callers', 'errorGroups', 'agentSide'] as const),
];
/** Values of parameters that are not taken from calls. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  metric: SERIES_METRICS,
  by: ['user'],
  from: ['now-1h'],
};
const LIMITS: Readonly<Partial<Record<ResourceName, string>>> = { calls: '1000', backtest: '10' };
/** Subjects of each kind: a page is the same code for all of them. */
const MAX_SUBJECTS = 6;

export async function listRequests(service: RunningService): Promise<SearchRequest[]> {
  const subjects = await findSubjects(service);
  const routes = NON_RESOURCE_ROUTES.filter(
    ({ method, path }) => method === 'get' && !path.endsWith('/stream'),
  );
  return [
    ...routes.map(({ path }) => ({ name: path, path })),
    ...Object.keys(RESOURCES).flatMap((name) => listResourceRequests(name as ResourceName, subjects)), // its keys
  ];
}

interface Subjects {
  readonly calls: readonly Subject[];
  readonly tools: readonly Subject[];
  readonly sessions: readonly Subject[];
  readonly plans: readonly Subject[];
  /** The ones of which most is known first. */
  readonly servers: readonly Subject[];
}

async function findSubjects(service: RunningService): Promise<Subjects> {
  const { tools } = await service.ask<ToolsResponse>('tools');
  const { sessions } = await service.ask<SessionsResponse>('sessions');
  const { calls } = await service.ask<CallsResponse>('calls?limit=1000');
  const { plans } = await service.ask<PlansResponse>('plans');
  const first = <T>(rows: readonly T[], toSubject: (row: T) => Subject) =>
    rows.slice(0, MAX_SUBJECTS).map(toSubject);
  const servers = [...new Map(calls.map((call) => [call.server, call])).values()].map(toServerSubject);
  return {
    calls: first(calls, ({ traceId, spanId, server, startedAt }) => ({
      id: `${traceId}.${spanId}`,
      values: { server, at: startedAt },
    })),
    tools: first(tools, ({ tool, server }) => ({ id: tool, values: { server } })),
    sessions: first(sessions, ({ sessionId, server }) => ({ id: sessionId, values: { server } })),
    plans: first(plans, ({ planId }) => ({ id: planId, values: {} })),
    servers: servers.sort((one, other) => countKnown(other) - countKnown(one)),
  };
}

const toServerSubject = ({ server, tool, environment, client, serverVersion, planId }: CallRow): Subject => ({
  values: { server, tool, environment, client, version: serverVersion, plan: planId },
});

const countKnown = ({ values }: Subject): number => Object.values(values).filter(Boolean).length;

function subjectsOf(name: ResourceName, subjects: Subjects): readonly Subject[] {
  const { path } = RESOURCES[name];
  if (!path.includes(':id')) return [...subjects.servers.slice(0, 1), ...subjects.servers.slice(-1)];
  if (path.startsWith('calls/')) return subjects.calls;
  if (path.startsWith('sessions/')) return subjects.sessions;
  return path.startsWith('plans/') ? subjects.plans : subjects.tools;
}

function listResourceRequests(name: ResourceName, subjects: Subjects): SearchRequest[] {
  const { path, query } = RESOURCES[name];
  const fields = Object.entries(query.shape);
  const required = fields.filter(([, field]) => !field.safeParse(undefined).success).map(([key]) => key);
  const limit = LIMITS[name];
  const requests = subjectsOf(name, subjects).flatMap(({ id = '', values }, at) => {
    const base = `/api/v1/${path.replace(':id', encodeURIComponent(id))}`;
    // A session or a plan may have a namesake on another server.
    const asked = id === '' ? required : [...required, ...('server' in query.shape ? ['server'] : [])];
    const alone = toQueries(asked, values).map((own) => ({ ...own, ...(limit && { limit }) }));
    const filtered = (at === 0 ? listFilters(name) : []).flatMap((key) =>
      toQueries([...required, key], values),
    );
    return [...alone, ...filtered].map((own) => `${base}?${new URLSearchParams(own)}`);
  });
  return [...new Set(requests)].map((request) => ({ name, path: request }));
}

/** An exclusion is the same filter the other way round: one resource is asked with them for all. */
function listFilters(name: ResourceName): string[] {
  const keys = FILTERED.includes(name) ? Object.keys(RESOURCES[name].query.shape) : [];
  return name === 'resultUse' ? keys : keys.filter((key) => !key.startsWith('-'));
}

/** Each choice of values for these parameters; none if a value is not known. */
function toQueries(keys: readonly string[], values: Parameters): Parameters[] {
  return [...new Set(keys)].reduce<Parameters[]>(
    (queries, key) => {
      const known = values[key.replace(/^-/, '')];
      const choices = CHOICES[key] ?? (known ? [known] : []);
      return queries.flatMap((query) => choices.map((value) => ({ ...query, [key]: value })));
    },
    [{}],
  );
}

/** A tool without a successor has no page of its retirement, and a proof needs a challenge. */
export const isExpectedRefusal = ({
  name,
  status,
}: {
  readonly name: string;
  readonly status: number;
}): boolean => (name === 'retirement' && status === 404) || (name === PROOF_PATH && status === 400);
