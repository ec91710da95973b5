// Formats the journal's contents for a terminal.

import type { JournalContents, PendingSegment } from '../../service/ingest/read-journal.ts';
import { joinLines } from '../output.ts';

export function formatJournal({ pending, quarantine, dropped }: JournalContents, nowMs: number): string {
  const waiting = pending.map((segment) => formatSegment(segment, nowMs));
  const entries = quarantine.flatMap(({ id, kind, rows, bytes, at, reason, isAsked }) => {
    const size =
      kind === 'damaged' ? `damaged, ${formatByteCount(bytes)}` : `${rows} rows, ${formatByteCount(bytes)}`;
    const state = isAsked ? '; will be replayed' : '';
    return [`  ${id}  ${size}, since ${at.slice(0, 19)} UTC${state}`, `    ${reason}`];
  });
  return joinLines([
    pending.length === 0 ? 'No data is waiting for the store.' : `Waiting for the store (${pending.length}):`,
    ...waiting,
    quarantine.length === 0 ? 'The quarantine is empty.' : `In quarantine (${quarantine.length}):`,
    ...entries,
    ...(dropped.entries === 0
      ? []
      : [`Removed from the full quarantine (${dropped.entries}): ${dropped.rows} rows are lost.`]),
  ]);
}

function formatSegment({ segment, calls, rows, bytes, sinceMs }: PendingSegment, nowMs: number): string {
  const age = sinceMs === undefined ? '' : `, for ${formatElapsed(nowMs - sinceMs)}`;
  return `  segment ${segment}  ${calls} calls in ${rows} rows, ${formatByteCount(bytes)}${age}`;
}

function formatByteCount(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
