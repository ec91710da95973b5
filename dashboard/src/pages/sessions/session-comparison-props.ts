// What the panels and tables of the session comparison receive.
import type { SessionResponse } from '../../../../src/contract/sessions.ts';
import type { View } from '../../view/view.ts';

export interface SessionComparisonProps {
  readonly a: SessionResponse;
  readonly b: SessionResponse;
  readonly view: View;
}
