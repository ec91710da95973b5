import { describe, expect, test } from 'vitest';
import { createCatalogueSnapshot } from '../../../src/core/observer/catalogue-snapshot.ts';
import { createServerStartReporter } from '../../../src/instrumentation/wrapper/server-start-reporter.ts';

const HOUR_MS = 3_600_000;
const at = (ms: number) => ({ wallUs: 1_700_000_000_000_000 + ms * 1_000, monotonicMs: ms });
const waitTwoTurns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function watch() {
  const starts = createServerStartReporter();
  const announced: string[] = [];
  let reads = 0;
  async function connect(ms: number, tools?: readonly string[], name = 'notes'): Promise<void> {
    const registry = tools && {
      signature: () => tools.join(),
      async read() {
        reads += 1;
        return createCatalogueSnapshot(tools.map((tool) => ({ name: tool.split('#')[0] })));
      },
    };
    starts.onConnected(
      {
        server: { name, version: '1' },
        environment: '',
        registry,
        report: ({ serverName, catalogue }) =>
          announced.push(
            [serverName, ...(catalogue?.tools.map((tool) => tool.name) ?? ['unknown'])].join(' '),
          ),
      },
      at(ms),
    );
    await waitTwoTurns();
  }
  return { connect, announced, reads: () => reads };
}

describe('server start report', () => {
  test('a start is reported once, however often the server connects, and its catalogue is read once', async () => {
    const { connect, announced, reads } = watch();
    for (let ms = 0; ms < 50; ms += 1) await connect(ms, ['a', 'b']);
    expect([announced, reads()]).toEqual([['notes a b'], 1]);
  });

  test('a start is reported again after an hour', async () => {
    const { connect, announced } = watch();
    for (const ms of [0, HOUR_MS - 1, HOUR_MS]) await connect(ms, ['a']);
    expect(announced).toEqual(['notes a', 'notes a']);
  });

  test('a start is reported again when the tools of the server changed', async () => {
    const { connect, announced } = watch();
    await connect(0, ['a']);
    await connect(1, ['a', 'b']);
    expect(announced).toEqual(['notes a', 'notes a b']);
  });

  test('a start is not reported again when a new listing has the same tools', async () => {
    const { connect, announced, reads } = watch();
    await connect(0, ['a#1']);
    await connect(1, ['a#2']);
    expect([announced, reads()]).toEqual([['notes a'], 2]);
  });

  test('a start is reported for each server', async () => {
    const { connect, announced } = watch();
    await connect(0, ['a']);
    await connect(0, ['a'], 'other');
    expect(announced).toEqual(['notes a', 'other a']);
  });

  test('a start without a known catalogue is reported as unknown, not as "no tools"', async () => {
    const { connect, announced } = watch();
    await connect(0);
    expect(announced).toEqual(['notes unknown']);
  });
});
