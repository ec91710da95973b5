// `toolscope wrap`: puts the proxy between a client and an MCP server. It is started once for every server a client
// has, so it loads nothing it does not need. stdout belongs to the server; our own words go to stderr, and are few.

import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { GUARD_LOOPS, GUARD_MODES, type GuardOptions } from '../core/guard/policy.ts';
import { CAPTURE_MODES, type CaptureMode } from '../core/model/tool-call.ts';
import { RESOURCE_WRAPPED } from '../core/semconv/toolscope-attributes.ts';
import { UserError } from '../errors.ts';
import type { Target } from '../host/delivery/target.ts';
import type { CallReporter } from '../host/proxy/call-reporter.ts';
import { createLateReporter, type LateReporter } from '../host/proxy/late-reporter.ts';
import { type ProxyResult, runProxy } from '../host/proxy/run-proxy.ts';
import { now } from '../host/wrapper/clock.ts';
import { type Environment, readEnvironment } from '../host/wrapper/environment.ts';
import { readFingerprintKey } from '../host/wrapper/fingerprint-key.ts';
import { GUARD_FLAGS, readGuard, readOneOf } from './guard-flags.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const USAGE = `Usage: toolscope wrap [options] [--] <command> [arguments…]

Runs an MCP server over stdio, in any language, and reports its calls.

  --name <name>       what the server shall be called; its own name by default
  --env <name>        environment, e.g. production
  --capture <mode>    ${CAPTURE_MODES.join(', ')}; shape by default: no argument or result values
  --endpoint <url>    where the service is; http://127.0.0.1:4318 by default
  --guard <mode>      ${GUARD_MODES.join(', ')}: appends a word to results of a confirmed loop (nudge); does so once,
                      then answers instead of the server (enforce); or only records which calls it would answer
                      (observe); by session, and only in this process
  --guard-calls-per-tool-per-hour <n>
                      with --guard: stops a tool that ran so often in a session within an hour, too (enforce)
  --guard-loops <which>
                      with --guard: ${GUARD_LOOPS.join(', ')}; confirmed by default
  --guard-except <tools>
                      with --guard: names of tools, with commas between, that are never judged to go round
  -h, --help          this text

Exit code: the server's own, 128 + n if signal n ended it, 127 if the command was not found, 126 if it cannot be run.
On Windows write \`-- cmd /c npx …\` for commands that are scripts.

Example: toolscope wrap --name files -- npx -y @modelcontextprotocol/server-filesystem /data
`;

/** How long (ms) the last calls may take to arrive after the server ended, where they cannot be kept on disk. */
const LAST_FLUSH_MS = 2_000;

const EXIT_NOT_EXECUTABLE = 126;
const EXIT_NOT_FOUND = 127;

/**
 * Runs `toolscope wrap`.
 * @param argv what stands behind `wrap`
 * @param variables the environment; the server gets it without our own settings
 * @returns the exit code
 * @throws UserError when an option is wrong or the command is missing
 */
export async function runWrap(
  argv: readonly string[],
  // biome-ignore lint/style/noProcessEnv: the server inherits the whole of it, so no reader of settings will do
  variables: Variables = process.env,
): Promise<number> {
  const options = parseWrapArguments(argv);
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  // V8 asks this at each collection, so it works without a restart. After 3,000 calls 72 MB instead of 101 stay
  // resident, and a client runs one of us per server.
  setFlagsFromString('--optimize-for-size');
  const environment = readEnvironment(variables);
  const target = environment.targetOf(options.endpoint);
  const reporter = createReporter(options, environment, target);
  const reportedTo = reporter && target.status === 'target' ? target.url : undefined;
  const result = await runProxy({
    command: options.command,
    args: options.args,
    environment: reportedTo === undefined ? variables : toChildEnvironment(variables, reportedTo),
    stdin: process.stdin,
    stdout: process.stdout,
    fromClient: (message) => reporter?.fromClient(message, now()),
    // A guard that acts misses no call: the first waits until it is loaded.
    gate: acts(options.guard) ? reporter?.ready : undefined,
    fromServer: (message) => reporter?.fromServer(message, now()),
    nudging: reporter && toNudging(reporter),
  });
  if (result.status === 'not_started') return reportNotStarted(options.command, result);
  if (reporter !== undefined) await untilSignal(reporter.close(LAST_FLUSH_MS));
  if (variables['TOOLSCOPE_LOG'] && result.unreadLines > 0) {
    process.stderr.write(`toolscope: ${result.unreadLines} lines were passed on but are no JSON-RPC\n`);
  }
  return result.exitCode;
}

function acts(guard: GuardOptions | undefined): boolean {
  return guard !== undefined && guard.mode !== 'observe';
}

function toNudging(reporter: LateReporter) {
  return {
    isWaiting: () => reporter.awaitsNudge(),
    blockFor: (message: unknown) => reporter.blockFor(message),
  };
}

