// The result of a check, as it is printed and as JSON.
import type { DefinitionChange } from '../../core/advice/definition-change.ts';
import type { LiveComparison } from './compare-live.ts';

export interface CheckReport {
  readonly server: string;
  readonly version: string;
  readonly baselineVersion: string;
  readonly tools: number;
  readonly passed: boolean;
  readonly breaking: readonly DefinitionChange[];
  readonly safe: readonly DefinitionChange[];
  readonly definitionTokens: number;
  readonly baselineTokens: number;
  /** Undefined where no budget was given. */
  readonly maxTokens: number | undefined;
  /** Undefined without `--live`. */
  readonly live: LiveComparison | undefined;
}
