// How findings speak of counts and names, so that they all speak alike.

/** `1 call`, `12 calls`. */
export function formatNounCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `31 of 140 calls (22 %)`. */
export function formatShareOf(part: number, whole: number, noun = 'call'): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  const shown = percent > 0 && percent < 1 ? 'under 1' : Math.round(percent);
  return `${part} of ${formatNounCount(whole, noun)} (${shown} %)`;
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function formatList(names: readonly string[], maxNames = 4): string {
  if (names.length > maxNames)
    return `${names.slice(0, maxNames - 1).join(', ')} and ${names.length - maxNames + 1} more`;
  if (names.length < 2) return names[0] ?? '';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
