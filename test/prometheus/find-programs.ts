// The programs of Prometheus and Alertmanager: those of the PATH, or unpacked from Debian's packages without being installed.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGES = ['prometheus-alertmanager', 'prometheus'];

export async function findPrograms(folder: string) {
  const [alertmanager, promtool] = await Promise.all([find('prometheus-alertmanager'), find('promtool')]);
  if (alertmanager !== undefined && promtool !== undefined) return { alertmanager, promtool };
  await run('apt-get', ['download', '-o', 'APT::Sandbox::User=root', ...PACKAGES], { cwd: folder });
  const unpacked = join(folder, 'unpacked');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb')))
    await run('dpkg', ['-x', file, unpacked], { cwd: folder });
  const programs = join(unpacked, 'usr/bin');
  return { alertmanager: join(programs, 'prometheus-alertmanager'), promtool: join(programs, 'promtool') };
}

async function find(name: string): Promise<string | undefined> {
  const found = await run('which', [name]).catch(() => undefined);
  return found?.stdout.trim();
}
