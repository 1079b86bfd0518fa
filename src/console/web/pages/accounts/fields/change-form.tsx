import { type ReactNode, useRef } from 'react';
import { Button, type Tone } from '../../../components/button.tsx';
import { submits } from '../../../components/submits.ts';
import type { AccountMutation } from '../data/account-change.ts';
import { FormNotice, useFocusOnError } from './form-notice.tsx';

/** A form that changes an account: its fields, why the API refused it, and its buttons. */
export function ChangeForm(props: {
  change: AccountMutation;
  /** Whether a path has a field that shows its own error. */
  hasField(path: string): boolean;
  /** What the button says that submits the form. */
  submit: string;
  tone?: Tone;
  onSubmit(): void;
  /** Further buttons. */
  buttons?: ReactNode;
  children: ReactNode;
}) {
  const { error, isPending } = props.change;
  const form = useRef<HTMLFormElement>(null);
  useFocusOnError(form, error);
  return (
    <form ref={form} className="stack" onSubmit={submits(props.onSubmit)}>
      {props.children}
      <FormNotice error={error} hasField={props.hasField} />
      <div className="buttons">
        <Button tone={props.tone ?? 'main'} type="submit" blocked={isPending}>
          {props.submit}
        </Button>
        {props.buttons}
      </div>
    </form>
  );
}
