// Reads the environment variables; no other module of the host's process does. Flags and options take
// precedence. A secret may be read from a file whose path is in the same variable with the suffix _FILE.

import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { CAPTURE_MODES, type CaptureMode } from '../../core/model/tool-call.ts';
import type { SpoolLocation } from '../exporter/call-exporter.ts';
import { createFailureReporter, createProblemReporter } from '../exporter/diagnostics.ts';
import {
  type EnvironmentVariables,
  type ExportTarget,
  parsePairs,
  resolveTarget,
} from '../exporter/export-target.ts';
import { writeStderr } from '../exporter/write-stderr.ts';

export interface Environment {
  /** `OTEL_SDK_DISABLED=true`: disables all observation. */
  readonly disabled: boolean;
  /** `TOOLSCOPE_WRAPPED=1`: a proxy on our stdio already reports the calls. */
  readonly wrapped: boolean;
  /** Resolves where calls are exported to and with which headers, given the host's `endpoint` option. */
  readonly resolveTarget: (endpoint: string | undefined) => ExportTarget;
  /** Prints one line on stderr if `TOOLSCOPE_LOG` or `OTEL_LOG_LEVEL` enables it. */
  readonly reportFailure: (reason: string) => void;
  /** Prints each problem once on stderr under the same variables. */
  readonly reportProblem: (problem: string) => void;
  readonly environment: string;
  readonly serviceName: string;
  readonly capture: CaptureMode | undefined;
  /** '' when none was given. */
  readonly fingerprintKey: string;
  /** Where a generated key may be stored: XDG_STATE_HOME or ~/.local/state. '' without a home directory. */
  readonly stateDirectory: string;
  /** Undefined when there is no suitable directory or spooling is disabled. */
  readonly spool: SpoolLocation | undefined;
}

const DEFAULT_SPOOL_MAX_BYTES = 64 * 1024 * 1024;

/** Reads the settings of the host's process. Never throws; invalid values count as unset. */
export function readEnvironment(variables: EnvironmentVariables = process.env): Environment {
  const token = readSecret(variables, 'TOOLSCOPE_TOKEN');
  const resource: EnvironmentVariables = Object.fromEntries(
    parsePairs(variables['OTEL_RESOURCE_ATTRIBUTES']),
  );
  return {
    disabled: variables['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true',
    wrapped: variables['TOOLSCOPE_WRAPPED'] === '1',
    resolveTarget: (endpoint) => resolveTarget(endpoint, { ...variables, TOOLSCOPE_TOKEN: token }),
    reportFailure: createFailureReporter(variables, writeStderr),
    reportProblem: createProblemReporter(variables, writeStderr),
    environment:
      variables['TOOLSCOPE_ENVIRONMENT'] ??
      resource['deployment.environment.name'] ??
      resource['deployment.environment'] ??
      '',
    serviceName: variables['OTEL_SERVICE_NAME'] ?? resource['service.name'] ?? '',
    capture: CAPTURE_MODES.find((mode) => mode === variables['TOOLSCOPE_CAPTURE']),
    fingerprintKey: readSecret(variables, 'TOOLSCOPE_FINGERPRINT_KEY'),
    stateDirectory: readStateDirectory(variables),
    spool: readSpoolLocation(variables),
  };
}

/** Node's own options from the environment. */
export function readNodeOptions(variables: EnvironmentVariables = process.env): string {
  return variables['NODE_OPTIONS'] ?? '';
}

const OTEL_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/**
 * Runs a function without OTel's header variables: they may contain a vendor's key, and OTel's exporters
 * would
 * send them to every endpoint. It is synchronous, so no other code sees the change.
 */
export function withoutOtelHeaders<Result>(
  run: () => Result,
  variables: Record<string, string | undefined> = process.env,
): Result {
  const hidden = OTEL_HEADERS.map((name) => [name, variables[name]] as const);
  try {
    for (const name of OTEL_HEADERS) delete variables[name];
    return run();
  } finally {
    for (const [name, value] of hidden) if (value !== undefined) variables[name] = value;
  }
}

/** Reads `TOOLSCOPE_SPOOL_DIR` and `TOOLSCOPE_SPOOL_MAX_BYTES`; 0 bytes disable the spool. */
function readSpoolLocation(variables: EnvironmentVariables): SpoolLocation | undefined {
  const given = variables['TOOLSCOPE_SPOOL_DIR'] ?? '';
  const state = readStateDirectory(variables);
  const directory = isAbsolute(given) || state === '' ? given : `${state}/spool`;
  const maxBytesText = variables['TOOLSCOPE_SPOOL_MAX_BYTES'] ?? '';
  const maxBytes = /^\d{1,15}$/.test(maxBytesText) ? Number(maxBytesText) : DEFAULT_SPOOL_MAX_BYTES;
  return isAbsolute(directory) && maxBytes > 0 ? { directory, maxBytes } : undefined;
}

function readSecret(variables: EnvironmentVariables, name: string): string {
  const given = variables[name]?.trim() ?? '';
  const file = variables[`${name}_FILE`];
  if (given !== '' || file === undefined) return given;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // An unreadable key must not stop the host. A random key is used instead, which is visible from its id.
    return '';
  }
}

function readStateDirectory(variables: EnvironmentVariables): string {
  const state = variables['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(state)) return `${state}/toolscope`;
  const home = variables['HOME'] ?? variables['USERPROFILE'] ?? '';
  // A relative path would create files in the host's working directory.
  return isAbsolute(home) ? `${home}/.local/state/toolscope` : '';
}
