// The likely cause of an alert about failures or latency: the code, refused argument, version or client that most of
// what is above the usual level has, as for changes of level.

import { LATENCY_METRICS } from '../../contract/alert-rule-kinds.ts';
import type { LikelyCause } from '../../core/change-points/rank-causes.ts';
import type { CauseKind } from '../../core/model/change-point-kinds.ts';
import type { Alert } from './alert-records.ts';

/** Calls whose failures, or slow ones, are compared with those of the day before. */
export interface CauseQuery {
  readonly kind: 'errors' | 'latency';
  readonly server: string;
  /** Undefined: of all environments. */
  readonly environment: string | undefined;
  /** Empty: of all tools. */
  readonly tool: string;
  /** Empty: with any code. */
  readonly code: string;
  readonly sinceMs: number;
  /** For latency: from when on a call is slow. */
  readonly slowFromMs: number | undefined;
}

/** Most likely first. Rejects if the store fails. */
export type ReadCauses = (query: CauseQuery) => Promise<readonly LikelyCause[]>;

const ERROR_METRICS: readonly string[] = ['error_rate', 'client_error_rate', 'server_error_rate'];
/** An alert becomes active after the first calls that it is about. */
const BEFORE_ACTIVE_MS = 10 * 60_000;
const MAX_CAUSES = 3;

/** @returns undefined for alerts that have no such cause, or name it themselves */
export function toCauseQuery({ labels, evidence, activeMs }: Alert): CauseQuery | undefined {
  const { server, environment, tool = '', code = '' } = labels;
  const { metric = '', event } = evidence.details;
  const isLatency = LATENCY_METRICS.some((name) => name === metric);
  const isErrors = ERROR_METRICS.includes(metric) || event === 'new_error_code';
  if (!server || !(isLatency || isErrors)) return undefined;
  return {
    ...{ kind: isLatency ? 'latency' : 'errors', server, environment, tool, code },
    sinceMs: activeMs - BEFORE_ACTIVE_MS,
    slowFromMs: isLatency ? evidence.threshold : undefined,
  };
}

const CAUSE_WORDS: Readonly<Record<CauseKind, string>> = {
  version: 'version',
  definition: 'the definition of version',
  client: 'client',
  dependency: 'the dependency',
  argument: 'the refused argument',
  code: 'code',
};

/** Example: `version 2.1.0 (97 % of the failures above the usual level), code HTTP_503 (92 %)`; empty without causes. */
export function describeCauses(kind: CauseQuery['kind'], causes: readonly LikelyCause[]): string {
  const what = kind === 'errors' ? 'failures' : 'slow calls';
  return causes
    .slice(0, MAX_CAUSES)
    .map(({ kind: of, name, share }, at) => {
      const part = `${Math.round(share * 100)} %${at === 0 ? ` of the ${what} above the usual level` : ''}`;
      return `${CAUSE_WORDS[of]} ${name} (${part})`;
    })
    .join(', ');
}
