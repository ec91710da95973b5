// What people said about loops, in one small file of the data directory.

import { join } from 'node:path';
import { type StoredLoopFeedback, StoredLoopFeedbackList } from '../../contract/loop-feedback.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import { ListFile } from './list-file.ts';

const FILE = 'loop-feedback.json';
export const MAX_FEEDBACK = 500;

export interface LoopFeedbackFileOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
}

/** Owns the file. */
export class LoopFeedbackFile {
  readonly #file: ListFile<StoredLoopFeedback>;

  constructor({ dataDirectory, fileSystem }: LoopFeedbackFileOptions) {
    this.#file = new ListFile({
      path: join(dataDirectory, FILE),
      fileSystem,
      parse: (json) => StoredLoopFeedbackList.parse(json).feedback,
      format: (feedback) => ({ feedback }),
    });
  }

  /** Oldest first; none if the file is missing or unreadable. */
  list(): Promise<readonly StoredLoopFeedback[]> {
    return this.#file.read();
  }

  /** Replaces the feedback on the loop. Beyond 500 loops the oldest is dropped: its calls have expired first. */
  set(feedback: StoredLoopFeedback): Promise<void> {
    return this.#file.change((all) =>
      [...all.filter(({ loopId }) => loopId !== feedback.loopId), feedback].slice(-MAX_FEEDBACK),
    );
  }

  /** Removing feedback that is gone changes nothing. */
  remove(id: string): Promise<void> {
    return this.#file.change((all) => all.filter(({ loopId }) => loopId !== id));
  }
}
