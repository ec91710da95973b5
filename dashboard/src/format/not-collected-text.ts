// Explains data that was not collected: how to enable it, and what then leaves the process. Enabling it is a
// privacy decision, so the cost is stated next to the setting and not only in a manual.

export interface NotCollectedText {
  readonly missing: string;
  readonly how: string;
  /** Code to copy, if any. */
  readonly code?: string;
  readonly privacyCost: string;
}

const SHAPE_CODE =
  "observe(server, { capture: 'shape' })   // or TOOLSCOPE_CAPTURE=shape, or toolscope wrap --capture shape";
const SHAPE_COST =
  'Types, lengths, and the names and enum values that the tool declares leave the server’s process. No values of arguments or results do.';

export const NOT_COLLECTED = {
  shape: {
    missing: 'Shape not collected.',
    how: 'The server runs with capture none, or another emitter does not send arguments and results. The default mode collects shapes:',
    code: SHAPE_CODE,
    privacyCost: SHAPE_COST,
  },
  argumentNames: {
    missing: 'Not collected: no call of this range has argument names, or the tool takes no arguments.',
    how: 'Names are part of the shapes of arguments, which capture none omits:',
    code: SHAPE_CODE,
    privacyCost: SHAPE_COST,
  },
  message: {
    missing: 'Message not collected.',
    how: 'The server runs with capture none, or the failure had no message. The default mode collects a masked message:',
    code: SHAPE_CODE,
    privacyCost:
      'At most 200 characters of each error message leave the server’s process, with quoted texts, numbers, paths and ids replaced.',
  },
  catalogue: {
    missing: 'Catalogue unknown.',
    how: 'The wrapper reads it from a response to tools/list: let a client list the tools once, through observe() or toolscope wrap. Spans of other emitters do not contain it.',
    privacyCost:
      'Names, descriptions and schemas of the tools leave the server’s process, without keys and tokens. No data of calls does.',
  },
} as const satisfies Readonly<Record<string, NotCollectedText>>;

export type NotCollectedKind = keyof typeof NOT_COLLECTED;
