import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { NODE_FILE_SYSTEM } from '../../../src/segment-log/file-system.ts';
import { quarantineRefusedRows, requestReplay } from '../../../src/service/ingest/quarantine.ts';
import { createQuarantinePurger } from '../../../src/service/maintenance/purge-quarantine.ts';
import type { PurgeTarget } from '../../../src/service/store/purge-target.ts';
import { createServiceFolder, removeServiceFolder } from '../../support/in-process-service.ts';

const call = (n: number, session: string, server = 'notes', principal = '') => ({
  trace_id: `t${n}`,
  span_id: `s${n}`,
  session_id: session,
  server_name: server,
  principal,
  started_at: `2026-11-2${n} 12:00:00.000000`,
});
const payload = (n: number) => ({
  trace_id: `t${n}`,
  span_id: `s${n}`,
  started_at: `2026-11-2${n} 12:00:00.000000`,
  arguments: '{}',
});
const toRows = (rows: readonly object[]) =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

let data: string;
let directory: string;

beforeEach(async () => {
  data = createServiceFolder();
  onTestFinished(() => removeServiceFolder(data));
  directory = join(data, 'quarantine');
  mkdirSync(directory);
  const place = { directory, fileSystem: NODE_FILE_SYSTEM };
  const reason = 'INCORRECT_DATA';
  await quarantineRefusedRows(place, { node: 'aaaaaaaabbbbbbbb', segment: 7, at: '' }, [
    {
      table: 'calls',
      reason,
      rows: toRows([call(1, 'gone'), call(2, 'kept', 'notes', '00ff00ff00ff00ff'), call(3, 'gone', 'other')]),
    },
    { table: 'payloads', reason, rows: toRows([payload(1), payload(2)]) },
  ]);
  await quarantineRefusedRows(place, { node: 'aaaaaaaabbbbbbbb', segment: 9, at: '' }, [
    { table: 'calls', reason, rows: toRows([call(4, 'gone')]) },
  ]);
  await requestReplay(place, 'aaaaaaaa-9');
});

const spansLeft = () =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const entry: { rows: number; refused: { rows: string[] }[] } = JSON.parse(
        readFileSync(join(directory, name), 'utf8'),
      );
      const rows = entry.refused.flatMap((part) => part.rows);
      expect(entry.rows).toBe(rows.length);
      return rows.map((row): string => JSON.parse(row).span_id);
    })
    .sort();

describe('purge of the quarantine', () => {
  test.each<[PurgeTarget, number, string[], string]>([
    [
      { kind: 'session', id: 'gone' },
      4,
      ['s2', 's2'],
      'a payload goes with its call, the rest of the entry stays',
    ],
    [
      { kind: 'session', id: 'gone', server: 'other' },
      1,
      ['s1', 's1', 's2', 's2', 's4'],
      'its namesake stays',
    ],
    [
      { kind: 'user', principals: ['00ff00ff00ff00ff'] },
      2,
      ['s1', 's1', 's3', 's4'],
      'a user is known by a hash',
    ],
    [
      { kind: 'before', beforeUs: Date.UTC(2026, 10, 23) * 1000 },
      4,
      ['s3', 's4'],
      'a payload has a time of its own',
    ],
    [{ kind: 'session', id: 'gon' }, 0, ['s1', 's1', 's2', 's2', 's3', 's4'], 'part of an id is another id'],
  ])(
    'a purge of %j removes %d rows from the quarantine and leaves %j, because %s',
    async (target, rows, left) => {
      const quarantine = createQuarantinePurger(data);
      expect(await quarantine.purge(target, 'count')).toEqual({ rows, unpurgedFiles: [] });
      expect(spansLeft()).toHaveLength(6);
      expect(await quarantine.purge(target, 'remove')).toEqual({ rows, unpurgedFiles: [] });
      expect(spansLeft()).toEqual(left);
      expect(existsSync(join(directory, 'aaaaaaaa-9.reship'))).toBe(left.includes('s4'));
    },
  );

  test('a purge names damaged bytes in the quarantine that may contain purged data, and leaves them', async () => {
    writeFileSync(join(directory, 'x.bytes'), 'torn {"session_id":"gone"');
    const quarantine = createQuarantinePurger(data);
    const { unpurgedFiles } = await quarantine.purge({ kind: 'session', id: 'gone' }, 'remove');
    expect(unpurgedFiles).toEqual(['x.bytes']);
    expect((await quarantine.purge({ kind: 'session', id: 'another' }, 'remove')).unpurgedFiles).toEqual([]);
  });

  test('a purge finds nothing if there is no quarantine', async () => {
    expect(
      await createQuarantinePurger(join(data, 'nowhere')).purge({ kind: 'session', id: 'x' }, 'remove'),
    ).toEqual({ rows: 0, unpurgedFiles: [] });
  });
});
