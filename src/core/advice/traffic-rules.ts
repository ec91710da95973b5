// The rules that speak from traffic, by id.

import type { TrafficRule } from './rule.ts';
import { accidentalDuplicates } from './rules/accidental-duplicates.ts';
import { annotationsContradictOutcomes } from './rules/annotations-contradict-outcomes.ts';
import { confusedTools } from './rules/confused-tools.ts';
import { deprecatedStillCalled } from './rules/deprecated-still-called.ts';
import { errorsWithoutCode } from './rules/errors-without-code.ts';
import { errorsWithoutRecovery } from './rules/errors-without-recovery.ts';
import { failureReportedAsSuccess } from './rules/failure-reported-as-success.ts';
import { fewValues } from './rules/few-values.ts';
import { incompleteObject } from './rules/incomplete-object.ts';
import { leakingErrors } from './rules/leaking-errors.ts';
import { missingBound } from './rules/missing-bound.ts';
import { missingDefault } from './rules/missing-default.ts';
import { outputSchemaViolation } from './rules/output-schema-violation.ts';
import { partialFailure } from './rules/partial-failure.ts';
import { unboundedResult } from './rules/unbounded-result.ts';
import { unstructuredResult } from './rules/unstructured-result.ts';
import { unusedArgument } from './rules/unused-argument.ts';

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
];
