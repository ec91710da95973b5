// Which earlier selves are drawn. Beside a few lines all of them are; beside many, dashes would hide what they are compared
// with, so only one is: that of the line pointed at, or of the one with the most calls behind it.
import type { PreparedLine } from './prepared-chart.ts';

/** As many lines as can be named at their ends. */
const MOST_WITH_ALL = 4;

/**
 * Keys of the earlier selves to draw.
 *
 * @param emphasis the line that is pointed at
 */
export function chooseEarlier(lines: readonly PreparedLine[], emphasis?: string): ReadonlySet<string> {
  const earlier = lines.filter(({ earlierOf }) => earlierOf !== undefined);
  if (lines.length - earlier.length <= MOST_WITH_ALL) return new Set(earlier.map(({ key }) => key));
  const of = earlier.some(({ earlierOf }) => earlierOf === emphasis) ? emphasis : findLeading(lines);
  return new Set(earlier.filter(({ earlierOf }) => earlierOf === of).map(({ key }) => key));
}

/** Lines without a colour of their own stand for many and lead nothing. */
function findLeading(lines: readonly PreparedLine[]): string | undefined {
  const weigh = ({ points }: PreparedLine): number => points.reduce((sum, { n }) => sum + n, 0);
  const own = lines.filter(({ earlierOf, slot }) => earlierOf === undefined && slot > 0);
  return own.reduce<PreparedLine | undefined>(
    (best, line) => (best && weigh(best) >= weigh(line) ? best : line),
    undefined,
  )?.key;
}

/** What is dashed, in words; undefined where nothing is compared. */
export function sayEarlier(lines: readonly PreparedLine[], emphasis?: string): string | undefined {
  const earlier = lines.filter(({ earlierOf }) => earlierOf !== undefined);
  const shown = chooseEarlier(lines, emphasis);
  const [first] = earlier.filter(({ key }) => shown.has(key));
  if (!first) return undefined;
  const word = first.label.split(', ').at(-1) ?? '';
  if (earlier.every(({ points }) => points.every(({ n }) => n === 0)))
    return `Nothing ${word} to compare with.`;
  return shown.size < earlier.length
    ? `Dashed: ${first.label}. Point at another tool for its own.`
    : `Dashed: ${word}`;
}
