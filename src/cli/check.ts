// `toolscope check`: the gate for CI. Compared with a baseline, it fails on breaking changes and on a listing
// over the token budget; with `--live` also on a version with more errors or higher latency than the last.

import { compareDefinitions } from '../core/advice/compare-definitions.ts';
import { definitionTokens } from '../core/advice/definition-tokens.ts';
import type { ToolDefinition } from '../core/model/catalogue.ts';
import { UserError } from '../errors.ts';
import { readBaseline, writeBaseline } from './check/baseline.ts';
import { formatCheckReport } from './check/check-report.ts';
import type { CheckReport } from './check/check-result.ts';
import { compareLive, type LiveComparison } from './check/compare-live.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { parseChoice, readString } from './lint.ts';
import { writeText } from './output.ts';
import { LISTING_OPTIONS, readListing } from './tool-listing/read-listing.ts';
import type { ToolListing } from './tool-listing/tool-listing.ts';

const CHECK_FORMATS = ['text', 'json'] as const;

export const check: Command = {
  meta: {
    name: 'check',
    summary: 'the gate for CI: breaking changes of tools, their token budget, and with --live errors and p95',
    operands: ' --baseline <file> [--] [command] [arguments…]',
    takesCommand: true,
    options: [
      { flags: '--baseline <file>', description: 'the listing that was agreed on; required' },
      { flags: '--write', description: 'write the baseline from what is listed now, and check nothing' },
      ...LISTING_OPTIONS,
      {
        flags: '--max-tokens <n>',
        description: 'most estimated tokens that all definitions together may cost',
      },
      {
        flags: '--live <url>',
        description: 'a running service: compare this version’s calls with the last version’s',
      },
      {
        flags: '--server <name>',
        description: 'with --live: what the service calls the server; its own name by default',
      },
      {
        flags: '--current <version>',
        description: 'with --live: the version to judge; the listed one by default',
      },
      {
        flags: '--last <version>',
        description: 'with --live: the version to compare with; else the one before it',
      },
      { flags: '--from <time>', description: 'with --live: start of the range; now-7d by default' },
      { flags: '--format <format>', description: `${CHECK_FORMATS.join(', ')}; text by default` },
      { flags: '--json', description: 'the same as --format json' },
    ],
    examples: [
      'toolscope check --baseline tools.baseline.json --write -- node server.js',
      'toolscope check --baseline tools.baseline.json --max-tokens 4000 -- node server.js',
      'toolscope check --baseline tools.baseline.json --live http://127.0.0.1:4318 -- node server.js',
    ],
    exitCodes: [
      '  0   nothing breaks, and everything is within its budget',
      '  1   a breaking change, too many tokens, or (--live) more errors or a slower p95',
      '  2   nothing could be judged: the command line is wrong, or the server, baseline or service could not be read',
    ],
  },
  run: async (options, context, operands = []) => {
    const baseline = readString(options['baseline']);
    if (baseline === undefined) {
      throw new UserError('INVALID_PARAMETER', 'check needs --baseline <file>', {
        field: 'baseline',
        hint: 'Write one with `toolscope check --baseline tools.baseline.json --write -- <command>`.',
      });
    }
    const format =
      parseChoice('format', options['json'] === true ? 'json' : options['format'], CHECK_FORMATS) ?? 'text';
    const maxTokens = parseCount(readString(options['maxTokens']));
    const listed = await readListing(options, operands, context);
    if (options['write'] === true) return writeBaselineFile(baseline, listed, context);
    const report = await createReport(listed, { baseline, maxTokens, options, context });
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

interface CheckInputs {
  readonly baseline: string;
  readonly maxTokens: number | undefined;
  readonly options: OptionValues;
  readonly context: CommandContext;
}

async function createReport(
  listed: ToolListing,
  { baseline, maxTokens, options, context }: CheckInputs,
): Promise<CheckReport> {
  const baselineListing = await readBaseline(baseline);
  const changes = compareDefinitions(baselineListing.tools, listed.tools);
  const breaking = changes.filter((change) => change.breaking);
  const tokens = sumTokens(listed.tools);
  const live = await readLiveComparison(listed, {
    baselineVersion: baselineListing.version,
    options,
    context,
  });
  const isWithin = maxTokens === undefined || tokens <= maxTokens;
  return {
    server: listed.serverName,
    version: listed.serverVersion,
    baselineVersion: baselineListing.version,
    tools: listed.tools.length,
    passed: breaking.length === 0 && isWithin && (live?.regressions.length ?? 0) === 0,
    breaking,
    safe: changes.filter((change) => !change.breaking),
    definitionTokens: tokens,
    baselineTokens: sumTokens(baselineListing.tools),
    maxTokens,
    live,
  };
}

const sumTokens = (tools: readonly ToolDefinition[]): number =>
  tools.reduce((sum, tool) => sum + definitionTokens(tool), 0);

async function readLiveComparison(
  { serverName, serverVersion }: ToolListing,
  {
    baselineVersion,
    options,
    context,
  }: Omit<CheckInputs, 'baseline' | 'maxTokens'> & { readonly baselineVersion: string },
): Promise<LiveComparison | undefined> {
  const url = readString(options['live']);
  if (url === undefined) return undefined;
  if (!URL.canParse(url))
    throw new UserError('INVALID_PARAMETER', `--live is "${url}"; allowed is a URL`, { field: 'live' });
  const server = readString(options['server']) ?? serverName;
  const currentVersion = readString(options['current']) ?? serverVersion;
  if (server === '' || currentVersion === '') {
    throw new UserError('INVALID_PARAMETER', '--live needs the name and the version of the server', {
      hint: 'The source does not say them; name them with --server and --current.',
    });
  }
  const differs = baselineVersion !== '' && baselineVersion !== currentVersion;
  return compareLive({
    url,
    // biome-ignore lint/style/noProcessEnv: this variable authenticates a client of the service
    token: process.env['TOOLSCOPE_TOKEN'],
    server,
    currentVersion,
    lastVersion: readString(options['last']) ?? (differs ? baselineVersion : undefined),
    from: readString(options['from']) ?? 'now-7d',
    signal: context.signal,
  });
}

function parseCount(given: string | undefined): number | undefined {
  if (given === undefined || /^\d{1,9}$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new UserError('INVALID_PARAMETER', `--max-tokens is "${given}"; allowed is a whole number`, {
    field: 'max-tokens',
  });
}
