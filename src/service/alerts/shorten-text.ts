// Texts of others in notifications: on one line, and no longer than a receiver takes.

/** A text of others as part of one line: line breaks and control characters become spaces. */
export function toLine(text: string, maxLength: number): string {
  return truncateText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '), maxLength);
}

/** Shortens a text, and says so with an ellipsis; never splits a character. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
