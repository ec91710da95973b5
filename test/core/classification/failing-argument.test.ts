import { describe, expect, test } from 'vitest';
import { findFailingArgument, formatPath } from '../../../src/core/classification/failing-argument.ts';

describe('failing argument in a message', () => {
  test.each<[string, string, string, string]>([
    [
      'zod, JSON',
      'MCP error -32602: Invalid arguments for tool q: [{"path":["filter","tags",0],"message":"Required"}]',
      'filter.tags[]',
      'Required',
    ],
    [
      'zod, JSON, of the request',
      '[{"path":["params","arguments"],"message":"Expected object"}]',
      '',
      'Expected object',
    ],
    [
      'zod, lines',
      'Input validation error: Invalid arguments for tool q: Too big: expected number to be <=10 at limit\nRequired at a',
      'limit',
      'Too big: expected number to be <=10',
    ],
    [
      'zod, pairs',
      'Input validation error: Invalid arguments for tool q: limit: Too big: expected number to be <=10, a: Required',
      'limit',
      'Too big: expected number to be <=10',
    ],
    [
      'zod, no path',
      'Input validation error: Invalid arguments for tool q: Invalid input: expected object, received undefined',
      '',
      'Invalid input: expected object, received undefined',
    ],
    [
      'pydantic',
      'Error executing tool q: 1 validation error for qArguments\nfilter.kind\n  Field required',
      'filter.kind',
      '',
    ],
    [
      'jsonschema',
      "Input validation error: 'limit' is a required property",
      'limit',
      "'limit' is a required property",
    ],
    ['ajv, missing', "data must have required property 'limit'", 'limit', ''],
    ['ajv, wrong', 'data/filter/limit must be number', 'filter.limit', ''],
    [
      'Go, missing',
      'validating "arguments": validating root: required: missing properties: ["limit"]',
      'limit',
      '',
    ],
    [
      'Go, wrong',
      'validating "arguments": validating root: validating /properties/limit: type: "x" has type "string"',
      'limit',
      '',
    ],
    [
      'Go, unmarshalling',
      'unmarshaling arguments: json: cannot unmarshal string into Go struct field args.limit of type int',
      'limit',
      '',
    ],
    ['a sentence with a colon', 'note: Something else', '', 'note: Something else'],
    ['a sentence', 'limit is too large', '', 'limit is too large'],
  ])('the failing argument is read from %s', (_validator, text, path, message) => {
    const found = findFailingArgument(text);
    expect(found.path).toBe(path);
    if (message) expect(found.message).toBe(message);
    else expect(found.message).not.toBe('');
  });

  test('an array index is written in brackets', () => {
    expect(formatPath(['a', 0, 'b', '12'])).toBe('a[].b[]');
  });

  test('a message of worst-case input is read in linear time', () => {
    // Of the processor's time: what else a machine does is not counted. A square would take minutes.
    const started = process.cpuUsage();
    for (const bait of [' at a', 'a: B', 'Tool ', '[', "'", 'validation error for a\n'])
      findFailingArgument(`Invalid arguments for tool q: ${bait.repeat(20_000)}`);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });
});
