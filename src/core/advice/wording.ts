// How findings speak of counts and names, so that they all speak alike.

/** `1 call`, `12 calls`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `31 of 140 calls (22 %)`. */
export function shareOf(part: number, whole: number, noun = 'call'): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole;
  const shown = percent > 0 && percent < 1 ? 'under 1' : Math.round(percent);
  return `${part} of ${countOf(whole, noun)} (${shown} %)`;
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listOf(names: readonly string[], most = 4): string {
  if (names.length > most)
    return `${names.slice(0, most - 1).join(', ')} and ${names.length - most + 1} more`;
  if (names.length < 2) return names[0] ?? '';
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
