// Whether the answers through `wrap` are those without it. What two plain runs answer differently is the server's own.
import type { Step } from './script.ts';

/** @returns what differs, one text per answer */
export function compareSteps(
  plain: readonly Step[],
  again: readonly Step[],
  wrapped: readonly Step[],
): readonly string[] {
  if (wrapped.length !== plain.length) return [`${wrapped.length} answers instead of ${plain.length}`];
  return wrapped.flatMap((step, at) => {
    const texts = [plain[at]?.text ?? '', again[at]?.text ?? ''];
    return isSame(step.text, texts)
      ? []
      : [`another answer to ${step.method} ${step.tool}: ${step.text.slice(0, 300)}`];
  });
}

function isSame(text: string, [plain = '', again = '']: readonly string[]): boolean {
  if (text === plain || text === again) return true;
  const masked = [text, plain, again].map(maskVarying);
  if (masked[0] === masked[1] || masked[0] === masked[2]) return plain !== again;
  // Not even the plain runs agree on anything but the fields.
  return masked[1] !== masked[2] && Math.abs(text.length - plain.length) < plain.length / 2;
}

/** Ids, times and measured numbers. */
const maskVarying = (text: string): string => text.replaceAll(/[0-9a-f-]{8,}|\d+(?:\.\d+)?/gi, '#');
