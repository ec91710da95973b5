// What people said about error groups, in one small file of the data directory: the last mark of each group.

import { join } from 'node:path';
import { type StoredErrorGroupMark, StoredErrorGroupMarks } from '../../contract/error-groups.ts';
import { UserError } from '../../errors.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import { ListFile } from './list-file.ts';

const FILE = 'error-groups.json';
/** About 300 bytes each. */
export const MAX_MARKS = 2_000;

export interface ErrorGroupMarksOptions {
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
}

/** Owns the file. */
export class ErrorGroupMarks {
  readonly #file: ListFile<StoredErrorGroupMark>;

  constructor({ dataDirectory, fileSystem }: ErrorGroupMarksOptions) {
    this.#file = new ListFile({
      path: join(dataDirectory, FILE),
      fileSystem,
      parse: (json) => StoredErrorGroupMarks.parse(json).marks,
      format: (marks) => ({ marks }),
    });
  }

  /** Oldest first; none if the file is missing or unreadable. */
  list(): Promise<readonly StoredErrorGroupMark[]> {
    return this.#file.read();
  }

  /**
   * Replaces the mark of the group. At the limit, the oldest mark of an open group is dropped.
   *
   * @throws UserError INVALID_BODY if 2,000 groups are resolved or ignored
   */
  set(mark: StoredErrorGroupMark): Promise<void> {
    return this.#file.change((marks) => dropSurplus([...marks.filter(({ id }) => id !== mark.id), mark]));
  }
}

/** A group without a mark is open too. */
function dropSurplus(marks: readonly StoredErrorGroupMark[]): readonly StoredErrorGroupMark[] {
  if (marks.length <= MAX_MARKS) return marks;
  const oldestOpen = marks.findIndex(({ mark }) => mark === 'open');
  if (oldestOpen >= 0) return marks.toSpliced(oldestOpen, 1);
  throw new UserError('INVALID_BODY', `${MAX_MARKS} error groups are resolved or ignored.`, {
    hint: 'Reopen groups that no longer occur.',
  });
}
