import { onDemand } from '../on-demand.tsx';

/** The editor is larger than the rest of the page, so it loads with the first form. */
export const ConditionEditor = onDemand(
  'condition-editor',
  async () => (await import('./condition-editor.tsx')).ConditionEditor,
);
