// Answered calls by themselves, on a real disk.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeCallJson } from '../../../src/core/dialects/toolscope-span-json.ts';
import { AnsweredCalls } from '../../../src/instrumentation/exporter/answered-calls.ts';
import { createTestCall } from './calls.ts';
import { countSpooledCalls, createSpoolDirectory, listSegments } from './spool-directory.ts';

function open() {
  const directory = createSpoolDirectory();
  const answered = new AnsweredCalls({ directory, folder: join(directory, 'receiver') });
  return { directory, answered, append: (id: number) => answered.append(encodeCallJson(createTestCall(id))) };
}

describe('answered calls', () => {
  test('a call is on disk when it was appended, and no longer when it is settled', () => {
    const { directory, answered, append } = open();
    const [one, two] = [append(1), append(2)];
    expect(countSpooledCalls(directory)).toBe(2);
    answered.settle(one);
    answered.settle(two);
    expect(countSpooledCalls(directory)).toBe(0);
    append(3);
    expect(countSpooledCalls(directory)).toBe(1);
  });

  test('a call that is settled twice counts once', () => {
    const { directory, answered, append } = open();
    const one = append(1);
    append(2);
    answered.settle(one);
    answered.settle(one);
    answered.close();
    expect(countSpooledCalls(directory)).toBe(2);
  });

  test('a full file is removed when all of its calls are settled', () => {
    const { directory, answered, append } = open();
    const calls = Array.from({ length: 600 }, (_, id) => append(id));
    expect(listSegments(directory).length).toBeGreaterThan(1);
    for (const call of calls) answered.settle(call);
    expect(listSegments(directory).length).toBe(1);
    answered.close();
    expect(listSegments(directory)).toEqual([]);
  });

  test('a file with calls stays when the process ends', () => {
    const { directory, answered, append } = open();
    append(1);
    answered.close();
    expect(countSpooledCalls(directory)).toBe(1);
  });

  test('after a disk error calls wait in memory only', () => {
    const { directory, answered, append } = open();
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    expect(append(1)).toBeUndefined();
    expect(append(2)).toBeUndefined();
    answered.close();
  });
});
