// What is left of an error message, by capture mode.
import { normaliseFailureText, toErrorTemplate } from './error-template.ts';
import { redactAndTruncate } from './redact-text.ts';
import type { RedactionOptions } from './redaction-options.ts';
import { collectDeclaredWords } from './schema-location.ts';

/** UTF-16 units of a redacted message, and of a message as it comes: one as long as this was cut before it came here. */
const MAX_MESSAGE_LENGTH = 2000;
const MAX_READ_MESSAGE_LENGTH = 8192;

/**
 * Reduces an error message: nothing in `none`, a masked template in `shape`, the redacted message otherwise.
 * @param options.schema input schema of the tool: the names it declares may stay in a template.
 */
export function redactMessage(
  text: string,
  { capture }: RedactionOptions,
  { schema }: { readonly schema?: unknown } = {},
): string {
  if (capture === 'none' || text === '') return '';
  if (capture === 'shape') return toErrorTemplate(text, { known: collectDeclaredWords(schema) });
  const { text: redacted, truncated } = redactAndTruncate(
    text,
    MAX_MESSAGE_LENGTH,
    text.length < MAX_READ_MESSAGE_LENGTH,
  );
  return truncated ? `${redacted}…[truncated]` : redacted;
}

/**
 * Fingerprint of what a failure says, without ids, numbers, paths and quoted values; '' where it says nothing.
 * @param message raw, as the judgement gives it
 */
export function fingerprintFailure(message: string, { fingerprinter }: RedactionOptions): string {
  const text = normaliseFailureText(message);
  return text === '' ? '' : fingerprinter.fingerprint(text);
}

/**
 * Looks through a message that its producer has reduced already, in a mode of its own choice.
 * @param text a template, or a redacted message.
 */
export function redactReceivedMessage(text: string, { capture }: RedactionOptions): string {
  return capture === 'full' ? text : redactAndTruncate(text, MAX_READ_MESSAGE_LENGTH).text;
}
