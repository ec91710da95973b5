// A disk in memory that forgets what was not synced. `crash` keeps of each file some prefix of the unsynced bytes, and
// of each directory change whatever was synced; `failNext` makes one operation fail as a full or broken disk does.
// After a failed sync it behaves as badly as a system may: later ones of that file succeed and make nothing durable. `fill` refuses
// everything that needs room until `free`.
import { basename, dirname } from 'node:path';
import type { FileSystem, SegmentFile } from '../../src/segment-log/file-system.ts';

interface FileContent {
  live: Buffer;
  durable: Buffer;
  /** A sync failed: what was written by then counts as clean, may be on the disk or not, and nothing later changes that. */
  forsaken?: boolean;
  /** The file at that time. */
  ghost?: Buffer;
}

export type Operation = 'write' | 'sync' | 'truncate' | 'open' | 'unlink' | 'rename' | 'syncDirectory';

export class MemoryDisk {
  /** Path to content, as a running process sees it and as a power cut leaves it. */
  #live = new Map<string, FileContent>();
  #durable = new Map<string, FileContent>();
  #powerCuts = 0;
  #isFull = false;
  #failures: { operation: Operation; code: string; partial: number }[] = [];
  readonly calls: Record<Operation, number> = {
    write: 0,
    sync: 0,
    truncate: 0,
    open: 0,
    unlink: 0,
    rename: 0,
    syncDirectory: 0,
  };

  /** The next such operation fails; a write leaves `partial` of its bytes behind. */
  failNext(operation: Operation, { code = 'EIO', partial = 0 } = {}): void {
    this.#failures.push({ operation, code, partial });
  }

  /** No room from now on: files cannot be made, and writes stop after some bytes. */
  fill(): void {
    this.#isFull = true;
  }

  free(): void {
    this.#isFull = false;
  }

  /** Forgets the failures that nobody met. */
  heal(): void {
    this.#failures = [];
  }

  /** Power cut: `keep` says how many of so many unsynced bytes at the end of a file survive. */
  crash(keep: (unsynced: number) => number = () => 0): void {
    for (const content of this.#durable.values()) {
      const { durable } = content;
      const live = content.forsaken ? (content.ghost ?? content.live) : content.live;
      const grown = Math.max(0, live.length - durable.length);
      content.live = Buffer.concat([durable, live.subarray(durable.length, durable.length + keep(grown))]);
      content.durable = Buffer.from(content.live);
      content.forsaken = false;
    }
    this.#live = new Map(this.#durable);
    this.#failures = [];
    this.#powerCuts++;
  }

  paths(): string[] {
    return [...this.#live.keys()].sort();
  }

  get(path: string): Buffer {
    return this.#content(path).live;
  }

  /** Flips bits of one byte where it lies, durably, also under an open file. */
  flip(path: string, offset: number, mask: number): void {
    const content = this.#content(path);
    for (const kind of ['live', 'durable'] as const) {
      const bytes = Buffer.from(content[kind]);
      if (offset < bytes.length) bytes[offset] = (bytes[offset] ?? 0) ^ mask;
      content[kind] = bytes;
    }
  }

  /** Changes a file behind everybody's back, durably. */
  put(path: string, bytes: Uint8Array): void {
    const content = { live: Buffer.from(bytes), durable: Buffer.from(bytes) };
    this.#live.set(path, content);
    this.#durable.set(path, content);
  }

  /** The disk as one process sees it: after a power cut nothing that process still tries reaches the disk. */
  /** Takes a file away for good, as somebody at a prompt does. */
  remove(path: string): void {
    this.#live.delete(path);
    this.#durable.delete(path);
  }

  mount(): FileSystem {
    const born = this.#powerCuts;
    const step = (operation: Operation): void => {
      if (born !== this.#powerCuts) throw this.#error('EDEAD');
      const failure = this.#takeFailure(operation);
      if (failure) throw this.#error(failure.code);
    };
    return {
      makeDirectory: async () => {},
      open: async (path, how) => {
        step('open');
        return this.#open(path, how, step);
      },
      read: async (path) => Buffer.from(this.get(path)),
      rename: async (from, to) => {
        step('rename');
        this.#live.set(to, this.#content(from));
        this.#live.delete(from);
      },
      unlink: async (path) => {
        step('unlink');
        this.#content(path);
        this.#live.delete(path);
      },
      list: async (directory) =>
        [...this.#live]
          .filter(([path]) => dirname(path) === directory)
          .map(([path, { live }]) => ({ name: basename(path), bytes: live.length })),
      syncDirectory: async (directory) => {
        await null;
        step('syncDirectory');
        for (const path of this.#durable.keys())
          if (dirname(path) === directory && !this.#live.has(path)) this.#durable.delete(path);
        for (const [path, content] of this.#live)
          if (dirname(path) === directory) this.#durable.set(path, content);
      },
    };
  }

  #open(path: string, how: 'create' | 'modify', step: (operation: Operation) => void): SegmentFile {
    if (how === 'create') {
      if (this.#isFull) throw this.#error('ENOSPC');
      if (this.#live.has(path)) throw this.#error('EEXIST');
      this.#live.set(path, { live: Buffer.alloc(0), durable: Buffer.alloc(0) });
    }
    const content = this.#content(path);
    return {
      write: async (bytes, position) => {
        await null;
        if (this.#isFull) {
          content.live = Buffer.concat([content.live.subarray(0, position), bytes.subarray(0, 7)]);
          throw this.#error('ENOSPC');
        }
        const partial = this.#failures.find(({ operation }) => operation === 'write')?.partial;
        if (partial !== undefined)
          content.live = Buffer.concat([content.live.subarray(0, position), bytes.subarray(0, partial)]);
        step('write');
        content.live = Buffer.concat([content.live.subarray(0, position), bytes]);
      },
      sync: async () => {
        await null;
        try {
          step('sync');
        } catch (error) {
          if (!content.forsaken) content.ghost = content.live;
          content.forsaken = true;
          throw error;
        }
        if (!content.forsaken) content.durable = Buffer.from(content.live);
      },
      truncate: async (length) => {
        step('truncate');
        content.live = Buffer.from(content.live.subarray(0, length));
        // Nothing is left of what the system took for clean.
        if (length === 0) content.forsaken = false;
      },
      close: async () => {},
    };
  }

  #content(path: string): FileContent {
    const content = this.#live.get(path);
    if (!content) throw this.#error('ENOENT');
    return content;
  }

  #takeFailure(operation: Operation): { code: string; partial: number } | undefined {
    this.calls[operation]++;
    const at = this.#failures.findIndex((failure) => failure.operation === operation);
    return at === -1 ? undefined : this.#failures.splice(at, 1)[0];
  }

  #error(code: string): Error {
    return Object.assign(new Error(`${code}: disk says no`), { code });
  }
}
