// The producing processes: started, killed, stopped and let go on by the one who tortures. When one was killed is kept, for
// what it was answered just before may be lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ProducerKind = 'otlp' | 'mcp';

const SCRIPTS: Readonly<Record<ProducerKind, string>> = {
  otlp: fileURLToPath(new URL('./otlp-producer.ts', import.meta.url)),
  mcp: fileURLToPath(new URL('./mcp-producer.ts', import.meta.url)),
};

export interface ProducersOptions {
  /** Base address of the service. */
  readonly base: string;
  readonly ledgers: string;
  /** Where the wrappers keep what was not acknowledged. */
  readonly stateDirectory: string;
}

export interface Producer {
  readonly kind: ProducerKind;
  readonly name: string;
  readonly child: ChildProcess;
}

export class Producers {
  readonly #options: ProducersOptions;
  readonly #running = new Set<Producer>();
  /** Name to epoch milliseconds, taken before the signal. */
  readonly killedAt = new Map<string, number>();
  #started = 0;

  constructor(options: ProducersOptions) {
    this.#options = options;
  }

  get running(): readonly Producer[] {
    return [...this.#running];
  }

  start(kind: ProducerKind, { isIdle = false } = {}): Producer {
    const seed = ++this.#started;
    const name = `${kind}-${seed}`;
    const { base, ledgers, stateDirectory } = this.#options;
    const url = kind === 'otlp' ? `${base}/v1/traces` : base;
    const order = JSON.stringify({ url, ledger: join(ledgers, name), name, seed, isIdle });
    const child = spawn(process.execPath, ['--import', 'tsx', SCRIPTS[kind], order], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { ...process.env, XDG_STATE_HOME: stateDirectory, TOOLSCOPE_SPOOL_MAX_BYTES: String(64 << 20) },
    });
    const producer = { kind, name, child };
    this.#running.add(producer);
    return producer;
  }

  /** As a crash ends a process, at whatever it was doing. */
  async kill(producer: Producer): Promise<void> {
    const ended = new Promise((resolve) => producer.child.once('exit', resolve));
    this.killedAt.set(producer.name, Date.now());
    producer.child.kill('SIGKILL');
    await ended;
    this.#running.delete(producer);
  }

  /** Lets each finish what it does and end by itself. */
  async finish(): Promise<void> {
    await Promise.all(
      this.running.map(async (producer) => {
        const ended = new Promise((resolve) => producer.child.once('exit', resolve));
        producer.child.stdin?.end();
        await ended;
        this.#running.delete(producer);
      }),
    );
  }
}
