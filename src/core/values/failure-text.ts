// What a failure says, without what differs between two failures of one cause: ids, numbers, paths and quoted values. Hashed
// with the key and kept beside the template, because a template replaces every word it does not know, and eight different
// refusals then read alike. In a refusal of arguments the quoted names are the cause and stay.

/** UTF-16 units of a message that count; the cause stands at the beginning. */
const MAX_READ_LENGTH = 400;

const ARGUMENT_REFUSAL =
  /\b(?:invalid|validation|required|missing|must|expected|should be|not allowed|unrecognized|schema|type[_ ]error)\b/i;

/** Left to right: UUIDs, URLs, addresses, paths, long ids, slugs, numbers. */
const VARIABLE_PART =
  /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>)\]}]+|[\w.+-]{1,64}@[\w.-]+|(?<![\w<])(?:[a-z]:\\|~?\.{0,2}\/)[^\s"'<>|:,;)\]}]+|\b[\w.-]{1,64}(?:[/\\][\w.@-]+)+|\b(?=[a-z_-]*\d)[\w-]{6,}\b|\b[a-z]+(?:-[a-z]+){2,}\b|[+-]?\d+(?:[.,:]\d+)*/gi;
const QUOTED =
  /"[^"\n]{0,200}"|“[^”\n]{0,200}”|`[^`\n]{0,200}`|(?<![\p{L}\p{N}])'[^'\n]{0,200}'(?![\p{L}\p{N}])/gu;

/** Below the first line stands what was sent, or where it happened. */
function takeFirstLine(text: string): string {
  const [line = ''] = text.trimStart().split('\n', 1);
  return line.length >= MIN_LINE_LENGTH ? line : text;
}

const MIN_LINE_LENGTH = 12;

/**
 * The text of a failure by which it is told from others.
 * @param message raw, as the judgement gives it: it is hashed, and never leaves as it is.
 * @returns lower case, '' for an empty message.
 */
export function normaliseFailureText(message: string): string {
  const head = message.slice(0, MAX_READ_LENGTH);
  const cause = ARGUMENT_REFUSAL.test(head) ? head : takeFirstLine(head).replace(QUOTED, '#');
  return cause.replace(VARIABLE_PART, '#').replace(/\s+/g, ' ').trim().toLowerCase();
}
