// The calls of a session in order, as a waterfall. A run of identical calls is one row that folds open; each call says what it
// changed of the last one of its tool; long pauses of the agent have rows of their own.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { SessionCallRow, SessionRow } from '../../../src/contract/answers.ts';
import type { LoopRow } from '../../../src/contract/loops.ts';
import { DataTable } from '../components/data-table.tsx';
import { type SessionState, sessionPath } from '../paths.ts';
import type { ShownRow } from '../view/hold-row.ts';
import { type MarkMove, useMarks } from '../view/move-mark.ts';
import { useZone } from '../view/preferences.ts';
import type { View } from '../view/view.ts';
import { CallComparison } from './call-comparison.tsx';
import { CallDetail } from './call-detail.tsx';
import { prepareRepeats } from './prepare-comparison.ts';
import { type CallLine, isMarked, type Line, prepareLines, runKeyOf } from './prepare-session-lines.ts';
import { prepareSpans } from './prepare-spans.ts';
import { toRunColumns } from './run-columns.tsx';

interface RunListProps {
  /** Those to be shown. */
  readonly calls: readonly SessionCallRow[];
  readonly loops: readonly LoopRow[];
  readonly session: SessionRow;
  readonly state: SessionState;
  readonly view: View;
}

export function RunList({ calls, loops, session, state, view }: RunListProps) {
  const zone = useZone();
  const [, navigate] = useLocation();
  const { unfolded, toggle, show, setShow, own } = useFolds(calls, state.call);
  const lines = useMemo(() => prepareLines(calls, { loops, unfolded }), [calls, loops, unfolded]);
  const repeats = useMemo(() => prepareRepeats(calls), [calls]);
  const spans = useMemo(() => prepareSpans(calls, state.spacing), [calls, state.spacing]);
  useMarks((move, held) => {
    const next = findMarked(lines, { move, held });
    if (next) setShow({ key: next.key });
  });
  function open(line: CallLine): void {
    if (line.kind === 'head') toggle(line.key);
    else {
      const call = line.key === state.call ? undefined : line.key;
      own.current = call;
      navigate(sessionPath(view, { ...state, call }), { replace: true });
    }
  }
  const isOpen = ({ key }: CallLine): boolean => unfolded.has(key) || key === state.call;
  return (
    <DataTable
      label="Calls in order"
      columns={toRunColumns({ zone, session, repeats, spans, open, isOpen })}
      rows={lines}
      keyOf={({ key }) => key}
      show={show}
      detail={(line) => {
        if (line.kind === 'pause' || line.kind === 'head' || line.key !== state.call) return undefined;
        const repeat = repeats.get(line.key);
        return (
          <div className="call-detail">
            {repeat ? <CallComparison call={line.call} repeat={repeat} /> : null}
            <CallDetail call={line.call} />
          </div>
        );
      }}
    />
  );
}

/**
 * Which runs stand open, and which row is to be brought into view: the one of the address, once, when it is there; never the
 * one that was opened by hand, which is in view already.
 */
function useFolds(calls: readonly SessionCallRow[], call: string | undefined) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const [show, setShow] = useState<ShownRow>();
  const [sought, setSought] = useState<string>();
  const own = useRef<string>(undefined);
  useEffect(() => setSought(call === own.current ? undefined : call), [call]);
  const isThere = sought !== undefined && calls.some((one) => `${one.traceId}.${one.spanId}` === sought);
  useEffect(() => {
    if (sought === undefined || !isThere) return;
    const run = runKeyOf(calls, sought);
    if (run) setUnfolded((known) => new Set([...known, run]));
    setShow({ key: sought });
    setSought(undefined);
  }, [sought, isThere, calls]);
  const toggle = (key: string): void =>
    setUnfolded((known) => {
      const next = new Set(known);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return { unfolded, toggle, show, setShow, own };
}

/** The next line with such a mark; round the end it begins again. */
function findMarked(
  lines: readonly Line[],
  { move: { mark, by }, held }: { readonly move: MarkMove; readonly held: string | undefined },
): Line | undefined {
  const at = lines.findIndex(({ key }) => key === held);
  const start = at === -1 && by === -1 ? lines.length : at;
  const after = [...lines.slice(start + 1), ...lines.slice(0, start + 1)];
  const before = [...lines.slice(start), ...lines.slice(0, Math.max(0, start))];
  return by === 1
    ? after.find((line) => isMarked(line, mark))
    : before.findLast((line) => isMarked(line, mark));
}
