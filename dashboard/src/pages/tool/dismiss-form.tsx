// Dismisses advice with a reason, which is shown with it from then on.
import { type FormEvent, useState } from 'react';

interface DismissFormProps {
  readonly onDismiss: (reason: string) => Promise<void>;
  readonly onCancel: () => void;
}

export function DismissForm({ onDismiss, onCancel }: DismissFormProps) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string>();
  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    try {
      await onDismiss(reason.trim());
      onCancel();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It could not be dismissed.');
    }
  }
  return (
    <form className="dismiss-form" onSubmit={(event) => void submit(event)}>
      <label>
        Why it does not apply
        <input
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.target.value)}
          // biome-ignore lint/a11y/noAutofocus: this replaces the button that was pressed
          autoFocus
        />
      </label>
      {problem ? (
        <p className="problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="toolbar">
        <button type="submit" className="button primary" disabled={reason.trim() === ''}>
          Dismiss
        </button>
        <button type="button" className="button" onClick={onCancel}>
          Keep it
        </button>
      </div>
    </form>
  );
}
