import { Field } from './field.tsx';

/** Asks why an operator acts. @param place where the reason stays */
export const ReasonField = ({
  place,
  value,
  onChange,
}: {
  place: string;
  value: string;
  onChange(value: string): void;
}) => <Field label="Reason" hint={`Optional; stays in ${place}.`} value={value} maxLength={2000} onChange={onChange} />;
