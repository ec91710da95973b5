// What a rule is. Its id is a promise: people ignore, dismiss and search by it, so an id is never given to another rule.

import type { ToolDefinition } from '../model/catalogue.ts';
import type { Finding, FindingLevel, FindingSource, Observation } from './finding.ts';
import type { ToolEvidence } from './tool-evidence.ts';

export interface RuleMeta {
  readonly id: string;
  /** The usual level of its findings. */
  readonly level: FindingLevel;
  /** A few words, as a heading. */
  readonly title: string;
  /** When it speaks, in one sentence, thresholds included. */
  readonly condition: string;
  readonly disprovedBy: string;
  /** On published servers it was wrong too often, or speaks too seldom to know: a note that is shown on request only. */
  readonly pedantic?: boolean;
  /** The static rule that suspects what this one shows: its finding at the same place is left out then. */
  readonly confirms?: string;
}

export interface StaticRule extends RuleMeta {
  /** @param tools all that the server lists */
  readonly check: (tools: readonly ToolDefinition[]) => readonly Observation[];
}

/** One tool's traffic beside its definition. */
export interface ToolTraffic {
  readonly evidence: ToolEvidence;
  /** Undefined for a name that the newest listing does not have. */
  readonly definition: ToolDefinition | undefined;
  readonly tools: readonly ToolDefinition[];
}

export interface TrafficRule extends RuleMeta {
  readonly check: (traffic: ToolTraffic) => readonly Observation[];
}

/** The finding that an observation becomes under its rule. */
export function toFinding(
  { id, level, title, disprovedBy }: RuleMeta,
  source: FindingSource,
  { counts, names = {}, calls, suggestion, edits = [], ...observation }: Observation,
): Finding {
  return {
    ...{ argument: '', callsLost: 0, level },
    ...observation,
    evidence: { counts, names, ...(calls && { calls }) },
    suggestion: { text: suggestion, edits },
    ...{ rule: id, source, title, disprovedBy },
  };
}
