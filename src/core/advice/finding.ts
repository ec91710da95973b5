// What advice says: one finding is one rule at one place, with the figures that made it speak and what would prove it wrong.
// Evidence holds counts and names. Names are the server author's words (tools, arguments, codes); values of calls never.

import type { Outcome } from '../model/outcome.ts';

/** Weakest first. `error`: calls fail or clients refuse it; `warning`: it misleads agents; `note`: worth a look. */
export const FINDING_LEVELS = ['note', 'warning', 'error'] as const;

export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** `static`: from the definitions alone. `traffic`: from what happened to calls. */
export type FindingSource = 'static' | 'traffic';

/** Which calls prove a finding; every field that is present narrows. */
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
  /** Every figure the sentence turns on, by name, its unit in the name where it has one. */
  readonly counts: Readonly<Record<string, number>>;
  /** What is counted, by name: other tools, arguments, codes, clients, templates. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly calls?: EvidenceCalls;
}

/** One edit of a tool's definition. */
export interface DefinitionEdit {
  readonly tool: string;
  /** JSON pointer into the definition, e.g. `/inputSchema/properties/limit/maximum`. */
  readonly pointer: string;
  /** As it stands; absent where nothing stands there. */
  readonly before?: unknown;
  /** What to write; absent where it is to be taken away. `<…>` in a text is for the author to fill in. */
  readonly after?: unknown;
}

export interface FindingSuggestion {
  /** One sentence, in the imperative. */
  readonly text: string;
  readonly edits: readonly DefinitionEdit[];
}

/** What a rule itself says; the rest of a finding is the rule's own. */
export interface Observation {
  /** Empty when the finding is about the server's tools together. */
  readonly tool: string;
  /** Path of the argument (`filter.limit`); empty when it is about the tool. */
  readonly argument?: string;
  /** Where it differs from the level of the rule. */
  readonly level?: FindingLevel;
  /** One sentence with the figures in it. */
  readonly finding: string;
  readonly evidence: FindingEvidence;
  readonly suggestion: FindingSuggestion;
  /** Calls that failed, were repeated or led nowhere because of it; 0 where that is not known. No failure counts under two rules. */
  readonly callsLost?: number;
}

export interface Finding extends Required<Observation> {
  /** Stable: `TD001`. */
  readonly rule: string;
  readonly source: FindingSource;
  readonly title: string;
  /** What would show that the finding is wrong, or has been mended. */
  readonly disprovedBy: string;
}
