import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBrowser } from '../../../src/cli/up/open-browser.ts';

test.runIf(process.platform === 'linux')(
  'the browser process does not inherit the token or the password',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolscope-browser-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const seen = join(folder, 'seen');
    const script = `#!/bin/sh\n{ env; echo "opened $1"; } > ${seen}.part && mv ${seen}.part ${seen}\n`;
    writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    vi.stubEnv('TOOLSCOPE_TOKEN', 'a-token-of-sixteen');
    vi.stubEnv('CLICKHOUSE_PASSWORD', 'a-password');
    vi.stubEnv('CLICKHOUSE_URL', 'https://user:a-password@db');
    onTestFinished(() => void vi.unstubAllEnvs());
    openBrowser('http://127.0.0.1:4318/');
    await expect.poll(() => existsSync(seen), { timeout: 20_000 }).toBe(true);
    const text = readFileSync(seen, 'utf8');
    expect(text).toContain('opened http://127.0.0.1:4318/');
    expect(text).not.toMatch(/a-token-of-sixteen|a-password/);
  },
);
