// What deserves a look, at most eight, each with its reason: loops, sessions that went badly, advice that costs calls, tools
// that are asked for and missing, clients that start and do nothing.
import { Link } from 'wouter';
import type { AttentionItem, AttentionKind } from '../../../../src/contract/overview.ts';
import { useAttention } from '../../api/overview-questions.ts';
import { Ago } from '../../components/figures.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { Shell } from '../../components/shell.tsx';
import { shortenMiddle } from '../../format/format-id.ts';
import { formatCount } from '../../format/format-number.ts';
import type { View } from '../../view/view.ts';
import { allPath, KIND_WORDS, nameOf, pathOf, prepareMore } from './prepare-attention.ts';

const ICONS: Readonly<Record<AttentionKind, IconName>> = {
  storm: 'server',
  looping: 'loop',
  all_failed: 'server',
  advice: 'advice',
  missing_tool: 'question',
  ended_after_error: 'client',
  zero_calls: 'quiet',
  over_thirty: 'sessions',
};

export function AttentionPanel({ view }: { readonly view: View }) {
  const asked = useAttention(view);
  return (
    <Panel title="Worth a look" note="the worst of each kind" className="attention-panel">
      <Shell
        asked={asked}
        rows={6}
        empty={({ items }) =>
          items.length > 0
            ? undefined
            : 'No loop, no session that failed throughout or at its end, no advice that costs calls.'
        }
      >
        {(answer) => (
          <>
            <ol className="attention" aria-label="Worth a look">
              {answer.items.map((item) => (
                <li
                  key={`${item.kind} ${item.server} ${item.sessionId} ${item.tool} ${item.client} ${item.id}`}
                >
                  <Item item={item} view={view} />
                </li>
              ))}
            </ol>
            <More more={prepareMore(answer)} view={view} />
          </>
        )}
      </Shell>
    </Panel>
  );
}

function Item({ item, view }: { readonly item: AttentionItem; readonly view: View }) {
  const name = nameOf(item);
  return (
    <>
      <span className={`kind ${item.kind}`}>
        <Icon name={ICONS[item.kind]} /> {KIND_WORDS[item.kind]}
      </span>
      <span className="said">
        <Link href={pathOf(item, view)} title={name}>
          {item.sessionId === '' ? name : <code>{shortenMiddle(name, 24)}</code>}
        </Link>
        <span className="muted">{item.server}</span>
        {item.lastAt ? (
          <span className="muted">
            <Ago at={item.lastAt} />
          </span>
        ) : null}
        <span className="why">{item.why}</span>
      </span>
    </>
  );
}

interface MoreProps {
  readonly more: ReturnType<typeof prepareMore>;
  readonly view: View;
}

function More({ more, view }: MoreProps) {
  if (more.length === 0) return null;
  return (
    <p className="more">
      {more.map(({ kind, more: count }) => (
        <Link key={kind} href={allPath(kind, view)}>
          {formatCount(count)} more: {KIND_WORDS[kind]}
        </Link>
      ))}
    </p>
  );
}
