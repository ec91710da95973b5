// What a receiver answers about spans that it took: nothing, or a partial success in OTLP's sense.

import type { PartialSuccess } from '../../core/otlp/encode-response.ts';
import { describeRejections } from './normalise-spans.ts';
import type { AcceptedSpans } from './trace-acceptor.ts';

/** @returns undefined for a full success; in OTLP, a message without rejected spans is a warning */
export function toPartialSuccess({ rejected, truncatedValues }: AcceptedSpans): PartialSuccess | undefined {
  const rejectedSpans = [...rejected.values()].reduce((sum, spans) => sum + spans, 0);
  const messages = [
    ...(rejectedSpans > 0 ? [describeRejections(rejected)] : []),
    ...(truncatedValues > 0
      ? [`Values that were too long or too deep and were truncated: ${truncatedValues}.`]
      : []),
  ];
  return messages.length === 0 ? undefined : { rejectedSpans, errorMessage: messages.join(' ') };
}
