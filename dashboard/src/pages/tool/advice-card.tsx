// One finding: the observation, its evidence, what to change, what would disprove it, and its state.
import { useState } from 'react';
import { Link } from 'wouter';
import type { AdviceRow } from '../../../../src/contract/advice.ts';
import { useAdviceDismissal } from '../../api/tool-queries.ts';
import { CodeText } from '../../components/code-text.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { prepareDiff } from '../../components/prepare-diff.ts';
import { Ago } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { formatCountName, formatCountValue, formatFixPrompt, readTimestamp } from './describe-advice.ts';
import { DismissForm } from './dismiss-form.tsx';
import { toEvidencePath } from './to-evidence-path.ts';

interface AdviceCardProps {
  readonly row: AdviceRow;
  readonly view: View;
  /** Shows the tool's name, for lists with several tools. */
  readonly withTool?: boolean;
}

const LEVEL_ICONS: Readonly<Record<AdviceRow['level'], IconName>> = {
  error: 'server',
  warning: 'client',
  note: 'advice',
};

export function AdviceCard({ row, view, withTool = false }: AdviceCardProps) {
  const { level, title, finding, suggestion, disprovedBy, rule, state, outcome, reason } = row;
  return (
    <article className="advice-card" data-state={state} aria-label={`${title} ${row.tool}`}>
      <header>
        <span className={`level ${level}`}>
          <Icon name={LEVEL_ICONS[level]} /> {level}
        </span>
        <h3>{title}</h3>
        {withTool ? <AdviceTarget row={row} view={view} /> : null}
        <code className="muted">{rule}</code>
        {row.callsLost > 0 ? (
          <span className="lost">{formatPlural(row.callsLost, 'call')} lost</span>
        ) : (
          <span className="muted lost">no call lost</span>
        )}
      </header>
      <p className="finding">
        <CodeText text={finding} />
      </p>
      <Evidence row={row} view={view} />
      <p>
        <strong>Change:</strong> <CodeText text={suggestion.text} />
      </p>
      <SuggestedEdits row={row} />
      <p className="muted disproved">
        Would be disproved by: <CodeText text={disprovedBy} />
      </p>
      {outcome ? (
        <p className="gone">
          <Icon name="check" /> {outcome}
        </p>
      ) : null}
      {state === 'dismissed' ? <p className="muted">Dismissed: {reason}</p> : null}
      <AdviceActions row={row} />
    </article>
  );
}

function AdviceTarget({ row: { server, tool }, view }: Pick<AdviceCardProps, 'row' | 'view'>) {
  if (!tool) return <span>{server}</span>;
  return (
    <Link className="link" href={toolPath(view, { server, tool })}>
      {tool} <span className="muted">of {server}</span>
    </Link>
  );
}

/** Counts link to the calls if a list contains exactly those calls. */
function Evidence({ row, view }: Pick<AdviceCardProps, 'row' | 'view'>) {
  const { counts, names } = row;
  return (
    <ul className="evidence-counts">
      {Object.entries(counts).map(([name, value]) => {
        const path = value > 0 ? toEvidencePath(row, name, view) : undefined;
        const measured = <EvidenceCount name={name} value={value} />;
        return <li key={name}>{path ? <Link href={path}>{measured}</Link> : measured}</li>;
      })}
      {Object.entries(names)
        .filter(([, list]) => list.length > 0)
        .map(([name, list]) => (
          <li key={name} className="muted">
            {formatCountName(name)}: {list.join(', ')}
          </li>
        ))}
    </ul>
  );
}

function EvidenceCount({ name, value }: { readonly name: string; readonly value: number }) {
  const at = readTimestamp(name, value);
  return (
    <>
      <strong>{at ? <Ago at={at} /> : formatCountValue(name, value)}</strong> {formatCountName(name)}
    </>
  );
}

function SuggestedEdits({ row }: Pick<AdviceCardProps, 'row'>) {
  const { edits } = row.suggestion;
  if (edits.length === 0) return null;
  return (
    <div className="edits">
      {edits.map((edit) => (
        <div key={`${edit.tool} ${edit.pointer}`}>
          <p className="edit-head">
            <code>
              {edit.tool} {edit.pointer}
            </code>
          </p>
          <DiffView
            label={`Suggested change of ${edit.tool} ${edit.pointer}`}
            lines={prepareDiff(edit.before, edit.after)}
          />
        </div>
      ))}
    </div>
  );
}

function AdviceActions({ row }: Pick<AdviceCardProps, 'row'>) {
  const [open, setOpen] = useState(false);
  const { dismiss, restore } = useAdviceDismissal();
  if (row.state === 'gone') return null;
  if (row.state === 'dismissed') {
    return (
      <p>
        <button type="button" className="button" onClick={() => void restore(row.id)}>
          Take the dismissal back
        </button>
      </p>
    );
  }
  if (open)
    return <DismissForm onDismiss={(reason) => dismiss(row.id, reason)} onCancel={() => setOpen(false)} />;
  return (
    <p className="advice-acts">
      <CopyButton text={formatFixPrompt(row)} what="fix prompt" showLabel="whole" />
      <button
        type="button"
        className="button"
        aria-label={`Dismiss ${row.title} ${row.tool}`}
        onClick={() => setOpen(true)}
      >
        Dismiss…
      </button>
    </p>
  );
}
