// Labelled fields of a form.
import { type ReactNode, useId } from 'react';
import { Icon } from '../../components/icon.tsx';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface TextFieldProps extends FieldProps {
  readonly hint?: string | undefined;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  readonly type?: 'text' | 'password' | 'url';
  readonly inputMode?: 'decimal' | 'url';
  /** Shown behind the field. */
  readonly unit?: string;
  readonly isFocused?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { label, value, onChange, hint, placeholder, suggestions = [], unit, isFocused = false } = props;
  const { type = 'text', inputMode } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="field-value">
        <input
          id={id}
          type={type}
          inputMode={inputMode}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the form is what the page was opened for
          autoFocus={isFocused}
          list={suggestions.length > 0 ? `${id}-list` : undefined}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        {unit ? <span className="muted">{unit}</span> : null}
      </span>
      {suggestions.length > 0 ? (
        <datalist id={`${id}-list`}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      ) : null}
      {hint ? (
        <span id={`${id}-hint`} className="muted small">
          {hint}
        </span>
      ) : null}
    </div>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly choices: readonly (readonly [value: string, text: string])[];
}

export function SelectField({ label, value, onChange, choices }: SelectFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="select">
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </div>
  );
}

interface CheckFieldProps {
  readonly label: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: () => void;
}

export function CheckField({ label, isChecked, onChange }: CheckFieldProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={isChecked} onChange={onChange} />
      <span>{label}</span>
    </label>
  );
}
