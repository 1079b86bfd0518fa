import type { FormEvent } from 'react';

/** Handles the submission of a form in the page, in place of the browser. */
export const submits = (act: (form: HTMLFormElement) => void) => (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault();
  act(event.currentTarget);
};
