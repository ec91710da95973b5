// `toolscope lint`: the static rules of advice for any server's tools, without a service. Exit codes for CI:
// 1 only for findings of level error, 2 when the tools could not be read.

import { FINDING_LEVELS, type Finding, type FindingLevel } from '../core/advice/finding.ts';
import { lintTools } from '../core/advice/lint-tools.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { formatFindingCounts, formatLintText } from './lint/format-lint-text.ts';
import { isIgnored, readIgnoreEntries } from './lint/ignore-entries.ts';
import { toSarif } from './lint/to-sarif.ts';
import { writeFix } from './lint/write-fix.ts';
import { writeText } from './output.ts';
import { parseChoice, readString } from './parse-options.ts';
import { LISTING_OPTIONS, readListing } from './tool-listing/read-listing.ts';
import type { ToolListing } from './tool-listing/tool-listing.ts';

const LINT_FORMATS = ['text', 'json', 'sarif'] as const;

export const lint: Command = {
  meta: {
    name: 'lint',
    summary: 'check the tool definitions of a server: names, descriptions, schemas, annotations',
    operands: ' [--] [command] [arguments…]',
    takesCommand: true,
    options: [
      ...LISTING_OPTIONS,
      { flags: '--format <format>', description: `${LINT_FORMATS.join(', ')}. Default: text.` },
      { flags: '--json', description: 'Short for --format json.' },
      {
        flags: '--level <level>',
        description: `Lowest level that is reported: ${FINDING_LEVELS.join(', ')}. Default: note.`,
      },
      {
        flags: '--pedantic',
        description: 'Report the notes of rules too that are often wrong or seldom speak.',
      },
      {
        flags: '--fix',
        description:
          'Write the listing with what the descriptions state, and a placeholder where only the author knows.',
      },
      { flags: '--zod', description: 'With --fix: write the changed parts as zod instead.' },
      { flags: '--output <path>', description: 'With --fix: the file to write. Default: stdout.' },
      {
        flags: '--ignore <rules>',
        description: 'Rules to ignore, for all tools or for one: TD005,TD021:create_issue.',
      },
      {
        flags: '--ignore-file <path>',
        description: 'JSON file with rules to ignore: [{"rule", "tool", "reason"}].',
      },
    ],
    examples: [
      'toolscope lint -- npx -y @modelcontextprotocol/server-memory',
      'toolscope lint --url http://127.0.0.1:3000/mcp --level warning',
      'toolscope lint --file tools.json --format sarif > lint.sarif',
      'toolscope lint --fix --output fixed.json -- node server.js',
    ],
    exitCodes: [
      '  0   no finding of level error',
      '  1   at least one finding of level error',
      '  2   not checked: the command line is invalid, or the server did not list its tools',
    ],
  },
  run: async (options, context, operands = []) => {
    const format =
      parseChoice('format', options['json'] === true ? 'json' : options['format'], LINT_FORMATS) ?? 'text';
    const level = parseChoice('level', options['level'], FINDING_LEVELS) ?? 'note';
    const ignored = await readIgnoreEntries(readString(options['ignore']), readString(options['ignoreFile']));
    const listed = await readListing(options, operands, context);
    const pedantic = options['pedantic'] === true;
    const all = lintTools(listed.tools, { pedantic }).filter((finding) => !isIgnored(finding, ignored));
    const findings = all.filter((finding) => isAtLeast(finding.level, level));
    const exitCode = all.some((finding) => finding.level === 'error') ? EXIT_CODES.found : EXIT_CODES.ok;
    if (options['fix'] === true) {
      await writeFix(listed, findings, { options, context });
      return exitCode;
    }
    await writeText(context.stdout, formatReport(format, listed, findings));
    if (format !== 'text') context.stderr.write(`toolscope lint: ${formatFindingCounts(findings)}\n`);
    return exitCode;
  },
};

function formatReport(
  format: (typeof LINT_FORMATS)[number],
  listed: ToolListing,
  findings: readonly Finding[],
): string {
  if (format === 'text') return formatLintText(listed, findings);
  if (format === 'sarif') return `${JSON.stringify(toSarif(listed, findings), null, 2)}\n`;
  const { serverName: server, serverVersion: version, tools } = listed;
  return `${JSON.stringify({ server, version, tools: tools.length, findings }, null, 2)}\n`;
}

const isAtLeast = (level: FindingLevel, minLevel: FindingLevel): boolean =>
  FINDING_LEVELS.indexOf(level) >= FINDING_LEVELS.indexOf(minLevel);
