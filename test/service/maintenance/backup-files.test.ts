// Which files of a data directory belong to a backup.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listBackupFiles } from '../../../src/service/maintenance/backup-files.ts';

test('a backup has the rules file, and not the secrets of receivers nor the key of the process', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'toolscope-backup-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['alerts.yaml', 'alerts-state.jsonl', 'control.json'])
    writeFileSync(join(directory, name), '');
  mkdirSync(join(directory, 'alert-secrets'));
  writeFileSync(join(directory, 'alert-secrets', 'team'), 'topsecret');
  expect((await listBackupFiles(directory)).sort()).toEqual(['alerts-state.jsonl', 'alerts.yaml']);
});
