// Selects the time range: five presets, and free text that is validated with the API's parser.
import { type FormEvent, useId, useRef, useState } from 'react';
import { useAutoRangeReason } from '../api/use-auto-range.ts';
import { describeAutoRange } from '../format/describe-auto-range.ts';
import { findRangeProblem, toAbsoluteRange } from '../view/move-range.ts';
import { useZone, ZONES } from '../view/preferences.ts';
import { useRangeText } from '../view/use-range-text.ts';
import {
  activeFilters,
  PRESETS,
  presetOf,
  type View,
  withAutoRange,
  withRange,
  withZone,
} from '../view/view.ts';
import { Icon } from './icon.tsx';
import { ProblemText } from './problem-text.tsx';
import { SegmentedControl } from './segmented-control.tsx';

interface RangePickerProps {
  readonly view: View;
  readonly setView: (view: View) => void;
}

export function RangePicker({ view, setView }: RangePickerProps) {
  const current = presetOf(view);
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  const label = useRangeText(view)
    .replace(/^in the l/, 'L')
    .replace(/^from /, '');
  return (
    <div className="range">
      {view.isAutoRange ? <AutoRangeReasonText view={view} /> : null}
      <SegmentedControl
        label="Time range"
        choices={PRESETS.map((preset) => [preset, preset, `The last ${preset}`])}
        value={current}
        onChange={(preset) => setView(withRange(view, { from: `now-${preset}`, to: 'now' }))}
      >
        <button type="button" popoverTarget={id} aria-pressed={current === undefined} className="custom">
          {current === undefined ? label : 'Custom'} <Icon name="down" />
        </button>
      </SegmentedControl>
      <div id={id} popover="auto" ref={popover} className="popover">
        <RangeForm
          key={`${view.from} ${view.to}`}
          view={view}
          setView={(next) => {
            setView(next);
            popover.current?.hidePopover();
          }}
        />
      </div>
    </div>
  );
}

/** Why the automatic range was chosen. */
function AutoRangeReasonText({ view }: { readonly view: View }) {
  const reason = useAutoRangeReason(view.from);
  const isFiltered = activeFilters(view).length > 0;
  return reason ? (
    <span className="reason">{describeAutoRange(view.from, { ...reason, isFiltered })}</span>
  ) : null;
}

/** Stored in the URL, so that a shared link shows the same times. */
function TimeZoneSwitch({ view, setView }: RangePickerProps) {
  return (
    <SegmentedControl
      label="Times in"
      choices={ZONES.map((zone) => [zone, zone === 'utc' ? 'UTC' : 'Local time'])}
      value={useZone()}
      onChange={(zone) => setView(withZone(view, zone))}
    />
  );
}

function RangeForm({ view, setView }: RangePickerProps) {
  const [from, setFrom] = useState(view.from);
  const [to, setTo] = useState(view.to);
  const [problem, setProblem] = useState<string>();
  function submit(event: FormEvent): void {
    event.preventDefault();
    const found = findRangeProblem({ from: from.trim(), to: to.trim() }, Date.now());
    setProblem(found);
    if (!found) setView(withRange(view, { from: from.trim(), to: to.trim() }));
  }
  return (
    <form onSubmit={submit} className="range-form">
      <label>
        From
        <input value={from} onChange={(event) => setFrom(event.target.value)} spellCheck={false} />
      </label>
      <label>
        To
        <input value={to} onChange={(event) => setTo(event.target.value)} spellCheck={false} />
      </label>
      <p className="muted small">
        For example <code>-2h</code>, <code>now-3h</code>, <code>2026-11-21</code> or{' '}
        <code>2026-11-21T10:00:00Z</code>.
      </p>
      <ProblemText problem={problem} />
      <TimeZoneSwitch view={view} setView={setView} />
      <button type="submit" className="button primary">
        Apply
      </button>
      <button
        type="button"
        className="button"
        title="The link then always shows the same data"
        onClick={() => setView(toAbsoluteRange(view, Date.now()))}
      >
        Freeze range
      </button>
      {view.isAutoRange ? null : (
        <button type="button" className="button" onClick={() => setView(withAutoRange(view))}>
          Auto range
        </button>
      )}
    </form>
  );
}
