// A data directory that a service of one user holds, wanted by others: by a restore and by a second service, of another user, from
// another PID namespace as a second container on the same volume has. And the port of a service that was killed, taken by a
// stranger who waits for a token. The built service and command line, as root; fails where other users and namespaces cannot be had.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toJson, toolCall } from '../service/ingest/otlp-document.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { type Isolation, isolatedCommand, OTHER_USER } from '../support/isolated-command.ts';
import { freePort, until } from '../support/service.ts';
import type { Attack, AttackReport } from './attack.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const COMMAND_MS = 60_000;
const TOKEN = 'token-of-the-attacked-service-000';
const STORED_CALLS = 50;

interface AttackTarget {
  readonly folder: string;
  readonly data: string;
  readonly url: string;
  readonly port: number;
}

function makeTarget(port: number): AttackTarget {
  const folder = createDataFolder('toolscope-attack-');
  const data = join(folder, 'data');
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  return { folder, data, port, url: `http://127.0.0.1:${port}` };
}

const environmentOf = ({ folder }: AttackTarget) => ({
  ...process.env,
  HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  TOOLSCOPE_FINGERPRINT_KEY: 'key-of-this-attack-only',
  TOOLSCOPE_TOKEN: TOKEN,
});

async function startService(target: AttackTarget, place: Isolation): Promise<ChildProcess> {
  const args = [MAIN, 'up', '--port', String(target.port), '--data-dir', target.data];
  const command = isolatedCommand(place, args);
  const child = spawn(command.file, command.args, { stdio: 'ignore', env: environmentOf(target) });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    return (await fetch(`${target.url}/readyz`)).ok ? true : undefined;
  });
  return child;
}

interface CommandResult {
  readonly code: number | null;
  readonly said: string;
}

/** One command of the built command line, bounded in time. */
async function runCommand(
  target: AttackTarget,
  place: Isolation,
  args: readonly string[],
): Promise<CommandResult> {
  const command = isolatedCommand(place, [MAIN, ...args, '--data-dir', target.data]);
  const child = spawn(command.file, command.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(target),
    timeout: COMMAND_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString();
    });
  const [code] = await once(child, 'close');
  return { code, said: output };
}

async function send({ url }: AttackTarget, from: number, count: number): Promise<void> {
  const spans = Array.from({ length: count }, (_, at) => toolCall(from + at, Date.now() - 60_000 + at));
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: toJson(spans),
  });
  if (response.status !== 200) throw new Error(`OTLP: ${response.status}`);
}

/** How many calls the service knows, once nothing waits in its journal. */
function countCalls({ url }: AttackTarget): Promise<number> {
  return until(async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${url}/api/v1/summary?from=now-2h`, { headers });
    if (!response.ok) return undefined;
    const { totals, freshness } = (await response.json()) as {
      readonly totals: { readonly calls: number };
      readonly freshness: { readonly pendingCalls: number };
    };
    return freshness.pendingCalls === 0 ? totals.calls : undefined;
  });
}

/** A process is only ended through this, by its id. */
async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}

async function attackLockedDirectory(): Promise<AttackReport> {
  const target = makeTarget(await freePort());
  chownSync(target.data, OTHER_USER, OTHER_USER);
  const broken: string[] = [];
  let service = await startService(target, 'another user');
  try {
    await send(target, 1, STORED_CALLS);
    const before = await countCalls(target);
    const copy = join(target.folder, 'copies', 'one');
    mkdirSync(join(target.folder, 'copies'));
    chownSync(join(target.folder, 'copies'), OTHER_USER, OTHER_USER);
    // Through the service, by another user who may read its key.
    const backup = await runCommand(target, 'this PID namespace', ['backup', copy]);
    if (backup.code !== 0) broken.push(`A backup by another user ended with ${backup.code}: ${backup.said}`);
    const attempts: readonly (readonly [Isolation, readonly string[]])[] = [
      ['another PID namespace', ['restore', copy, '--overwrite']],
      ['this PID namespace', ['restore', copy, '--overwrite']],
      ['another PID namespace', ['up', '--port', '0']],
      ['this PID namespace', ['up', '--port', '0']],
    ];
    const outcomes = await Promise.all(attempts.map(([place, args]) => runCommand(target, place, args)));
    for (const [at, { code, said }] of outcomes.entries()) {
      const [place, args] = attempts[at] ?? [];
      if (code !== 2 || !said.includes('DATA_DIRECTORY_LOCKED'))
        broken.push(`${args?.[0]} from ${place} ended with ${code}: ${said.slice(0, 300)}`);
    }
    await send(target, STORED_CALLS + 1, 10);
    const after = await countCalls(target);
    if (before !== STORED_CALLS || after !== STORED_CALLS + 10)
      broken.push(
        `The service knew ${before} calls before and ${after} after; ${STORED_CALLS + 10} were sent.`,
      );
    await endProcess(service, 'SIGKILL');
    service = await startService(target, 'another user');
    const again = await countCalls(target);
    if (again !== STORED_CALLS + 10) broken.push(`After a restart ${again} calls were left.`);
    return { broken, figures: { callsBefore: before, callsAfter: after, callsAfterRestart: again } };
  } finally {
    await endProcess(service, 'SIGTERM');
    rmSync(target.folder, { recursive: true, force: true });
  }
}

async function hijackPort(): Promise<AttackReport> {
  const target = makeTarget(await freePort());
  const broken: string[] = [];
  const received: string[] = [];
  const impostor = createServer((req, res) => {
    received.push(`${req.method} ${req.url} ${req.rawHeaders.join(' ')}`);
    req.on('data', (bytes: Buffer) => received.push(bytes.toString()));
    res.writeHead(403, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ error: { code: 'FORBIDDEN', message: '\u001b[31mspoofed' } }));
  });
  const service = await startService(target, 'this PID namespace');
  try {
    await endProcess(service, 'SIGKILL');
    await new Promise<void>((resolve) => impostor.listen(target.port, '127.0.0.1', resolve));
    const here = await runCommand(target, 'this PID namespace', ['purge', '--session', 'secret-session']);
    if (here.code !== 0) broken.push(`purge ended with ${here.code}: ${here.said}`);
    if (received.length > 0)
      broken.push(`The stranger was sent ${received.length} pieces by a command that knew better.`);
    // Where the pid says nothing, the stranger is asked for a proof, and for nothing else.
    const there = await runCommand(target, 'another PID namespace', ['annotate', 'secret-text']);
    if (there.code === 0) broken.push('annotate took the stranger for the service.');
    const all = received.join('\n');
    if (/token-of|x-toolscope-control|authorization|secret-/i.test(all))
      broken.push(`The stranger was sent a secret: ${all.slice(0, 300)}`);
    if (/spoofed/.test(here.said + there.said)) broken.push('The answer of the stranger was printed.');
    return { broken, figures: { heardByTheStranger: received.length } };
  } finally {
    await endProcess(service, 'SIGKILL');
    impostor.closeAllConnections();
    impostor.close();
    rmSync(target.folder, { recursive: true, force: true });
  }
}

export const attacks: readonly Attack[] = [
  {
    title:
      'a service keeps its data from a restore and a second service, of another user and in another PID namespace',
    run: attackLockedDirectory,
  },
  { title: 'whoever takes the port of a killed service is sent no token and no key', run: hijackPort },
];
