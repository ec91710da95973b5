// What choosing, excluding and removing one value of a filter does.
import { describe, expect, test } from 'vitest';
import { addEntry, describeFilter, removeEntry } from '../../dashboard/src/view/filter-entries.ts';
import type { FilterValue } from '../../src/contract/filter-value.ts';

const AB = { only: ['a', 'b'], except: [] };

describe('values of a filter', () => {
  test.each<[FilterValue | undefined, string, boolean, FilterValue, string]>([
    [undefined, 'a', false, 'a', 'a single value is text'],
    ['a', 'b', false, AB, 'a second one is added'],
    ['a', 'a', false, 'a', 'it is set already'],
    [undefined, 'c', true, { only: [], except: ['c'] }, 'all others pass'],
    [AB, 'b', true, { only: ['a'], except: ['b'] }, 'a value is not selected and excluded at once'],
    [{ only: [], except: ['a'] }, 'a', false, 'a', 'selecting it ends the exclusion'],
  ])('%j with %s (excluded: %s) becomes %j, because %s', (filter, value, isExcluded, expected, _because) => {
    expect(addEntry(filter, { value, isExcluded })).toEqual(expected);
  });

  test('a filter without its last value is none', () => {
    expect(removeEntry(AB, 'a')).toBe('b');
    expect(removeEntry('b', 'b')).toBeUndefined();
    expect(removeEntry({ only: [], except: ['c'] }, 'c')).toBeUndefined();
  });

  test.each<[FilterValue, string]>([
    ['', 'code none'],
    [AB, 'code a or b'],
    [{ only: [], except: ['c', 'd'] }, 'code not c or d'],
    [{ only: ['a', 'b'], except: ['b'] }, 'code a or b, not b'],
  ])('%j is described as "%s"', (filter, expected) => {
    expect(describeFilter('code', filter)).toBe(expected);
  });
});
