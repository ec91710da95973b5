// The guard's verdict as an attribute of a span: its name is the verdict, its value the code.

import { GUARD_VERDICTS, type GuardRecord, type GuardVerdict } from '../model/guard-verdict.ts';
import { ATTR_GUARD_BLOCKED, ATTR_GUARD_NUDGED, ATTR_GUARD_WOULD_BLOCK } from './toolscope-attributes.ts';

export const GUARD_ATTRIBUTES = {
  blocked: ATTR_GUARD_BLOCKED,
  would_block: ATTR_GUARD_WOULD_BLOCK,
  nudged: ATTR_GUARD_NUDGED,
} as const satisfies Readonly<Record<GuardVerdict, string>>;

/** What a guard did about the call with these attributes; undefined if it did nothing. */
export function findGuardRecord(attributes: Readonly<Record<string, string>>): GuardRecord | undefined {
  for (const guardVerdict of GUARD_VERDICTS) {
    const guardCode = attributes[GUARD_ATTRIBUTES[guardVerdict]];
    if (guardCode) return { guardVerdict, guardCode };
  }
  return undefined;
}
