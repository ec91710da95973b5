// The rules that need no traffic, by id.

import type { StaticRule } from './rule.ts';
import { abbreviatedName } from './rules/abbreviated-name.ts';
import { annotationsContradictName } from './rules/annotations-contradict-name.ts';
import { boundOnlyInDescription } from './rules/bound-only-in-description.ts';
import { descriptionRepeatsName } from './rules/description-repeats-name.ts';
import { enumOnlyInDescription } from './rules/enum-only-in-description.ts';
import { genericName } from './rules/generic-name.ts';
import { inconsistentSpelling } from './rules/inconsistent-spelling.ts';
import { missingAnnotations } from './rules/missing-annotations.ts';
import { missingDescription } from './rules/missing-description.ts';
import { nameWithoutVerb } from './rules/name-without-verb.ts';
import { overlappingTools } from './rules/overlapping-tools.ts';
import { schemaNotObject } from './rules/schema-not-object.ts';
import { thinDescription } from './rules/thin-description.ts';
import { toolCount } from './rules/tool-count.ts';
import { unsafeRepeat } from './rules/unsafe-repeat.ts';

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
];
