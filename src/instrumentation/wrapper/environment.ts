// The only reader of process.env in the host's process. Everything it can be told is on this page; flags and options
// win over it. Secrets may come from a file, named by the same variable with _FILE.

import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { CAPTURE_MODES, type CaptureMode } from '../../core/model/tool-call.ts';
import type { SpoolLocation } from '../exporter/call-exporter.ts';
import { createFailureReporter, createProblemReporter } from '../exporter/diagnostics.ts';
import { type ExportTarget, resolveTarget } from '../exporter/export-target.ts';
import { writeStderr } from '../exporter/write-stderr.ts';

export interface Environment {
  /** `OTEL_SDK_DISABLED=true`: observe nothing at all. */
  readonly disabled: boolean;
  /** `TOOLSCOPE_WRAPPED=1`: a proxy on our stdio already counts. */
  readonly wrapped: boolean;
  /** Where calls go, and with which headers, given the host's own `endpoint` option. */
  readonly resolveTarget: (endpoint: string | undefined) => ExportTarget;
  /** Hears why calls could not be delivered, and says so once on stderr if `TOOLSCOPE_LOG` or `OTEL_LOG_LEVEL` asks. */
  readonly reportFailure: (reason: string) => void;
  /** Hears what was asked for and cannot be done, and says it on stderr, if they ask; once each. */
  readonly reportProblem: (problem: string) => void;
  readonly environment: string;
  readonly serviceName: string;
  readonly capture: CaptureMode | undefined;
  /** '' when none was given. */
  readonly fingerprintKey: string;
  /** Where a key of our own may be kept: XDG_STATE_HOME or ~/.local/state. '' without a home. */
  readonly stateDirectory: string;
  /** Where calls are kept that the service has not acknowledged; undefined where there is no place, or none is wanted. */
  readonly spool: SpoolLocation | undefined;
}

/** Bytes of calls that may wait on disk, of all processes of a user. */
const DEFAULT_SPOOL_MAX_BYTES = 64 * 1024 * 1024;

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the settings of the host's process; never throws, a value that makes no sense is as good as none. */
export function readEnvironment(variables: Variables = process.env): Environment {
  const token = readSecret(variables, 'TOOLSCOPE_TOKEN');
  const resource = parsePairs(variables['OTEL_RESOURCE_ATTRIBUTES']);
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

const OTEL_HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'] as const;

/**
 * Runs a function to which the process has no headers for OTLP: they may hold a vendor's key, and OTel's exporters send
 * them to every endpoint. Nothing else runs meanwhile, so nobody else misses them.
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

/** `TOOLSCOPE_SPOOL_DIR` and `TOOLSCOPE_SPOOL_MAX_BYTES`; 0 bytes mean that calls wait in memory alone. */
function readSpoolLocation(variables: Variables): SpoolLocation | undefined {
  const given = variables['TOOLSCOPE_SPOOL_DIR'] ?? '';
  const state = readStateDirectory(variables);
  const directory = isAbsolute(given) || state === '' ? given : `${state}/spool`;
  const maxBytesText = variables['TOOLSCOPE_SPOOL_MAX_BYTES'] ?? '';
  const maxBytes = /^\d{1,15}$/.test(maxBytesText) ? Number(maxBytesText) : DEFAULT_SPOOL_MAX_BYTES;
  return isAbsolute(directory) && maxBytes > 0 ? { directory, maxBytes } : undefined;
}

/** W3C Baggage form, as OTel's specification wants it: `key=value,key=value`, values percent-encoded. */
function parsePairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodePercentValue(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}

function decodePercentValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded after all; then it is what it says.
    return text;
  }
}

function readSecret(variables: Variables, name: string): string {
  const given = variables[name]?.trim() ?? '';
  const file = variables[`${name}_FILE`];
  if (given !== '' || file === undefined) return given;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // The host must not fail to start over our key; without one a random key is used, and says so by its id.
    return '';
  }
}

function readStateDirectory(variables: Variables): string {
  const state = variables['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(state)) return `${state}/toolscope`;
  const home = variables['HOME'] ?? variables['USERPROFILE'] ?? '';
  // A relative one would put files into whatever directory the host was started in.
  return isAbsolute(home) ? `${home}/.local/state/toolscope` : '';
}
