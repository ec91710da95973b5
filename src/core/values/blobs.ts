// Binary content in captured values: base64 in a list of calls is useless, and it hides what it holds from every rule of
// redaction, and it is long. What is left says what it was and how much.
import { isRecord } from './is-record.ts';

/** Runs of base64 at least this long are content; shorter ones may be ids, and are left to the rules of redaction. */
const MIN_BASE64_LENGTH = 256;
const BASE64_RUN =
  /(data:[\w/+.-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,)[A-Za-z0-9+/=_%-]+|[A-Za-z0-9+/_-]{256,}={0,2}/g;

/** The mark that stands for binary content: its type, and its length in characters of base64. */
function toBlobPlaceholder(type: string, length: number): string {
  return `[${type} ${length} base64 characters]`;
}

/**
 * The member of a content block that holds base64, with what stands for it: `data` of images and audio, `blob` of
 * resources.
 */
export function findBlob(value: object): { readonly key: string; readonly mark: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { type, data, blob, mimeType } = value;
  // A caller chooses the type; one that is no media type says nothing.
  const named =
    typeof mimeType === 'string' && /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(mimeType) ? mimeType : '';
  if (typeof data === 'string' && (type === 'image' || type === 'audio'))
    return { key: 'data', mark: toBlobPlaceholder(named || type, data.length) };
  if (typeof blob === 'string') return { key: 'blob', mark: toBlobPlaceholder(named || 'blob', blob.length) };
  return undefined;
}

export interface BlobFreeText {
  readonly text: string;
  /** What comes after the text that was given is part of content that has been replaced. */
  readonly endsInBlob: boolean;
}

/**
 * A text with its runs of base64 replaced by their size.
 * @param length of the whole text of which this is the beginning: a run that reaches the end is as long as the rest.
 */
export function removeBlobs(text: string, length = text.length): BlobFreeText {
  if (text.length < MIN_BASE64_LENGTH) return { text, endsInBlob: false };
  let endsInBlob = false;
  const replaced = text.replace(BASE64_RUN, (match: string, head: string | undefined, at: number) => {
    if (head === undefined && !looksLikeBase64(match)) return match;
    endsInBlob = at + match.length === text.length;
    const size = (endsInBlob ? length - at : match.length) - (head?.length ?? 0);
    return (head ?? '') + toBlobPlaceholder('content', size);
  });
  return { text: replaced, endsInBlob };
}

/** Base64 of anything has all three within 256 characters; a ruler of dashes, a long word or hex digits have not. */
function looksLikeBase64(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
}
