// The flow between tools as lines from left to right. Decorative: the table below has every pair with its calls.
import type { ResultEdge } from '../../../../src/contract/result-use.ts';
import { type FlowNode, GRAPH_WIDTH, prepareFlowGraph } from './prepare-flow-graph.ts';

/** Characters of a name that fit; the whole name is the title. */
const MAX_NAME_LENGTH = 28;

export function FlowGraph({ edges }: { readonly edges: readonly ResultEdge[] }) {
  const { height, sources, targets, lines } = prepareFlowGraph(edges);
  return (
    <svg className="flow-graph" viewBox={`0 0 ${GRAPH_WIDTH} ${height}`} aria-hidden="true">
      {lines.map(({ key, path, strokeWidth, title }) => (
        <path key={key} d={path} strokeWidth={strokeWidth}>
          <title>{title}</title>
        </path>
      ))}
      {sources.map((node) => (
        <NodeName key={node.name} node={node} x={212} anchor="end" />
      ))}
      {targets.map((node) => (
        <NodeName key={node.name} node={node} x={428} anchor="start" />
      ))}
    </svg>
  );
}

interface NodeNameProps {
  readonly node: FlowNode;
  readonly x: number;
  readonly anchor: 'start' | 'end';
}

function NodeName({ node: { name, y }, x, anchor }: NodeNameProps) {
  const isLong = name.length > MAX_NAME_LENGTH;
  return (
    <text x={x} y={y} textAnchor={anchor} dominantBaseline="middle">
      <title>{name}</title>
      {isLong ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name}
    </text>
  );
}
