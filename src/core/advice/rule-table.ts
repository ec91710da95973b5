// All rules by id: the table that docs/lint-rules.md shows and that SARIF describes.

import type { FindingSource } from './finding.ts';
import type { RuleMeta, StaticRule, TrafficRule } from './rule.ts';
import { abbreviatedName } from './rules/abbreviated-name.ts';
import { annotationsContradictName } from './rules/annotations-contradict-name.ts';
import { fewValues, incompleteObject, missingDefault, unusedArgument } from './rules/argument-rules.ts';
import {
  accidentalDuplicates,
  annotationsContradictOutcomes,
  confusedTools,
} from './rules/behaviour-rules.ts';
import { combinedActions } from './rules/combined-actions.ts';
import { competingFinders, equalSiblings } from './rules/competing-tools.ts';
import { deprecatedStillCalled } from './rules/deprecated-still-called.ts';
import { deprecatedWithoutReplacement } from './rules/deprecated-without-replacement.ts';
import { descriptionRepeatsName, missingDescription, thinDescription } from './rules/description-rules.ts';
import { unclearCodes } from './rules/error-codes.ts';
import { errorsWithoutCode, errorsWithoutRecovery, leakingErrors } from './rules/error-rules.ts';
import { inconsistentSpelling } from './rules/inconsistent-spelling.ts';
import { missingAnnotations, schemaNotObject, toolCount } from './rules/listing-rules.ts';
import { missingBound } from './rules/missing-bound.ts';
import { genericName, nameWithoutVerb } from './rules/name-rules.ts';
import { rawSql, undeclaredKeys } from './rules/open-arguments.ts';
import { openWorldDenied } from './rules/open-world.ts';
import { overlappingTools } from './rules/overlapping-tools.ts';
import {
  failureReportedAsSuccess,
  outputSchemaViolation,
  partialFailure,
  unboundedResult,
  unstructuredResult,
} from './rules/result-rules.ts';
import { schemaContradiction } from './rules/schema-contradiction.ts';
import { undeclaredArguments } from './rules/undeclared-arguments.ts';
import { boundOnlyInDescription, enumOnlyInDescription } from './rules/undeclared-constraints.ts';
import {
  dateWithoutFormat,
  defaultOnlyInDescription,
  undescribedArguments,
} from './rules/undocumented-arguments.ts';
import { unpagedList } from './rules/unpaged-list.ts';
import { unsafeRepeat } from './rules/unsafe-repeat.ts';
import {
  finalErrorRepeated,
  idempotencyKeyIgnored,
  unstatedPrecondition,
} from './rules/unstated-behaviour.ts';
import { unstatedResult } from './rules/unstated-result.ts';
import { valuesInWords } from './rules/values-in-words.ts';

export const STATIC_RULES: readonly StaticRule[] = [
  genericName,
  nameWithoutVerb,
  missingDescription,
  descriptionRepeatsName,
  thinDescription,
  overlappingTools,
  enumOnlyInDescription,
  boundOnlyInDescription,
  abbreviatedName,
  inconsistentSpelling,
  unsafeRepeat,
  schemaNotObject,
  missingAnnotations,
  annotationsContradictName,
  toolCount,
  schemaContradiction,
  undescribedArguments,
  dateWithoutFormat,
  defaultOnlyInDescription,
  deprecatedWithoutReplacement,
  valuesInWords,
  combinedActions,
  rawSql,
  undeclaredKeys,
  equalSiblings,
  competingFinders,
  unstatedResult,
  openWorldDenied,
];

export const TRAFFIC_RULES: readonly TrafficRule[] = [
  confusedTools,
  fewValues,
  missingDefault,
  missingBound,
  incompleteObject,
  unusedArgument,
  unboundedResult,
  errorsWithoutCode,
  errorsWithoutRecovery,
  leakingErrors,
  partialFailure,
  failureReportedAsSuccess,
  unstructuredResult,
  outputSchemaViolation,
  annotationsContradictOutcomes,
  accidentalDuplicates,
  deprecatedStillCalled,
  unstatedPrecondition,
  finalErrorRepeated,
  undeclaredArguments,
  idempotencyKeyIgnored,
  unpagedList,
  unclearCodes,
];

interface RuleEntry extends RuleMeta {
  readonly source: FindingSource;
}

/** Every rule, by id. */
export const ADVICE_RULES: readonly RuleEntry[] = [
  ...STATIC_RULES.map((rule): RuleEntry => ({ ...rule, source: 'static' })),
  ...TRAFFIC_RULES.map((rule): RuleEntry => ({ ...rule, source: 'traffic' })),
].sort((one, other) => (one.id < other.id ? -1 : 1));

/** Markdown table: id, level, where it looks, when it speaks. */
export function formatRuleTable(): string {
  const rows = ADVICE_RULES.map(
    ({ id, level, source, condition, pedantic = false }) =>
      `| ${id} | ${pedantic ? `${level}, pedantic` : level} | ${source} | ${condition.replaceAll('|', '\\|')} |`,
  );
  return ['| rule | level | from | speaks when |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
