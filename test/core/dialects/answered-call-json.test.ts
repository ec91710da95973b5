// Templates and fields of answered calls against the encoder of whole calls.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fillTemplate,
  toCallTemplate,
  toFieldsText,
  toSpanItem,
} from '../../../src/core/dialects/answered-call-json.ts';
import type { ToolCall } from '../../../src/core/model/tool-call.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { arbitraryCall } from './arbitrary-call.ts';

const ids = fc.record({
  traceId: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
  spanId: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 16, maxLength: 16 }),
  parentSpanId: fc.constantFrom('', '00f067aa0ba902b7'),
  startedAtUs: fc.integer({ min: 1, max: 2 ** 52 }),
  durationUs: fc.integer({ min: 0, max: 10_000_000 }),
  requestId: fc.oneof(fc.integer().map(String), fc.string({ unit: 'binary', minLength: 1 })),
  argumentsBytes: fc.integer({ min: 1, max: 1e9 }),
  resultBytes: fc.integer({ min: 1, max: 1e9 }),
});

/** A call that succeeded, as far as it is known when it is answered. */
const outline = (call: ToolCall): ToolCall => ({
  ...call,
  fault: 'none',
  outcome: 'ok',
  errorCode: '',
  errorType: '',
  errorMessage: '',
  errorArgument: '',
  errorFingerprint: '',
  errorInResult: false,
  attributes: { 'toolscope.values.not_described': 'all' },
});

describe('answered call', () => {
  test('a filled template is the span of the call', () => {
    fc.assert(
      fc.property(arbitraryCall.map(outline), ids, ids, (call, first, second) => {
        const template = toCallTemplate({ ...call, ...first });
        if (template === undefined) throw new Error('no template');
        expect(fillTemplate(template, toFieldsText(second))).toBe(toSpanItem({ ...call, ...second }));
      }),
      { numRuns: propertyRuns({ quick: 100, full: 1_000 }) },
    );
  });

  test('fields are one line, whatever the client chose as id of its request', () => {
    fc.assert(
      fc.property(ids, (fields) => {
        const text = toFieldsText(fields);
        expect(text).not.toContain('\n');
        expect(text.split('\t').length).toBe(8);
      }),
      { numRuns: propertyRuns({ quick: 100, full: 1_000 }) },
    );
  });

  test('fields of another template are not filled in', () => {
    expect(fillTemplate(['a', 'b'], '1\t2')).toBeUndefined();
  });
});
