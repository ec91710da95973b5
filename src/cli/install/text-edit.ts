// Edits of a text by place, and how they are shown.

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce((edited, edit) => edited.slice(0, edit.start) + edit.text + edited.slice(edit.end), text);
}

/** The changed lines, before with `-` and after with `+`, with at most this many unchanged lines around them. */
const CONTEXT_LINES = 2;

/** Lines of a diff of one region, from the first to the last line that differs. */
export function formatDiff(before: string, after: string): readonly string[] {
  const [old, now] = [toLines(before), toLines(after)];
  const shorter = Math.min(old.length, now.length);
  let top = 0;
  while (top < shorter && old[top] === now[top]) top += 1;
  let bottom = 0;
  while (bottom < shorter - top && old.at(-1 - bottom) === now.at(-1 - bottom)) bottom += 1;
  return [
    ...old.slice(Math.max(0, top - CONTEXT_LINES), top).map((line) => `  ${line}`),
    ...old.slice(top, old.length - bottom).map((line) => `- ${line}`),
    ...now.slice(top, now.length - bottom).map((line) => `+ ${line}`),
    ...old
      .slice(old.length - bottom)
      .slice(0, CONTEXT_LINES)
      .map((line) => `  ${line}`),
  ];
}

const toLines = (text: string): string[] => text.split(/\r?\n/);
