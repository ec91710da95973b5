// Converts findings to SARIF 2.1.0, for code scanning. A server has no source lines, so its tools are logical
// locations; if the listing came from a file, the line is that of the tool's name.

import { findingKey } from '../../core/advice/advise.ts';
import type { Finding } from '../../core/advice/finding.ts';
import { ADVICE_RULES } from '../../core/advice/rule-table.ts';
import { readPackageVersion } from '../../service/config/package-version.ts';
import type { ToolListing } from '../tool-listing/tool-listing.ts';

const SARIF_SCHEMA =
  'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** Returns the report as one SARIF log with SARIF's own levels. */
export function toSarif(listed: ToolListing, findings: readonly Finding[]): object {
  const rules = ADVICE_RULES.filter(({ source }) => source === 'static');
  return {
    $schema: SARIF_SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'toolscope',
            version: readPackageVersion(),
            rules: rules.map(({ id, title, condition, disprovedBy, level }) => ({
              id,
              shortDescription: { text: title },
              fullDescription: { text: condition },
              help: { text: `Disproved by: ${disprovedBy}` },
              defaultConfiguration: { level },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
          level: finding.level,
          message: { text: `${finding.finding} ${finding.suggestion.text}` },
          locations: [toLocation(listed, finding)],
          partialFingerprints: { 'toolscopeFinding/v1': findingKey(finding) },
          properties: { evidence: finding.evidence, edits: finding.suggestion.edits },
        })),
      },
    ],
  };
}

function toLocation({ serverName, file }: ToolListing, { tool, argument }: Finding): object {
  const qualified = [serverName, tool, argument].filter((part) => part !== '').join('/');
  const logicalLocations = [
    { fullyQualifiedName: qualified || 'tools', ...(tool !== '' && { name: tool, kind: 'function' }) },
  ];
  if (file === undefined) return { logicalLocations };
  return {
    physicalLocation: {
      artifactLocation: { uri: toUri(file.path) },
      region: { startLine: findToolLine(file.text, tool) },
    },
    logicalLocations,
  };
}

/** Keeps relative paths relative, so that code scanning finds the files in the repository. */
const toUri = (path: string): string =>
  path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/').replace(/^\//, 'file:///');

function findToolLine(text: string, tool: string): number {
  const at =
    tool === '' ? -1 : text.search(new RegExp(`"name"\\s*:\\s*${escapeRegExp(JSON.stringify(tool))}`));
  return at < 0 ? 1 : text.slice(0, at).split('\n').length;
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
