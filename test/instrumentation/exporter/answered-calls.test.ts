// Answered calls by themselves, on a real disk.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSpanItem } from '../../../src/core/dialects/answered-call-json.ts';
import { AnsweredCalls } from '../../../src/instrumentation/exporter/answered-calls.ts';
import { parseSegmentName } from '../../../src/instrumentation/exporter/segment-name.ts';
import { decodeBatch } from '../../../src/instrumentation/exporter/spool-segment.ts';
import { createTestCall } from './calls.ts';
import { countSpooledCalls, createSpoolDirectory, listSegments, readSpoolText } from './spool-directory.ts';

/** Two fields in a template of three pieces. */
const TEMPLATE = ['{"head":', ',"middle":', '}'];
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const directory = createSpoolDirectory();
  const answered = new AnsweredCalls({ directory, folder: join(directory, 'receiver') });
  return {
    directory,
    answered,
    append: (id: number) => answered.append({ item: toSpanItem(createTestCall(id).call) }, true),
  };
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

  test('calls of one template are on disk with it once, and are read as whole spans', () => {
    const { directory, answered } = open();
    for (const id of [1, 2, 3]) answered.append({ template: TEMPLATE, fieldsText: `"a${id}"\t"b"` }, true);
    expect(readSpoolText(directory).split('middle')).toHaveLength(2);
    const [path = ''] = listSegments(directory);
    const { body, calls } = decodeBatch(readFileSync(path), parseSegmentName(basename(path))?.base ?? 0);
    expect(calls).toBe(3);
    expect(JSON.parse(Buffer.from(body).toString()).resourceSpans).toEqual(
      [1, 2, 3].map((id) => ({ head: `a${id}`, middle: 'b' })),
    );
  });

  test('while others are unanswered, calls that are answered right after another are on disk at the end of the turn', async () => {
    const { directory, answered } = open();
    const append = () => answered.append({ template: TEMPLATE, fieldsText: '1\t2' }, false);
    append();
    append();
    const last = append();
    await endOfTurn();
    expect(countSpooledCalls(directory)).toBe(3);
    answered.settle(last);
    answered.close();
    expect(countSpooledCalls(directory)).toBe(3);
  });

  test('the last unanswered call takes those before it along', () => {
    const { directory, answered } = open();
    for (const isLast of [false, false, true])
      answered.append({ template: TEMPLATE, fieldsText: '1\t2' }, isLast);
    expect(countSpooledCalls(directory)).toBe(3);
  });

  test('calls that wait for the end of the turn are on disk when the process ends in it', () => {
    const { directory, answered } = open();
    for (const _ of [1, 2]) answered.append({ template: TEMPLATE, fieldsText: '1\t2' }, false);
    answered.close();
    expect(countSpooledCalls(directory)).toBe(2);
  });

  test('without their template, calls count as damaged', () => {
    const { directory, answered } = open();
    for (const _ of [1, 2]) answered.append({ template: TEMPLATE, fieldsText: '1\t2' }, true);
    const [path = ''] = listSegments(directory);
    const content = readFileSync(path);
    content.write('!', content.indexOf('middle'));
    const batch = decodeBatch(content, parseSegmentName(basename(path))?.base ?? 0);
    expect(batch).toMatchObject({ calls: 0, damaged: 3 });
  });
});
