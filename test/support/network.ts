// Two machines, as far as the kernel is concerned: two network namespaces of this test's own with a cable between them.
// The first runs the service, the second has several addresses to call from. Needs root and iproute2.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const SERVICE_ADDRESS = '10.77.0.1';
export const CALLERS = ['10.77.0.2', '10.77.0.3', '10.77.0.4', '10.77.0.5', '10.77.0.6'] as const;
export const PAGE_PORT = 8080;

/** Of util-linux and iproute2. */
const UNSHARE = 'unshare';
const NSENTER = 'nsenter';
const IP = 'ip';

const CALLER = fileURLToPath(new URL('../fixtures/network/caller.mjs', import.meta.url));

/** Why no network of our own can be made here; undefined when it can. */
export function findNetworkObstacle(): string | undefined {
  const script = 'ip link add probe-a type veth peer name probe-b';
  const tried = spawnSync(UNSHARE, ['-n', 'sh', '-c', script], { encoding: 'utf8' });
  if (tried.status === 0) return undefined;
  return `no network namespace can be made here: ${(tried.error?.message ?? tried.stderr).trim()}`;
}

export interface NetworkRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** One of the callers' addresses. */
  readonly from?: string;
}

export interface NetworkResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Network {
  /** Starts a program on the machine of the service. */
  run(command: string, args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess;
  /** Asks from the other machine. */
  ask(asked: NetworkRequest): Promise<NetworkResponse>;
  /** What enters the other machine, to be put before a command. */
  readonly enterCaller: readonly string[];
  close(): Promise<void>;
}

export async function openNetwork(): Promise<Network> {
  const [service, caller] = [await openNamespace(), await openNamespace()];
  // Named by pid, so that two runs on one machine do not meet.
  const [here, there] = [`ts${service.pid}`, `tc${caller.pid}`];
  execFileSync(IP, ['link', 'add', here, 'type', 'veth', 'peer', 'name', there]);
  for (const [name, { pid }, addresses] of [
    [here, service, [SERVICE_ADDRESS]],
    [there, caller, CALLERS],
  ] as const) {
    execFileSync(IP, ['link', 'set', name, 'netns', String(pid)]);
    for (const address of addresses) runInNamespace(pid, ['addr', 'add', `${address}/24`, 'dev', name]);
    runInNamespace(pid, ['link', 'set', name, 'up']);
  }
  const speaker = await openCaller(caller.pid);
  return {
    run: (command, args, environment) =>
      spawn(NSENTER, [`--net=/proc/${service.pid}/ns/net`, command, ...args], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, ...environment },
      }),
    ask: speaker.ask,
    enterCaller: [NSENTER, `--net=/proc/${caller.pid}/ns/net`],
    async close() {
      for (const { process: child } of [speaker, service, caller]) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}

interface Namespace {
  readonly pid: number;
  readonly process: ChildProcess;
}

/** Lives as long as its one process, which ends with this one at the latest. */
async function openNamespace(): Promise<Namespace> {
  const child = spawn(UNSHARE, ['-n', 'sh', '-c', 'ip link set lo up && echo up && exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, process: child };
}

function runInNamespace(pid: number, args: readonly string[]): void {
  execFileSync(NSENTER, [`--net=/proc/${pid}/ns/net`, 'ip', ...args]);
}

async function openCaller(pid: number) {
  const args = [`--net=/proc/${pid}/ns/net`, process.execPath, CALLER, CALLERS[0], String(PAGE_PORT)];
  const child = spawn(NSENTER, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  const waiting = new Map<number, (response: NetworkResponse) => void>();
  lines.on('line', (line) => {
    const { id, ...response } = JSON.parse(line);
    waiting.get(id)?.(response);
    waiting.delete(id);
  });
  let requests = 0;
  const request = (question: NetworkRequest): Promise<NetworkResponse> =>
    new Promise((resolve) => {
      requests += 1;
      waiting.set(requests, resolve);
      child.stdin.write(`${JSON.stringify({ id: requests, ...question })}\n`);
    });
  return { process: child, ask: request };
}
