/**
 * Whether keys of the user write a text, or belong to a dialog. Editors are in shadow roots, so the first target counts,
 * not the one that a listener outside sees.
 */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null
  );
}
