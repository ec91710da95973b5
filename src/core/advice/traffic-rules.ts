// The rules that speak from traffic, by id.

import type { TrafficRule } from './rule.ts';
import { accidentalDuplicates } from './rules/accidental-duplicates.ts';
import { confusedTools } from './rules/confused-tools.ts';
import { annotationsContradictOutcomes } from './rules/contradicted-by-outcome.ts';
import { deprecatedStillCalled } from './rules/deprecated-still-called.ts';
import { errorsWithoutRecovery } from './rules/errors-without-recovery.ts';
import { fewValues } from './rules/few-values.ts';
import { incompleteObject } from './rules/incomplete-object.ts';
import { leakingErrors } from './rules/leaking-errors.ts';
import { missingBound } from './rules/missing-bound.ts';
import { missingDefault } from './rules/missing-default.ts';
import { partialFailure } from './rules/partial-failure.ts';
import { failureReportedAsSuccess } from './rules/success-shaped-failure.ts';
import { unboundedResult } from './rules/unbounded-result.ts';
import { errorsWithoutCode } from './rules/uncoded-errors.ts';
import { unstructuredResult } from './rules/unstructured-result.ts';
import { unusedArgument } from './rules/unused-argument.ts';
import { outputSchemaViolation } from './rules/violated-output.ts';

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
