import protobuf from 'protobufjs/light.js';
import { describe, expect, test } from 'vitest';
import { encodeResponse, encodeStatus } from '../../../src/core/otlp/encode-response.ts';

// Written out here: the descriptor under test must not check itself.
const { root } = protobuf.Root.fromJSON({
  nested: {
    Response: { fields: { partialSuccess: { type: 'Partial', id: 1 } } },
    Partial: { fields: { rejectedSpans: { type: 'int64', id: 1 }, errorMessage: { type: 'string', id: 2 } } },
    Status: { fields: { code: { type: 'int32', id: 1 }, message: { type: 'string', id: 2 } } },
  },
});
const readProtobuf = (type: string, bytes: Uint8Array) =>
  root.lookupType(type).toObject(root.lookupType(type).decode(bytes), { longs: Number });
const readJson = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());

describe('OTLP response', () => {
  test('the response to full success leaves partialSuccess unset', () => {
    expect(readJson(encodeResponse('json'))).toEqual({});
    expect(encodeResponse('protobuf')).toHaveLength(0);
  });

  test('the response to partial success has a count and an explanation', () => {
    const partial = { rejectedSpans: 3, errorMessage: 'bad id' };
    expect(readJson(encodeResponse('json', partial))).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: 'bad id' },
    });
    expect(readProtobuf('Response', encodeResponse('protobuf', partial))).toEqual({
      partialSuccess: partial,
    });
  });

  test('the response to a refusal is a Status in either encoding', () => {
    const status = { code: 3, message: 'spans: expected an array' };
    expect(readJson(encodeStatus('json', status))).toEqual(status);
    expect(readProtobuf('Status', encodeStatus('protobuf', status))).toEqual(status);
  });
});
