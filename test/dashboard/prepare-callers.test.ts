import { expect, test } from 'vitest';
import { prepareCallers } from '../../dashboard/src/pages/clients/prepare-callers.ts';

const range = { fromMs: 0, toMs: 1 };
const caller = (name: string, tools: Readonly<Record<string, number>>) => ({
  name,
  calls: Object.values(tools).reduce((sum, calls) => sum + calls, 0),
  errors: 0,
  tools: Object.entries(tools).map(([tool, calls]) => ({ server: 's', tool, calls, errors: 0 })),
});

test('the ten most called tools of all callers are columns, and calls of other tools are one number', () => {
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`tool_${at}`, 100 - at]));
  const callers = [caller('cursor', many), caller('vscode', { rare: 1, tool_10: 3 })];
  const { tools, rows, moreTools } = prepareCallers({
    range,
    by: 'client',
    counted: range,
    callers,
    total: 2,
  });
  const first = Array.from({ length: 8 }, (_, at) => `tool_${at}`);
  expect(tools.map(({ tool }) => tool)).toEqual([...first, 'tool_10', 'tool_8']);
  expect(moreTools).toBe(2);
  expect(rows.map(({ name, others }) => [name, others])).toEqual([
    ['cursor', 91],
    ['vscode', 1],
  ]);
  expect(rows[1]?.cells.at(-2)).toMatchObject({ tool: 'tool_10', calls: 3, share: 0.75 });
});
