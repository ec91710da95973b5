// What an error tells the agent to do next, as attributes of the call: the tools it names, and how long to wait.

import type { Classification } from '../classification/classify-ending.ts';
import { toContentText } from '../classification/content-text.ts';
import { findRetryAfterSeconds } from '../classification/retry-after.ts';
import { findToolsInError } from '../classification/tools-in-error.ts';
import { METHOD_TOOLS_CALL } from '../semconv/conventions.ts';
import { ATTR_ERROR_RETRY_AFTER, ATTR_ERROR_TOOLS } from '../semconv/toolscope-attributes.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import type { RedactionOptions } from '../values/redaction-options.ts';
import { estimateSize } from '../values/value-size.ts';
import { fieldOf } from './json-rpc.ts';
import type { ObservedCall } from './observed-call.ts';

interface ErrorAttributeOptions {
  readonly classification: Classification;
  readonly toolName: string;
  readonly redaction: RedactionOptions;
}

/** The attributes of an error; none in capture mode `none`. */
export function errorAttributesOf(
  observed: ObservedCall,
  { classification, toolName, redaction }: ErrorAttributeOptions,
): Readonly<Record<string, string>> | undefined {
  const { fault, errorInResult } = classification;
  if (redaction.capture === 'none' || (fault === 'none' && !errorInResult)) return undefined;
  const tools = findTools(observed, toolName);
  const retryAfter =
    observed.open.method === METHOD_TOOLS_CALL ? findRetryAfterSeconds(observed.ending) : undefined;
  if (tools === '' && retryAfter === undefined) return undefined;
  return {
    ...(tools !== '' && { [ATTR_ERROR_TOOLS]: tools }),
    ...(retryAfter !== undefined && { [ATTR_ERROR_RETRY_AFTER]: String(retryAfter) }),
  };
}

function findTools({ snapshot, ending }: ObservedCall, own: string): string {
  if (snapshot === undefined) return '';
  const structured = fieldOf(ending.result, 'structuredContent');
  const text = `${ending.error?.message ?? ''}${toContentText(ending.result)}${structured === undefined ? '' : toShortJson(structured)}`;
  return findToolsInError(text, (name) => name !== own && snapshot.hasTool(name));
}

/** A structured error is small; one that is not says what to do elsewhere. */
function toShortJson(value: unknown): string {
  return estimateSize(value).jsonBytes > MAX_STRUCTURE_BYTES ? '' : toCanonicalText(value);
}

const MAX_STRUCTURE_BYTES = 4096;
