// Adds an annotation to the time axis of all charts: a deploy, an incident or a note.
import { type FormEvent, useState } from 'react';
import { ANNOTATION_KINDS } from '../../../src/contract/changes.ts';
import { useAction } from '../api/queries.ts';
import { ProblemText } from '../components/problem-text.tsx';
import { SegmentedControl } from '../components/segmented-control.tsx';
import { useView } from '../view/use-view.ts';
import { FormButtons } from './form-buttons.tsx';

type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

const KIND_LABELS: Readonly<Record<AnnotationKind, string>> = {
  deploy: 'Deploy',
  incident: 'Incident',
  note: 'Note',
};
const MAX_TEXT_LENGTH = 200;

export function AnnotationForm({ onDone }: { readonly onDone: () => void }) {
  const addAnnotation = useAction('addAnnotation');
  const { server } = useView();
  const ofServer = typeof server === 'string' ? server : undefined;
  const [kind, setKind] = useState<AnnotationKind>('note');
  const [text, setText] = useState('');
  const [at, setAt] = useState('');
  function add(event: FormEvent): void {
    event.preventDefault();
    const time = at === '' ? {} : { at: new Date(at).toISOString() };
    const body = { text: text.trim(), kind, ...time, ...(ofServer && { server: ofServer }) };
    addAnnotation.mutate(body, { onSuccess: onDone });
  }
  return (
    <form className="palette-form" onSubmit={add}>
      <h2>Add an annotation</h2>
      <p className="muted small">
        A line on the time axis of every chart, for {ofServer ? `server ${ofServer}` : 'all servers'}.
      </p>
      <SegmentedControl
        label="Kind"
        choices={ANNOTATION_KINDS.map((one) => [one, KIND_LABELS[one]] as const)}
        value={kind}
        onChange={setKind}
      />
      <label>
        Text
        <input
          // biome-ignore lint/a11y/noAutofocus: the reader asked for this form, to type
          autoFocus
          required
          value={text}
          maxLength={MAX_TEXT_LENGTH}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <label>
        Time, in this browser’s time zone; now if empty
        <input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
      </label>
      <ProblemText problem={addAnnotation.error?.message} />
      <FormButtons
        submit="Add"
        isDisabled={text.trim() === '' || addAnnotation.isPending}
        onCancel={onDone}
      />
    </form>
  );
}
