// A call beside the last one of its tool: which arguments changed, and whether the answer is another one. Shapes say types and
// lengths; whether a value is the same is known from its fingerprint, and said only where it is.
import type { SessionCallRow } from '../../../src/contract/answers.ts';
import { Compared } from '../components/compared.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { formatBytes } from '../format/format-number.ts';
import { formatClock } from '../format/format-time.ts';
import type { Told } from '../format/told.ts';
import { useZone } from '../view/preferences.ts';
import {
  type AnswerSameness,
  type ArgumentSameness,
  type Comparison,
  isKnown,
  type Repeat,
} from './prepare-comparison.ts';
import { type Run, tellResults } from './prepare-runs.ts';
import { prepareShapes, type ShapeRow, type ShapeState } from './prepare-shapes.ts';

const ARGUMENTS: Readonly<Record<ArgumentSameness, Told>> = {
  same: { tone: 'same', words: 'same arguments' },
  masked: { tone: 'same', words: 'same but for request ids' },
  changed: { tone: 'changed', words: 'changed' },
  unknown: { tone: 'unknown', words: 'arguments not known' },
  incomparable: { tone: 'unknown', words: 'not comparable' },
};

const ANSWERS: Readonly<Record<AnswerSameness, Told>> = {
  same: { tone: 'same', words: 'same result' },
  masked: { tone: 'same', words: 'same result but for times and request ids' },
  failure: { tone: 'same', words: 'same failure' },
  different: { tone: 'changed', words: 'another result' },
  unknown: { tone: 'unknown', words: 'result not known' },
  incomparable: { tone: 'unknown', words: 'result not comparable' },
};

/** What the calls of a folded run share. */
export function SharedByRun({ run }: { readonly run: Run }) {
  const tone = run.sameResult ? 'same' : run.isKnown ? 'changed' : 'unknown';
  return (
    <span className="changes-line">
      <Compared told={ARGUMENTS.same} />
      <Compared told={{ tone, words: tellResults(run) }} />
    </span>
  );
}

/** In one line: "changed limit · same failure". */
export function Changes({ comparison }: { readonly comparison: Comparison }) {
  const { arguments: sameness, changed, added, removed, answer } = comparison;
  const names = [
    ...changed.map((name) => ['', name] as const),
    ...added.map((name) => ['+', name] as const),
    ...removed.map((name) => ['−', name] as const),
  ];
  return (
    <span className="changes-line">
      <Compared told={ARGUMENTS[sameness]}>
        {names.map(([sign, name]) => (
          <code key={name} title={SIGNS[sign]}>
            {sign}
            {name}
          </code>
        ))}
      </Compared>
      <Compared told={ANSWERS[answer]} />
    </span>
  );
}

const SIGNS = { '': 'another value', '+': 'was not sent before', '−': 'is not sent any more' } as const;

interface CallComparisonProps {
  readonly call: SessionCallRow;
  readonly repeat: Repeat;
}

export function CallComparison({ call, repeat }: CallComparisonProps) {
  const { before } = repeat;
  const isComparable = repeat.arguments !== 'incomparable';
  const argumentRows = prepareShapes(
    { before: before.argumentsShape, now: call.argumentsShape },
    {
      ...(isComparable && {
        prints: { before: before.argumentFingerprints, now: call.argumentFingerprints },
      }),
      isSame: repeat.arguments === 'same',
    },
  );
  const resultRows = prepareShapes(
    { before: before.resultShape, now: call.resultShape },
    // Failures are told by their template, though their results may be known to be the same.
    {
      isSame:
        isComparable &&
        isKnown(call.resultFingerprint) &&
        call.resultFingerprint === before.resultFingerprint,
    },
  );
  return (
    <section className="comparison" aria-label="Beside the last call of this tool">
      <h3>
        Beside the last call of this tool <Changes comparison={repeat} />
      </h3>
      <div className="sides-frame">
        <table className="sides" aria-label="This call beside the last one">
          <Side what="Arguments" rows={argumentRows} before={before} call={call} />
          <Side what="Result" rows={resultRows} before={before} call={call} />
        </table>
      </div>
    </section>
  );
}

interface SideProps {
  readonly what: 'Arguments' | 'Result';
  readonly rows: readonly ShapeRow[];
  readonly before: SessionCallRow;
  readonly call: SessionCallRow;
}

function Side({ what, rows, before, call }: SideProps) {
  const zone = useZone();
  const sizeOf = (one: SessionCallRow): string =>
    formatBytes(what === 'Arguments' ? one.argumentsBytes : one.resultBytes);
  const gap = Date.parse(call.startedAt) - Date.parse(before.startedAt);
  return (
    <tbody>
      <tr className="sides-head">
        <th scope="col">{what}</th>
        <th scope="col">
          {formatClock(Date.parse(before.startedAt), zone)}, {sizeOf(before)}
        </th>
        <th scope="col">
          {formatDuration(gap)} later, {sizeOf(call)}
        </th>
        <th scope="col">
          <span className="visually-hidden">Sameness</span>
        </th>
      </tr>
      {rows.length === 0 ? (
        <tr>
          <td colSpan={4} className="muted">
            No shape was collected.
          </td>
        </tr>
      ) : (
        rows.map((row) => <Key key={row.name} row={row} />)
      )}
    </tbody>
  );
}

const STATES: Readonly<Record<ShapeState, Told>> = {
  same: { tone: 'same', words: 'same' },
  changed: { tone: 'changed', words: 'changed' },
  added: { tone: 'changed', words: 'new' },
  removed: { tone: 'changed', words: 'gone' },
  alike: { tone: 'unknown', words: 'same shape' },
};

function Key({ row: { name, before, now, state } }: { readonly row: ShapeRow }) {
  return (
    <tr data-state={state}>
      <th scope="row">{name ? <code>{name}</code> : <span className="muted">all of it</span>}</th>
      <td>{before === undefined ? <span className="muted">not sent</span> : <code>{before}</code>}</td>
      <td>{now === undefined ? <span className="muted">not sent</span> : <code>{now}</code>}</td>
      <td>
        <Compared told={STATES[state]} />
      </td>
    </tr>
  );
}
