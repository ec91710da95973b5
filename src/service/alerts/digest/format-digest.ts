// The digest as Markdown, for a chat, an issue or a build's summary, and as HTML, for mail. Names and sentences may
// hold what others wrote, so all text is escaped.

import type { Proportion } from '../../../contract/fields.ts';
import type { Digest, DigestChange, DigestTotals } from './compose-digest.ts';

export interface DigestSection {
  readonly heading: string;
  readonly lines: readonly string[];
}

export function formatDigestMarkdown(digest: Digest): string {
  const sections = listSections(digest).map(({ heading, lines }) =>
    [`## ${heading}`, '', ...lines.map((line) => `- ${escapeMarkdown(line)}`)].join('\n'),
  );
  const head = [`# ${escapeMarkdown(describeTitle(digest))}`, '', escapeMarkdown(digest.sentence)].join('\n');
  return `${[head, ...sections].join('\n\n')}\n`;
}

export function formatDigestHtml(digest: Digest): string {
  const sections = listSections(digest).map(
    ({ heading, lines }) =>
      `<h2>${heading}</h2><ul>${lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('')}</ul>`,
  );
  const title = escapeHtml(describeTitle(digest));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body style="font-family:sans-serif;max-width:48em"><h1>${title}</h1><p>${escapeHtml(digest.sentence)}</p>${sections.join('')}</body></html>\n`;
}

/** One line: verdict and days. */
export function describeTitle({ verdict, range }: Digest): string {
  return `Toolscope: ${verdict.replaceAll('_', ' ')}, ${formatDay(range.fromMs)} to ${formatDay(range.toMs)}`;
}

/** Sections without content are left out, except what says that nothing is wrong. */
export function listSections(digest: Digest): readonly DigestSection[] {
  const { totals, previous, worse, better, findings, neverCalled, fixes } = digest;
  const { tools, definitionTokens, examples } = neverCalled;
  const sections: DigestSection[] = [
    { heading: 'Numbers', lines: describeTotals(totals, previous) },
    { heading: 'Worse', lines: worse.map(describeChange) },
    { heading: 'Better', lines: better.map(describeChange) },
    { heading: 'Needs attention', lines: findings.map(({ sentence, server }) => `${server}: ${sentence}`) },
    {
      heading: 'Never called',
      lines:
        tools === 0
          ? []
          : [
              `${formatCount(tools)} tools; the definitions cost ${formatCount(definitionTokens)} tokens a listing: ${examples.join(', ')}${tools > examples.length ? ' and others' : ''}`,
            ],
    },
    {
      heading: 'What fixes achieved',
      lines: fixes.map(({ server, tool, sentence }) => `${server}${tool && `/${tool}`}: ${sentence}`),
    },
  ];
  const given = sections.filter(({ lines }) => lines.length > 0);
  const isQuiet = worse.length + findings.length === 0;
  return isQuiet ? [...given, { heading: 'Needs attention', lines: ['Nothing.'] }] : given;
}

function describeTotals(now: DigestTotals, before: DigestTotals | null): readonly string[] {
  const compare = (text: string): string => (before ? ` (before: ${text})` : '');
  return [
    `${formatCount(now.calls)} calls in ${formatCount(now.sessions)} sessions${compare(`${formatCount(before?.calls ?? 0)} in ${formatCount(before?.sessions ?? 0)}`)}`,
    `error rate ${formatProportion(now.errorRate)}${before ? compare(formatProportion(before.errorRate)) : ''}`,
    ...(now.p95Ms === null
      ? []
      : [`p95 ${formatMs(now.p95Ms)}${before?.p95Ms == null ? '' : compare(formatMs(before.p95Ms))}`]),
  ];
}

function describeChange({ server, tool, sentence, since, until, before, after }: DigestChange): string {
  const share = after && before !== null ? `, ${formatShare(before)} → ${formatProportion(after)}` : '';
  const end = until === null ? ' and still' : ` until ${formatMinute(until)}`;
  return `${server}${tool && `/${tool}`}: ${sentence}${share}, since ${formatMinute(since)}${end}`;
}

/** `4.2 % (3.1–5.6 %, n = 1,204)`; the interval is Wilson's at 95 %. */
function formatProportion({ value, low, high, n }: Proportion): string {
  if (value === null || low === null || high === null) return 'unknown';
  return `${formatShare(value)} (${(low * 100).toFixed(1)}–${formatShare(high)}, n = ${formatCount(n)})`;
}

const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`;
const formatCount = (count: number): string => count.toLocaleString('en-US');
const formatMs = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const formatMinute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** The full-width sign mentions no one in a chat or an issue; an escaped `@` still does. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\\`*_[\]<>#|~]/g, (character) => `\\${character}`)
    .replaceAll('@', '＠');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
