// The same requests for every server: its lists, calls that succeed, wrong arguments, an unknown tool and an unknown method.
import { z } from 'zod';
import type { Answer, Connection } from './connection.ts';

/** Which side a failure must be blamed on; `either` where only a person can tell. */
type Blame = 'client' | 'either';

export interface Step {
  readonly what: 'list' | 'call' | 'wrong arguments' | 'unknown tool' | 'other';
  readonly method: string;
  readonly tool: string;
  readonly answer: Answer;
  /** Without the id. */
  readonly text: string;
  readonly blame: Blame;
}

export type ToolCallArguments = readonly (readonly [tool: string, args: object])[];

const MISSING_TOOL = 'no_such_tool';
const MAX_OWN_CALLS = 3;

const Tool = z.object({
  name: z.string(),
  inputSchema: z.object({
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
});
type Tool = z.infer<typeof Tool>;
const ToolList = z.object({ tools: z.array(Tool) });

/** @param calls calls of this server; without them, its first tools that need no arguments are called */
export async function runScript(
  connection: Connection,
  calls: ToolCallArguments = [],
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  async function send(
    what: Step['what'],
    method: string,
    params: { readonly name?: string },
  ): Promise<Answer> {
    const { answer, text } = await connection.request(method, params);
    const blame = what === 'wrong arguments' || what === 'unknown tool' ? 'client' : 'either';
    steps.push({
      what,
      method,
      tool: params.name ?? '',
      answer,
      text: text.replace(/"id": ?\d+/, '"id":0'),
      blame,
    });
    return answer;
  }
  const listed = ToolList.safeParse((await send('list', 'tools/list', {})).result);
  const tools = listed.data?.tools ?? [];
  for (const [name, args] of calls.length > 0 ? calls : callsWithoutArguments(tools))
    await send('call', 'tools/call', { name, ...{ arguments: args } });
  for (const params of wrongCalls(tools)) await send('wrong arguments', 'tools/call', params);
  await send('unknown tool', 'tools/call', { name: MISSING_TOOL, ...{ arguments: {} } });
  await send('list', 'resources/list', {});
  await send('other', 'ping', {});
  return steps;
}

const callsWithoutArguments = (tools: readonly Tool[]): ToolCallArguments =>
  tools
    .filter(({ inputSchema }) => (inputSchema.required ?? []).length === 0)
    .slice(0, MAX_OWN_CALLS)
    .map(({ name }) => [name, {}]);

/** A required argument that is missing, and one of another type. */
function wrongCalls(tools: readonly Tool[]): readonly { name: string; arguments: object }[] {
  const tool = tools.find(({ inputSchema }) => (inputSchema.required ?? []).length > 0);
  if (tool === undefined) return [];
  const required = tool.inputSchema.required ?? [];
  const wrong = Object.fromEntries(required.map((name) => [name, ['not', { of: 'this type' }]]));
  return [
    { name: tool.name, arguments: {} },
    { name: tool.name, arguments: wrong },
  ];
}

export const hasFailed = ({ answer }: Step): boolean =>
  answer.error !== undefined || answer.result?.['isError'] === true;

/** What a person reads to say who has to change something. */
export function describeFailure({ answer }: Step): string {
  const text = answer.error
    ? `${answer.error.code} ${answer.error.message}`
    : JSON.stringify(answer.result?.['content']);
  return (text ?? '').replaceAll(/\s+/g, ' ').slice(0, 240);
}