export interface WrapOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly name: string | undefined;
  readonly env: string | undefined;
  readonly capture: CaptureMode | undefined;
  readonly endpoint: string | undefined;
  readonly guard: GuardOptions | undefined;
}

const OPTIONS = {
  name: { type: 'string' },
  env: { type: 'string' },
  capture: { type: 'string' },
  endpoint: { type: 'string' },
  ...GUARD_FLAGS,
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the arguments up to the command; what follows is the command's own, `--` or not (npm exec takes it away). */
export function parseWrapArguments(argv: readonly string[]): WrapOptions | 'help' {
  const { tokens } = parseArgs({ args: [...argv], options: OPTIONS, strict: false, tokens: true });
  const border = tokens.find(({ kind }) => kind !== 'option');
  const ownCount = border?.index ?? argv.length;
  const values = parseOwn(argv.slice(0, ownCount));
  if (values.help) return 'help';
  const [command, ...args] = argv.slice(border?.kind === 'option-terminator' ? ownCount + 1 : ownCount);
  if (command === undefined || command === '') {
    throw new UserError('INVALID_PARAMETER', 'wrap needs the command of an MCP server', {
      hint: 'toolscope wrap -- npx -y @modelcontextprotocol/server-filesystem /data',
    });
  }
  return {
    command,
    args,
    name: values.name,
    env: values.env,
    capture: readOneOf('capture', values.capture, CAPTURE_MODES),
    endpoint: values.endpoint,
    guard: readGuard(values),
  };
}

function parseOwn(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new UserError('INVALID_PARAMETER', `wrap: ${message}`, { cause, hint: 'toolscope wrap --help' });
  }
}

/** Undefined when nothing shall be observed: telemetry is off, or a proxy around us counts already. */
function createReporter(
  options: WrapOptions,
  environment: Environment,
  target: Target,
): LateReporter | undefined {
  if (environment.disabled || environment.wrapped) return undefined;
  if (target.status === 'invalid') {
    environment.reportFailure(target.reason);
    return undefined;
  }
  return createLateReporter(loadReporter(options, environment, target));
}

async function loadReporter(
  options: WrapOptions,
  environment: Environment,
  { url, headers }: Extract<Target, { status: 'target' }>,
): Promise<CallReporter> {
  // One turn of the event loop, in which the child is started.
  await new Promise(setImmediate);
  const { createCallReporter } = await import('../host/proxy/call-reporter.ts');
  const { guard } = options;
  return createCallReporter({
    name: options.name ?? '',
    environment: options.env ?? environment.environment,
    capture: options.capture ?? environment.capture ?? 'shape',
    url,
    headers,
    onFailure: environment.reportFailure,
    spool: environment.spool,
    readKey: () => readFingerprintKey(environment),
    guard: guard && {
      options: guard,
      create: (await import('../host/wrapper/call-guard.ts')).createCallGuard,
    },
  });
}

/**
 * Our settings are not the server's to see: a token and a key are among them. It only learns that we count; its spans say so too,
 * where its own telemetry goes to the service that has the calls from us.
 */
function toChildEnvironment(variables: Variables, reportedTo: string): Variables {
  const others = Object.entries(variables).filter(([name]) => !/^TOOLSCOPE_/i.test(name));
  const { OTEL_RESOURCE_ATTRIBUTES: own = '' } = variables;
  const isSame = originOf(reportedTo) === originOf(exportedTo(variables));
  return {
    ...Object.fromEntries(others),
    ...(isSame && { OTEL_RESOURCE_ATTRIBUTES: own === '' ? WRAPPED : `${own},${WRAPPED}` }),
    TOOLSCOPE_WRAPPED: '1',
  };
}

const WRAPPED = `${RESOURCE_WRAPPED}=1`;

/** Where an OpenTelemetry SDK sends traces with these variables. */
function exportedTo(variables: Variables): string {
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all } = variables;
  return traces || all || 'http://127.0.0.1:4318';
}

/** Loopback by either name is one place. */
function originOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port } = new URL(url);
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`;
}

/** The server is gone; whoever signals now wants us gone too, calls or no calls. */
async function untilSignal(work: Promise<void>): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let stop = () => {};
  const signalled = new Promise<void>((resolve) => {
    stop = resolve;
    for (const signal of signals) process.once(signal, stop);
  });
  await Promise.race([work, signalled]);
  for (const signal of signals) process.off(signal, stop);
}

function reportNotStarted(
  command: string,
  { code }: Extract<ProxyResult, { status: 'not_started' }>,
): number {
  const isMissing = code === 'ENOENT';
  const why = isMissing
    ? 'was not found: check its spelling and the PATH of this program'
    : `cannot be run (${code})`;
  process.stderr.write(`toolscope: the command "${command}" ${why} [COMMAND_NOT_FOUND]\n`);
  if (process.platform === 'win32')
    process.stderr.write('  On Windows, scripts such as npx need `-- cmd /c npx …`\n');
  return isMissing ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
