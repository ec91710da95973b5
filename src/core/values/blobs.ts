// Binary content in captured values: nobody reads base64 in a list of calls, it hides what it holds from every rule of
// redaction, and it is long. What is left says what it was and how much.
import { isRecord } from './is-record.ts';

/** Runs of base64 at least this long are content; shorter ones may be ids, and are left to the rules of redaction. */
const RUN_MINIMUM = 256;
const RUN =
  /(data:[\w/+.-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,)[A-Za-z0-9+/=_%-]+|[A-Za-z0-9+/_-]{256,}={0,2}/g;

/** The mark that stands for binary content: its type, and its length in characters of base64. */
function mark(type: string, length: number): string {
  return `[${type} ${length} base64 characters]`;
}

/**
 * The member of a content block that holds base64, with what stands for it: `data` of images and audio, `blob` of
 * resources.
 */
export function blobOf(value: object): { readonly key: string; readonly mark: string } | undefined {
  if (!isRecord(value)) return undefined;
  const { type, data, blob, mimeType } = value;
  // A caller chooses the type; one that is no media type says nothing.
  const named =
    typeof mimeType === 'string' && /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(mimeType) ? mimeType : '';
  if (typeof data === 'string' && (type === 'image' || type === 'audio'))
    return { key: 'data', mark: mark(named || type, data.length) };
  if (typeof blob === 'string') return { key: 'blob', mark: mark(named || 'blob', blob.length) };
  return undefined;
}

export interface WithoutBlobs {
  readonly text: string;
  /** What comes after the text that was given is part of content that has been replaced. */
  readonly reachesEnd: boolean;
}

/**
 * A text with its runs of base64 replaced by their size.
 * @param length of the whole text of which this is the beginning: a run that reaches the end is as long as the rest.
 */
export function withoutBlobs(text: string, length = text.length): WithoutBlobs {
  if (text.length < RUN_MINIMUM) return { text, reachesEnd: false };
  let reachesEnd = false;
  const replaced = text.replace(RUN, (match: string, head: string | undefined, at: number) => {
    if (head === undefined && !isMixed(match)) return match;
    reachesEnd = at + match.length === text.length;
    const size = (reachesEnd ? length - at : match.length) - (head?.length ?? 0);
    return (head ?? '') + mark('content', size);
  });
  return { text: replaced, reachesEnd };
}

/** Base64 of anything has all three within 256 characters; a ruler of dashes, a long word or hex digits have not. */
function isMixed(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run);
}
