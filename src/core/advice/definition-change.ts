// One difference between two definitions of a tool.

export const DEFINITION_CHANGE_KINDS = [
  'tool_removed',
  'tool_renamed',
  'tool_added',
  'required_added',
  'became_required',
  'became_optional',
  'argument_removed',
  'argument_renamed',
  'argument_added',
  'type_changed',
  'enum_narrowed',
  'enum_widened',
  'bound_narrowed',
  'bound_widened',
  'default_changed',
  'output_added',
  'output_removed',
  'description_changed',
  'title_changed',
  'annotation_changed',
] as const;

export type DefinitionChangeKind = (typeof DEFINITION_CHANGE_KINDS)[number];

export interface DefinitionChange {
  readonly kind: DefinitionChangeKind;
  /** Name of the tool as it is now; of a removed one, as it was. */
  readonly tool: string;
  /** Path of the argument, or of the field of the output; empty when it is about the tool. */
  readonly path: string;
  /** Whether a caller that knew the old definition can fail on the new one. */
  readonly breaking: boolean;
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
}
