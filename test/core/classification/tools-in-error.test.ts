import { describe, expect, test } from 'vitest';
import { findToolsInError } from '../../../src/core/classification/tools-in-error.ts';

const TOOLS: readonly string[] = ['list_dns_records', 'listNotes', 'search', 'get.user'];

describe('tools that an error names', () => {
  test.each<[string, string, string]>([
    ["Unknown record; recovery: use 'list_dns_records'", 'list_dns_records', 'it is quoted'],
    ['Unknown record, call list_dns_records first.', 'list_dns_records', 'it can be nothing else'],
    ['{"recovery":"call `search`, then listNotes"}', 'search+listNotes', 'both are named'],
    ['The search failed.', '', 'that is a word'],
    ['Use "delete_all" instead.', '', 'there is no such tool'],
    ['Try get.user', 'get.user', 'names may have dots'],
    ['', '', 'it says nothing'],
  ])('the text %j names %j, because %s', (text, expected) => {
    expect(findToolsInError(text, (name) => TOOLS.includes(name))).toBe(expected);
  });
});
