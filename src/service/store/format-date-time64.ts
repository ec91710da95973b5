// Formats an instant for ClickHouse.

/**
 * @param us microseconds since the epoch, not before it
 * @returns `YYYY-MM-DD hh:mm:ss.ffffff` in UTC
 */
export function formatDateTime64(us: number): string {
  const ms = Math.floor(us / 1000);
  const text = new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  return `${text}${String(Math.floor(us - ms * 1000)).padStart(3, '0')}`;
}
