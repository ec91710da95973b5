// The two buttons at the end of a form of the palette.

interface FormButtonsProps {
  readonly submit: string;
  readonly isDisabled: boolean;
  readonly onCancel: () => void;
}

export function FormButtons({ submit, isDisabled, onCancel }: FormButtonsProps) {
  return (
    <div className="buttons">
      <button type="submit" className="button primary" disabled={isDisabled}>
        {submit}
      </button>
      <button type="button" className="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
