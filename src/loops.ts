// The loop detector as a library: feed it the calls of one session one by one, or pass all of them.

export { createDetector, type Detector, detectLoops } from './core/loops/detector.ts';
export type { EvidenceCall, LoopFinding, SessionVerdict, Verdict } from './core/loops/finding.ts';
export type { LoopCall } from './core/loops/loop-call.ts';
export { DEFAULT_THRESHOLDS, type LoopThresholds, type ThresholdTable } from './core/loops/thresholds.ts';
export type { LoopSeverity as Severity } from './core/model/loop-record.ts';
