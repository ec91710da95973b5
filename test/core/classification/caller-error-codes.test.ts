import { describe, expect, test } from 'vitest';
import { isCallerCode } from '../../../src/core/classification/caller-error-codes.ts';

describe('error codes of the caller', () => {
  test.each<[string, boolean, string]>([
    ['INVALID_ID', true, 'the id was given by the caller'],
    ['VALIDATION_ERROR', true, 'the arguments were'],
    ['ValidationError', true, 'a class says the same'],
    ['MISSING_TITLE', true, 'it was left out'],
    ['NOT_FOUND', true, 'the id was made up'],
    ['NOTE_NOT_FOUND', true, 'the id was made up'],
    ['NotFoundError', true, 'a class says the same'],
    ['CONFLICT', true, 'the version was an old one'],
    ['VERSION_CONFLICT', true, 'the version was an old one'],
    ['ALREADY_EXISTS', true, 'the name was taken'],
    ['OUT_OF_RANGE', true, 'the number was too large'],
    ['HTTP_404', true, 'the status says so'],
    ['ENOENT', true, 'the path was made up'],
    ['invalid_request', true, 'in lower case too'],
    ['not_found', true, 'in lower case too'],
    ['HTTP_503', false, 'the server is down'],
    ['INTERNAL', false, 'that is the server'],
    ['TIMEOUT', false, 'that is the server'],
    ['UNKNOWN_ERROR', false, 'it says nothing'],
    ['RATE_LIMITED', false, 'the call was right, and came too soon'],
    ['TOO_MANY_REQUESTS', false, 'the call was right, and came too soon'],
    ['INVALID_API_KEY', false, 'the server is set up wrongly'],
    ['MISSING_CREDENTIALS', false, 'the server is set up wrongly'],
    ['INVALID_RESPONSE', false, 'it came from elsewhere'],
    ['MODULE_NOT_FOUND', false, 'the server is installed wrongly'],
    ['ENOTFOUND', false, 'that is a name server'],
    ['tool_error', false, 'it is no code'],
    ['', false, 'there is none'],
  ])('whether %s is an error of the caller is %s, because %s', (code, expected) => {
    expect(isCallerCode(code)).toBe(expected);
  });
});
