/**
 * A ref for a button that goes away with what it did. If the focus is lost then, with the button or with its dialog,
 * the heading of the page gets it; otherwise the keyboard would begin again at the top of the window.
 */
export const passFocusOn = () => () => {
  // Nothing was lost where nothing had the focus: a screen reader may read another part of the page.
  if (document.activeElement === document.body) return;
  queueMicrotask(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  });
};
