// Runs the detector over labelled sessions under several keys, and counts.
import { parseSessionLine } from '../../src/cli/detect/parse-session-line.ts';
import { detectLoops } from '../../src/core/loops/detector.ts';
import { createFingerprinter } from '../../src/core/values/fingerprint.ts';
import type { RedactionOptions } from '../../src/core/values/redaction-options.ts';
import type { LabelledSession, SessionLabel } from './synthetic-call.ts';

/** How often sessions of one kind were flagged, over all keys. */
export interface KindTally {
  readonly kind: string;
  readonly label: SessionLabel;
  sessions: number;
  judged: number;
  flagged: number;
  /** Sessions judged differently under different keys. */
  flips: number;
}

export interface Misclassification {
  readonly session: LabelledSession;
  /** Under how many keys it was flagged. */
  readonly flagged: number;
  readonly sentences: readonly string[];
}

/** So many keys, always the same ones. */
export function createRedactions(keys: number): RedactionOptions[] {
  return Array.from({ length: keys }, (_, at) => ({
    capture: 'shape',
    fingerprinter: createFingerprinter(Buffer.from(`evaluation, key ${at + 1}`)),
  }));
}

/** Whether a session is flagged under one key, and in what words. */
export function evaluateSession(
  session: object,
  reduction: RedactionOptions,
): { readonly flagged: boolean; readonly sentences: readonly string[] } {
  const { calls } = parseSessionLine(JSON.stringify(session), 1, reduction);
  const { verdict, findings } = detectLoops(calls);
  return {
    flagged: verdict === 'suspected' || verdict === 'confirmed',
    sentences: findings.map(({ severity, kind, sentence }) => `${severity} ${kind}: ${sentence}`),
  };
}

/** Judges every session and tells those that are not judged as they are labelled, or not always. */
export function evaluateSessions(
  sessions: Iterable<LabelledSession>,
  reductions: readonly RedactionOptions[],
  onMisclassified: (wrong: Misclassification) => void,
): KindTally[] {
  const tallies = new Map<string, KindTally>();
  for (const session of sessions) {
    const verdicts = reductions.map((reduction) => evaluateSession(session, reduction));
    const flagged = verdicts.filter((verdict) => verdict.flagged).length;
    addToTally(tallies, session, { flagged, of: verdicts.length });
    if (flagged !== (session.label === 'loop' ? verdicts.length : 0))
      onMisclassified({ session, flagged, sentences: verdicts.flatMap(({ sentences }) => sentences) });
  }
  return [...tallies.values()];
}

function addToTally(
  tallies: Map<string, KindTally>,
  { kind, label }: LabelledSession,
  { flagged, of }: { readonly flagged: number; readonly of: number },
): void {
  const key = `${label} ${kind}`;
  const tally = tallies.get(key) ?? { kind, label, sessions: 0, judged: 0, flagged: 0, flips: 0 };
  tally.sessions++;
  tally.judged += of;
  tally.flagged += flagged;
  if (flagged > 0 && flagged < of) tally.flips++;
  tallies.set(key, tally);
}
