// `toolscope check`: a check for CI. Compared with a baseline, it fails on breaking changes and on a listing
// over the token budget; with `--live` also on a version with more errors or higher latency than the last.

import { compareDefinitions } from '../core/advice/compare-definitions.ts';
import { definitionTokens } from '../core/advice/definition-tokens.ts';
import type { ToolDefinition } from '../core/model/catalogue.ts';
import { UserError } from '../errors.ts';
import { type BaselineListing, readBaseline, writeBaseline } from './check/baseline.ts';
import { type CheckReport, formatCheckReport } from './check/check-report.ts';
import { compareLive, type LiveComparison } from './check/compare-live.ts';
import {
  DEFAULT_MIN_CALLS,
  evaluateRates,
  parsePercent,
  type RateLimits,
  type RateResult,
  readLiveRates,
} from './check/live-rates.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { writeText } from './output.ts';
import { createOptionError, parseChoice, parseCount, readString } from './parse-options.ts';
import { LISTING_OPTIONS, readListing } from './tool-listing/read-listing.ts';
import type { ToolListing } from './tool-listing/tool-listing.ts';

const CHECK_FORMATS = ['text', 'json'] as const;

export const check: Command = {
  meta: {
    name: 'check',
    summary:
      'fail CI on breaking changes of tools, a token budget and, with --live, on more errors or a slower p95',
    operands: ' --baseline <file> [--] [command] [arguments…]',
    takesCommand: true,
    options: [
      { flags: '--baseline <file>', description: 'The accepted listing. Required.' },
      { flags: '--write', description: 'Write the current listing to the baseline file, without a check.' },
      ...LISTING_OPTIONS,
      {
        flags: '--max-tokens <n>',
        description: 'Upper limit of the estimated tokens of all definitions together.',
      },
      {
        flags: '--live <url>',
        description: 'URL of a running service: compare the calls of this version with the last version’s.',
      },
      {
        flags: '--server <name>',
        description: 'With --live: name of the server in the service. Default: its own name.',
      },
      {
        flags: '--current <version>',
        description: 'With --live: the version to check. Default: the listed version.',
      },
      {
        flags: '--last <version>',
        description: 'With --live: the version to compare with. Default: the one before it.',
      },
      {
        flags: '--min-correct-rate <percent>',
        description: 'With --live: the lowest share of calls that callers get right.',
      },
      {
        flags: '--min-recovery-rate <percent>',
        description: 'With --live: the lowest share of errors that agents recover from.',
      },
      {
        flags: '--min-result-use <percent>',
        description: 'With --live: the lowest share of results that feed later calls.',
      },
      {
        flags: '--min-calls <n>',
        description: `With these limits: calls, errors or results without which a rate is not judged. Default: ${DEFAULT_MIN_CALLS}.`,
      },
      { flags: '--from <time>', description: 'With --live: start of the time range. Default: now-7d.' },
      { flags: '--format <format>', description: `${CHECK_FORMATS.join(' or ')}. Default: text.` },
      { flags: '--json', description: 'Short for --format json.' },
    ],
    examples: [
      'toolscope check --baseline tools.baseline.json --write -- node server.js',
      'toolscope check --baseline tools.baseline.json --max-tokens 4000 -- node server.js',
      'toolscope check --baseline tools.baseline.json --live http://127.0.0.1:4318 -- node server.js',
    ],
    exitCodes: [
      '  0   no breaking change, no promise broken, and within the budget',
      '  1   a breaking change, a promise broken, too many tokens, or (--live) more errors, a slower p95 or\n      a rate below its limit',
      '  2   not checked: the command line is invalid, or the server, baseline or service could not be read',
    ],
  },
  run: async (options, context, operands = []) => {
    const baseline = readString(options['baseline']);
    if (baseline === undefined) {
      throw new UserError('INVALID_PARAMETER', 'check requires --baseline <file>.', {
        field: 'baseline',
        hint: 'Create it with `toolscope check --baseline tools.baseline.json --write -- <command>`.',
      });
    }
    const format =
      parseChoice('format', options['json'] === true ? 'json' : options['format'], CHECK_FORMATS) ?? 'text';
    const maxTokens = parseCount('max-tokens', readString(options['maxTokens']));
    const listed = await readListing(options, operands, context);
    if (options['write'] === true) return writeBaselineFile(baseline, listed, context);
    const accepted = await readBaseline(baseline);
    const limits = readRateLimits(options);
    const live = await readLive(listed, { lastVersion: accepted.version, limits, options, context });
    const report = toReport(listed, { baseline: accepted, maxTokens, ...live });
    const text = format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : formatCheckReport(report);
    await writeText(context.stdout, text);
    return report.passed ? EXIT_CODES.ok : EXIT_CODES.found;
  },
};

