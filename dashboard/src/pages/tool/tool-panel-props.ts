// What each panel of the tool page receives.
import type { ToolResponse } from '../../../../src/contract/tool.ts';
import type { View } from '../../view/view.ts';

export interface ToolPanelProps {
  readonly response: ToolResponse;
  readonly view: View;
}
