import { describe, expect, test } from 'vitest';
import { findMissingArgument } from '../../../src/core/classification/failing-argument.ts';
import { findInnerMessage } from '../../../src/core/classification/inner-message.ts';

describe('inner error message', () => {
  test.each([
    [
      '{"error":{"name":"ValidationError","message":"title is required"}}',
      'ValidationError: title is required',
      'one below',
    ],
    [
      '{"object":"error","status":400,"code":"validation_error","message":"bad date"}',
      'validation_error: bad date',
      'at the top',
    ],
    [
      '{"title":"Bad Request","status":400,"detail":"limit must be positive"}',
      'limit must be positive',
      'RFC 7807',
    ],
    ['{"errors":[{"message":"a"},{"message":"b"}]}', 'a; b', 'several'],
    ['{"error":"no such table"}', 'no such table', 'a text'],
    ['HTTP 400: {"error":{"message":"bad"}}', 'HTTP 400: bad', 'after a prefix'],
    ['it broke', 'it broke', 'no JSON'],
    ['{"error":', '{"error":', 'cut JSON'],
    ['{"ok":false}', '{"ok":false}', 'nothing said'],
  ])('the inner message of %s is %j, because %s', (text, expected) => {
    expect(findInnerMessage(text)).toBe(expected);
  });
});

describe('missing argument', () => {
  test.each([
    [
      '[{"code":"invalid_type","expected":"string","received":"undefined","path":["content"],"message":"Required"}]',
      'content',
      'zod',
    ],
    ["data must have required property 'content'", 'content', 'ajv'],
    ['1 validation error for call[write]\ncontent\n  Field required [type=missing]', 'content', 'pydantic'],
    ["write_file() missing 1 required positional argument: 'content'", 'content', 'Python'],
    ['missing required parameter: content', 'content', 'Go'],
    ['Missing required argument "content"', 'content', 'in words'],
    ["'content' is a required property", 'content', 'jsonschema'],
    ['content is required', 'content', 'by hand'],
    ['Parameter `content` was not provided', 'content', 'by hand, too'],
    ['Authentication is required', '', 'that is no argument'],
    ['This field is required', '', 'it has no name'],
    ['Note not found', '', 'nothing is missing but the note'],
  ])('the missing argument of %j is %j, because %s', (message, expected) => {
    expect(findMissingArgument(message)).toBe(expected);
  });
});
