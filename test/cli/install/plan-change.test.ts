// What `install` makes of configurations of each client, and that undoing it gives the same text.
import { describe, expect, test } from 'vitest';
import { planInstall, planUndo } from '../../../src/cli/install/plan-change.ts';
import { listEntries } from '../../../src/cli/install/server-entries.ts';
import { stateOf } from '../../../src/cli/install/wrap-entries.ts';
import { findClient, LAUNCHER, SAMPLES } from './samples.ts';

const all = () => true;

/** The lines of two texts that only one of them has, in their order. */
function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  const lengths = old
    .map(() => new Array<number>(now.length + 1).fill(0))
    .concat([new Array(now.length + 1).fill(0)]);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i]![j] =
        old[i] === now[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const walk = (i: number, j: number): string[] => {
    if (i === old.length) return now.slice(j).map((line) => `+ ${line}`);
    if (j === now.length) return old.slice(i).map((line) => `- ${line}`);
    if (old[i] === now[j]) return walk(i + 1, j + 1);
    return lengths[i + 1]![j]! >= lengths[i]![j + 1]!
      ? [`- ${old[i]}`, ...walk(i + 1, j)]
      : [`+ ${now[j]}`, ...walk(i, j + 1)];
  };
  return walk(0, 0);
}

describe('configuration whose servers are wrapped', () => {
  test.each(SAMPLES.map((sample) => [sample.client, sample.what, sample] as const))(
    '%s: %s: only command lines differ',
    (id, _what, { text, diff }) => {
      const client = findClient(id);
      const { text: after, original } = planInstall(text, client, {
        backup: undefined,
        isChosen: all,
        launcher: LAUNCHER,
      });
      expect(changedLines(text, after)).toEqual(diff);
      expect(original).toBe(text);
      const entries = listEntries(client.parse(after), client.containers);
      expect(entries.filter((entry) => stateOf(entry) === 'plain')).toEqual([]);
    },
  );

  test.each(SAMPLES.map((sample) => [sample.client, sample.what, sample] as const))(
    '%s: %s: installing twice changes nothing more, and undoing gives the same text',
    (id, _what, { text }) => {
      const client = findClient(id);
      const once = planInstall(text, client, { backup: undefined, isChosen: all, launcher: LAUNCHER });
      const twice = planInstall(once.text, client, {
        backup: once.original,
        isChosen: all,
        launcher: LAUNCHER,
      });
      expect(twice).toEqual(once);
      expect(planUndo(once.text, client, { backup: once.original, isChosen: all })).toEqual({
        text,
        original: undefined,
      });
    },
  );

  test.each(SAMPLES.map((sample) => [sample.client, sample.what, sample] as const))(
    '%s: %s: without a backup, undoing gives the same command lines',
    (id, _what, { text }) => {
      const client = findClient(id);
      const { text: after } = planInstall(text, client, {
        backup: undefined,
        isChosen: all,
        launcher: LAUNCHER,
      });
      const { text: undone } = planUndo(after, client, { backup: undefined, isChosen: all });
      const wordsOf = (one: string) =>
        listEntries(client.parse(one), client.containers).map(({ name, words }) => [name, words]);
      expect(wordsOf(undone)).toEqual(wordsOf(text));
    },
  );

  test('only the chosen server is wrapped, and undone', () => {
    const client = findClient('cursor');
    const text = '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}}';
    const stateOfAll = (one: string) => listEntries(client.parse(one), client.containers).map(stateOf);
    const isA = (name: string) => name === 'a';
    const first = planInstall(text, client, { backup: undefined, isChosen: isA, launcher: LAUNCHER });
    expect(stateOfAll(first.text)).toEqual(['wrapped', 'plain']);
    const both = planInstall(first.text, client, {
      backup: first.original,
      isChosen: all,
      launcher: LAUNCHER,
    });
    expect(stateOfAll(both.text)).toEqual(['wrapped', 'wrapped']);
    const undone = planUndo(both.text, client, { backup: both.original, isChosen: isA });
    expect([stateOfAll(undone.text), undone.original]).toEqual([['plain', 'wrapped'], text]);
  });
});

describe('malformed configuration', () => {
  test.each([
    ['cursor', '{\n  "mcpServers": {\n    "a" {} } }', 'Line 3: expected ":".'],
    ['cursor', '{ "a": 1 } x', 'Line 1: expected the end of the file.'],
    ['cursor', '{ "a": "b\n" }', 'Line 1: expected a string in double quotes.'],
    ['codex', 'a = 1\n[b\n', 'Line 2: expected "]".'],
    ['codex', 'a = [1 2]', 'Line 1: expected "," or "]".'],
    ['goose', 'a: [1', 'Flow sequence in block collection must be sufficiently indented'],
  ])('%s: %j is refused with the place, because an edit would guess', (id, text, message) => {
    expect(() => findClient(id).parse(text)).toThrow(message.slice(0, 30));
  });
});