async function writeBaselineFile(
  path: string,
  listed: ToolListing,
  { stderr }: CommandContext,
): Promise<number> {
  await writeBaseline(path, listed);
  stderr.write(`toolscope check: wrote ${listed.tools.length} tools to ${path}\n`);
  return EXIT_CODES.ok;
}

interface ReportParts {
  readonly baseline: BaselineListing;
  readonly maxTokens: number | undefined;
  readonly live: LiveComparison | undefined;
  readonly rates: readonly RateResult[];
}

function toReport(listed: ToolListing, { baseline, maxTokens, live, rates }: ReportParts): CheckReport {
  const changes = compareDefinitions(baseline.tools, listed.tools);
  const breaking = changes.filter((change) => change.breaking);
  const promisesBroken = changes.filter((change) => !change.breaking && change.breaksPromise);
  const tokens = sumTokens(listed.tools);
  const isWithin = maxTokens === undefined || tokens <= maxTokens;
  return {
    server: listed.serverName,
    version: listed.serverVersion,
    baselineVersion: baseline.version,
    tools: listed.tools.length,
    passed:
      breaking.length + promisesBroken.length === 0 &&
      isWithin &&
      (live?.regressions.length ?? 0) === 0 &&
      rates.every(({ result }) => result !== 'failed'),
    breaking,
    promisesBroken,
    safe: changes.filter((change) => !change.breaking && !change.breaksPromise),
    definitionTokens: tokens,
    baselineTokens: sumTokens(baseline.tools),
    maxTokens,
    live,
    rates,
  };
}

const sumTokens = (tools: readonly ToolDefinition[]): number =>
  tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);

/** Undefined without a limit. */
function readRateLimits(options: OptionValues): RateLimits | undefined {
  const limits = {
    correctCalls: parsePercent('min-correct-rate', readString(options['minCorrectRate'])),
    recovery: parsePercent('min-recovery-rate', readString(options['minRecoveryRate'])),
    resultUse: parsePercent('min-result-use', readString(options['minResultUse'])),
    minCalls: parseCount('min-calls', readString(options['minCalls'])) ?? DEFAULT_MIN_CALLS,
  };
  if ([limits.correctCalls, limits.recovery, limits.resultUse].every((limit) => limit === undefined))
    return undefined;
  if (readString(options['live']) === undefined)
    throw createOptionError('live', 'missing', 'the URL of a service, because a lowest rate was given');
  return limits;
}

interface LiveOptions {
  /** '' if unknown. */
  readonly lastVersion: string;
  readonly limits: RateLimits | undefined;
  readonly options: OptionValues;
  readonly context: CommandContext;
}

async function readLive(
  { serverName, serverVersion }: ToolListing,
  { lastVersion, limits, options, context }: LiveOptions,
): Promise<Pick<ReportParts, 'live' | 'rates'>> {
  const url = readString(options['live']);
  if (url === undefined) return { live: undefined, rates: [] };
  if (!URL.canParse(url)) throw createOptionError('live', `"${url}"`, 'a URL');
  const server = readString(options['server']) ?? serverName;
  const currentVersion = readString(options['current']) ?? serverVersion;
  if (server === '' || currentVersion === '') {
    throw new UserError('INVALID_PARAMETER', '--live requires the name and the version of the server.', {
      hint: 'The listing does not contain them; set them with --server and --current.',
    });
  }
  const differs = lastVersion !== '' && lastVersion !== currentVersion;
  // biome-ignore lint/style/noProcessEnv: this variable authenticates a client of the service
  const service = { url, token: process.env['TOOLSCOPE_TOKEN'], signal: context.signal };
  const from = readString(options['from']) ?? 'now-7d';
  const last = readString(options['last']) ?? (differs ? lastVersion : undefined);
  const compared = compareLive({ ...service, server, currentVersion, lastVersion: last, from });
  if (limits === undefined) return { live: await compared, rates: [] };
  const [live, rates] = await Promise.all([
    compared.catch(acceptOnlyVersion),
    readLiveRates({ ...service, server, version: currentVersion, from }),
  ]);
  return { live, rates: evaluateRates(rates, limits) };
}

/** The first version of a server can meet limits, although there is no other to compare it with. */
function acceptOnlyVersion(error: unknown): undefined {
  if (error instanceof UserError && error.code === 'NOT_FOUND' && error.field === 'last') return undefined;
  throw error;
}
