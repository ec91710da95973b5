import { describe, expect, test } from 'vitest';
import { normaliseFailureText } from '../../../src/core/values/error-template.ts';

describe('comparison of failures', () => {
  test.each<[string, string, boolean, string]>([
    ['Note 12 not found', 'Note 13 not found', true, 'only the id differs'],
    [
      'Could not find page with ID: 7f9c24e5-3b1a-4c5e-9d8f-0123456789ab',
      'Could not find page with ID: 8f9c24e5-3b1a-4c5e-9d8f-0123456789ab',
      true,
      'a UUID differs',
    ],
    ['ENOENT: open "a.txt"', 'ENOENT: open "b.txt"', true, 'a quoted value differs'],
    ['Access denied: /etc/shadow', 'Access denied: /srv/x', true, 'a path differs'],
    [
      'No match for edit:\nfn a()',
      'No match for edit:\nfn b()',
      true,
      'below the first line stands what was sent',
    ],
    ['title is required', 'due_date is required', false, 'another argument'],
    ['"title" is required', '"due_date" is required', false, 'a name in quotes is the cause'],
    ['connection refused', 'permission denied', false, 'another cause'],
    ['Zeitüberschreitung', 'Kein Zugriff', false, 'words that no vocabulary has'],
  ])('whether the failures %j and %j are the same is %s, because %s', (a, b, same) => {
    expect(normaliseFailureText(a) === normaliseFailureText(b)).toBe(same);
  });
});
