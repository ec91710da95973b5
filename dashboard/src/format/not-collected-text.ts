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
  'Types, lengths, and the names and enum values that the tool declares leave the server’s process. No value of an argument or a result does.';

export const NOT_COLLECTED = {
  shape: {
    missing: 'The shape was not collected.',
    how: 'The server runs with capture none, or another emitter sends no arguments and results along. From the default mode on, shapes are collected:',
    code: SHAPE_CODE,
    privacyCost: SHAPE_COST,
  },
  argumentNames: {
    missing: 'Not collected: no call of this range told its argument names, or the tool takes none.',
    how: 'Names come with the shapes of arguments, which capture none leaves out:',
    code: SHAPE_CODE,
    privacyCost: SHAPE_COST,
  },
  message: {
    missing: 'The message was not collected.',
    how: 'The server runs with capture none, or the failure had no message. From the default mode on, a masked message is collected:',
    code: SHAPE_CODE,
    privacyCost:
      'At most 200 characters of each error message leave the server’s process, with quoted texts, numbers, paths and ids replaced.',
  },
  catalogue: {
    missing: 'The catalogue is not known.',
    how: 'It comes with an answer to tools/list that our wrapper sees: let a client list the tools once, through observe() or toolscope wrap. Spans of other emitters carry none.',
    privacyCost:
      'Names, descriptions and schemas of the tools leave the server’s process, without keys and tokens. Nothing of a call does.',
  },
} as const satisfies Readonly<Record<string, NotCollectedText>>;

export type NotCollectedKind = keyof typeof NOT_COLLECTED;
