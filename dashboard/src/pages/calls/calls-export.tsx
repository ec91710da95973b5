// Saves all calls that match the range and the filters as a file, not only those on the screen.
import { toCallsQueryParams } from '../../api/queries.ts';
import { CSV, NDJSON, OTLP, SaveButtons } from '../../components/save-buttons.tsx';
import type { CallsState } from '../../paths.ts';
import type { View } from '../../view/view.ts';

interface CallsExportProps {
  readonly view: View;
  readonly state: CallsState;
}

export function CallsExport({ view, state }: CallsExportProps) {
  return (
    <span className="exports">
      <SaveButtons
        formats={[CSV, NDJSON, OTLP]}
        what="these calls"
        fileName="calls"
        toQueryParams={() => toCallsQueryParams(view, state)}
      />
    </span>
  );
}
