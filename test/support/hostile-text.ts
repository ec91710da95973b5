// What a stranger may write into a name, a description or a message to reach a terminal, the log of a build, or the eye of
// whoever reads it. Written as code, so that this file can be looked at.

const ESC = '\u001b';
const BEL = '\u0007';

/** Stands behind every line break of the text: a line that begins so was not ours. */
export const FORGED_LINE = 'FORGED';

const HOSTILE_PARTS: readonly string[] = [
  `${ESC}[2J${ESC}[1;31mPWNED`,
  `${ESC}]0;title${BEL}`,
  `${ESC}]8;;https://evil.example${BEL}link${ESC}]8;;${BEL}`,
  '\u009b31m\u0085\u0090',
  '\u0008\u0008\u007f',
  '\u202etxt.exe\u2066x\u2069\u200f',
  'a\u200bb\u200d\u2060\ufeff\u00ad',
  '\u{e0041}\u{e007f}',
  `\u2028${FORGED_LINE} `,
  `\r${FORGED_LINE} `,
  '\n::error file=a::injected',
  '\n  ::add-mask::x',
  '##vso[task.setvariable variable=x]y',
  "##teamcity[buildStatus status='SUCCESS']",
  '##[error]injected',
  `\n${FORGED_LINE} line`,
];

/** All of them in one text. */
export const HOSTILE = `x${HOSTILE_PARTS.join('')}`;

const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
const COMMAND = /^[^\S\n]*::|##[\w.-]*\[|^[^\S\n]*FORGED/gm;

/** @returns what is in a text that must not be, as code points or words; empty where all is well */
export function findHostile(text: string): string[] {
  const characters = (text.match(FORBIDDEN) ?? []).map((one) => `U+${one.codePointAt(0)?.toString(16)}`);
  return [...new Set([...characters, ...(text.match(COMMAND) ?? [])])];
}
