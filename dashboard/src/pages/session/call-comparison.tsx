// Compares a call with the previous call of its tool: changed arguments and results. Shapes give types and
// lengths; only fingerprints tell whether values are equal, so equality is stated only where they exist.
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { isKnownFingerprint } from '../../../../src/core/model/compare-calls.ts';
import { ComparisonBadge } from '../../components/comparison-badge.tsx';
import type { ComparisonLabel } from '../../format/describe-comparison.ts';
import { ARGUMENT_LABELS, RESULT_LABELS } from '../../format/describe-comparison.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatBytes } from '../../format/format-number.ts';
import { formatClock } from '../../format/format-time.ts';
import { useZone } from '../../view/preferences.ts';
import type { CallDifference, PreviousCallDifference } from './compare-calls.ts';
import { compareShapes, type ShapeRow, type ShapeState } from './compare-shapes.ts';
import type { Run } from './prepare-runs.ts';

export function RunSameness({ run }: { readonly run: Run }) {
  return (
    <span className="changes-line">
      <ComparisonBadge label={ARGUMENT_LABELS.equal} />
      <ComparisonBadge label={RESULT_LABELS[run.result ?? 'unknown']} />
    </span>
  );
}

/** In one line: "changed limit · same failure". */
export function CallChanges({ comparison }: { readonly comparison: CallDifference }) {
  const { arguments: sameness, changed, added, removed, result } = comparison;
  const names = [
    ...changed.map((name) => ['', name] as const),
    ...added.map((name) => ['+', name] as const),
    ...removed.map((name) => ['−', name] as const),
  ];
  return (
    <span className="changes-line">
      <ComparisonBadge label={ARGUMENT_LABELS[sameness]}>
        {names.map(([sign, name]) => (
          <code key={name} title={SIGN_TITLES[sign]}>
            {sign}
            {name}
          </code>
        ))}
      </ComparisonBadge>
      <ComparisonBadge label={RESULT_LABELS[result]} />
    </span>
  );
}

const SIGN_TITLES = { '': 'changed value', '+': 'added', '−': 'removed' } as const;

interface CallComparisonProps {
  readonly call: SessionCallRow;
  readonly comparison: PreviousCallDifference;
}

export function CallComparison({ call, comparison }: CallComparisonProps) {
  const { previous } = comparison;
  const isComparable = comparison.arguments !== 'incomparable';
  const argumentRows = compareShapes(
    { previous: previous.argumentsShape, now: call.argumentsShape },
    {
      ...(isComparable && {
        fingerprints: { previous: previous.argumentFingerprints, now: call.argumentFingerprints },
      }),
      isSame: comparison.arguments === 'equal',
    },
  );
  const resultRows = compareShapes(
    { previous: previous.resultShape, now: call.resultShape },
    // A failure is identified by its message template, even when the results are known to be equal.
    {
      isSame:
        isComparable &&
        isKnownFingerprint(call.resultFingerprint) &&
        call.resultFingerprint === previous.resultFingerprint,
    },
  );
  return (
    <section className="comparison" aria-label="Compared with the previous call">
      <h3>
        Compared with the previous call of this tool <CallChanges comparison={comparison} />
      </h3>
      <div className="sides-frame">
        <table className="sides" aria-label="Previous call and this call">
          <ShapeTableSection what="Arguments" rows={argumentRows} previous={previous} call={call} />
          <ShapeTableSection what="Result" rows={resultRows} previous={previous} call={call} />
        </table>
      </div>
    </section>
  );
}

interface ShapeTableSectionProps {
  readonly what: 'Arguments' | 'Result';
  readonly rows: readonly ShapeRow[];
  readonly previous: SessionCallRow;
  readonly call: SessionCallRow;
}

function ShapeTableSection({ what, rows, previous, call }: ShapeTableSectionProps) {
  const zone = useZone();
  const sizeOf = (one: SessionCallRow): string =>
    formatBytes(what === 'Arguments' ? one.argumentsBytes : one.resultBytes);
  const gap = Date.parse(call.startedAt) - Date.parse(previous.startedAt);
  return (
    <tbody>
      <tr className="sides-head">
        <th scope="col">{what}</th>
        <th scope="col">
          {formatClock(Date.parse(previous.startedAt), zone)}, {sizeOf(previous)}
        </th>
        <th scope="col">
          {formatDuration(gap)} later, {sizeOf(call)}
        </th>
        <th scope="col">
          <span className="visually-hidden">Comparison</span>
        </th>
      </tr>
      {rows.length === 0 ? (
        <tr>
          <td colSpan={4} className="muted">
            No shape was collected.
          </td>
        </tr>
      ) : (
        rows.map((row) => <ShapeTableRow key={row.name} row={row} />)
      )}
    </tbody>
  );
}

const SHAPE_STATE_LABELS: Readonly<Record<ShapeState, ComparisonLabel>> = {
  same: { tone: 'same', text: 'same' },
  changed: { tone: 'changed', text: 'changed' },
  added: { tone: 'changed', text: 'new' },
  removed: { tone: 'changed', text: 'removed' },
  alike: { tone: 'unknown', text: 'same shape' },
};

function ShapeTableRow({ row: { name, before, now, state } }: { readonly row: ShapeRow }) {
  return (
    <tr data-state={state}>
      <th scope="row">{name ? <code>{name}</code> : <span className="muted">entire value</span>}</th>
      <td>{before === undefined ? <span className="muted">not sent</span> : <code>{before}</code>}</td>
      <td>{now === undefined ? <span className="muted">not sent</span> : <code>{now}</code>}</td>
      <td>
        <ComparisonBadge label={SHAPE_STATE_LABELS[state]} />
      </td>
    </tr>
  );
}
