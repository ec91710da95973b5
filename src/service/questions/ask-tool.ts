// The page of one tool with the advice on it: what the tool's own figures are, and what the rules make of it.

import type { ToolAnswer, ToolQuery } from '../../contract/tool.ts';
import { readAdvice } from './advice.ts';
import { readEvidence } from './evidence.ts';
import { alignRange } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { answerTool } from './tool.ts';

/** @throws UserError NOT_FOUND for a name that was neither listed nor called */
export async function askTool(tool: string, query: Resolved<ToolQuery>, asking: Asking): Promise<ToolAnswer> {
  const { server, environment } = query;
  const filters = { server, environment, tool };
  const range = alignRange(query.range, asking);
  const evidence = readEvidence({ range, filters, pageOf: query }, asking);
  const [answer, advice] = await Promise.all([
    answerTool(tool, query, { asking, evidence }),
    evidence.then((found) => readAdvice({ evidence: found, filters, withGone: true }, asking)),
  ]);
  return { ...answer, advice };
}
