// A finding: one rule at one place, with its evidence and what would disprove it. Evidence holds counts and names (tools,
// arguments, codes), never values of calls.

import type { Outcome } from '../model/outcome.ts';

/** Weakest first. `error`: calls fail or clients reject the tool. `warning`: agents are misled. `note`: worth checking. */
export const FINDING_LEVELS = ['note', 'warning', 'error'] as const;

export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** `static`: from the definitions alone. `traffic`: from what happened to calls. */
export type FindingSource = 'static' | 'traffic';

/** The calls that prove a finding; each field narrows the selection. */
export interface EvidenceCalls {
  readonly tool: string;
  readonly outcome?: Outcome;
  readonly code?: string;
  /** Masked template of the error. */
  readonly message?: string;
  /** Path of the argument that was refused. */
  readonly argument?: string;
}

export interface FindingEvidence {
  /** Every number in the sentence, by name, with its unit. */
  readonly counts: Readonly<Record<string, number>>;
  /** Names by kind: other tools, arguments, codes, clients, templates. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly calls?: EvidenceCalls;
}

/** One edit of a tool's definition. */
export interface DefinitionEdit {
  readonly tool: string;
  /** JSON pointer into the definition, e.g. `/inputSchema/properties/limit/maximum`. */
  readonly pointer: string;
  /** Current value; absent if there is none. */
  readonly before?: unknown;
  /** New value; absent to remove it. The author fills in `<…>`. */
  readonly after?: unknown;
}

export interface FindingSuggestion {
  /** One sentence, in the imperative. */
  readonly text: string;
  readonly edits: readonly DefinitionEdit[];
}

/** The result of a rule; `toFinding` adds the rule's own fields. */
export interface Observation {
  /** Empty if the finding is about all tools of the server. */
  readonly tool: string;
  /** Path of the argument (`filter.limit`); empty if the finding is about the tool. */
  readonly argument?: string;
  /** If it differs from the rule's level. */
  readonly level?: FindingLevel;
  /** One sentence that contains the numbers. */
  readonly finding: string;
  readonly counts: FindingEvidence['counts'];
  readonly names?: FindingEvidence['names'];
  readonly calls?: EvidenceCalls;
  /** One sentence, in the imperative. */
  readonly suggestion: string;
  readonly edits?: readonly DefinitionEdit[];
  /** Calls that failed, were repeated or were useless because of it; 0 if unknown. A failure counts for one rule only. */
  readonly callsLost?: number;
}

export interface Finding
  extends Required<Pick<Observation, 'tool' | 'argument' | 'level' | 'finding' | 'callsLost'>> {
  readonly evidence: FindingEvidence;
  readonly suggestion: FindingSuggestion;
  /** Stable: `TD001`. */
  readonly rule: string;
  readonly source: FindingSource;
  readonly title: string;
  /** What would show that the finding is wrong or resolved. */
  readonly disprovedBy: string;
}
