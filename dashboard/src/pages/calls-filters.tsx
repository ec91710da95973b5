// Which calls: the page's own filters. Each stands in the address; those of the bar on top apply as on every page.
import { useState } from 'react';
import { OUTCOMES } from '../../../src/core/model/outcome.ts';
import { Icon } from '../components/icon.tsx';
import { formatOutcome } from '../components/outcome.tsx';
import { shortenMiddle } from '../format/format-id.ts';
import { CALLS_FILTERS, type CallsFilter, type CallsState, isAsked } from '../paths.ts';
import type { View } from '../view/view.ts';
import { CallsExport } from './calls-export.tsx';
import { METHODS } from './mcp-methods.ts';

interface CallFiltersProps {
  readonly state: CallsState;
  readonly set: (change: CallsState) => void;
  readonly view: View;
}

export function CallFilters({ state, set, view }: CallFiltersProps) {
  return (
    <div className="toolbar">
      <fieldset className="segments">
        <legend className="visually-hidden">Which calls</legend>
        <button type="button" aria-pressed={!state.counted} onClick={() => set({ counted: undefined })}>
          Every request
        </button>
        <button
          type="button"
          aria-pressed={state.counted === 'true'}
          title="What every figure counts: tool calls that were answered for good"
          onClick={() => set({ counted: 'true' })}
        >
          Tool calls
        </button>
      </fieldset>
      <fieldset className="segments">
        <legend className="visually-hidden">How they ended</legend>
        <button type="button" aria-pressed={!state.errors} onClick={() => set({ errors: undefined })}>
          All
        </button>
        <button type="button" aria-pressed={state.errors === 'true'} onClick={() => set({ errors: 'true' })}>
          Errors only
        </button>
      </fieldset>
      <Select
        label="Method"
        any="Any method"
        value={state.method}
        choices={METHODS}
        onChoose={(method) => set({ method })}
      />
      <Select
        label="Outcome"
        any="Any outcome"
        value={state.outcome}
        choices={OUTCOMES}
        onChoose={(outcome) => set({ outcome })}
      />
      {isAsked('code', state.code) ? null : <CodeFilter onChoose={(code) => set({ code })} />}
      {chipsOf(state).map(([name, value]) => (
        <Chip
          key={name}
          name={CHIPS[name] ?? name}
          value={name === 'session' ? shortenMiddle(value) : value || 'none'}
          onRemove={() => set({ [name]: undefined })}
        />
      ))}
      <CallsExport view={view} state={state} />
    </div>
  );
}

/** What each filter that has no control of its own is called. */
const CHIPS: Partial<Record<CallsFilter, string>> = {
  fault: 'Fault',
  code: 'Code',
  message: 'Message',
  argument: 'Argument',
  session: 'Session',
  protocol: 'Protocol',
  transport: 'Transport',
  minMs: 'Took at least, ms',
  maxMs: 'Took at most, ms',
};

function chipsOf(state: CallsState): [CallsFilter, string][] {
  return CALLS_FILTERS.flatMap((name): [CallsFilter, string][] => {
    const value = state[name];
    return CHIPS[name] && isAsked(name, value) ? [[name, value]] : [];
  });
}

/** Codes are the servers' own, so they are typed rather than chosen. */
function CodeFilter({ onChoose }: { readonly onChoose: (code: string) => void }) {
  const [code, setCode] = useState('');
  return (
    <form
      className="code-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim()) onChoose(code.trim());
      }}
    >
      <input
        aria-label="Code"
        placeholder="Any code"
        value={code}
        maxLength={64}
        spellCheck={false}
        onChange={(event) => setCode(event.target.value)}
      />
    </form>
  );
}

interface SelectProps {
  readonly label: string;
  readonly any: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly onChoose: (value: string | undefined) => void;
}

function Select({ label, any, value, choices, onChoose }: SelectProps) {
  return (
    <label className="select" data-set={value ? true : undefined}>
      <span className="visually-hidden">{label}</span>
      <select value={value ?? ''} onChange={(event) => onChoose(event.target.value || undefined)}>
        <option value="">{any}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {formatOutcome(choice)}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

interface ChipProps {
  readonly name: string;
  readonly value: string;
  readonly onRemove: () => void;
}

function Chip({ name, value, onRemove }: ChipProps) {
  return (
    <button
      type="button"
      className="button chip"
      onClick={onRemove}
      aria-label={`Remove filter ${name} ${value}`}
    >
      {name} <code>{value}</code> <Icon name="close" />
    </button>
  );
}
