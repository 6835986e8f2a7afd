import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { Textarea } from '@/components/ui/textarea';
import { DESCRIPTION_LIMIT, NAME_LIMIT } from '@/features/prompts/key';

interface TextFieldProps {
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

/** What both forms call a required field. */
export function Required({ children }: { children: string }) {
  return (
    <>
      {children}
      <span aria-hidden="true" className="ml-0.5 text-accent">
        *
      </span>
    </>
  );
}

export function NameField({ value, error, onChange }: TextFieldProps) {
  return (
    <Field label={<Required>Name</Required>} error={error}>
      {(control) => (
        <Input
          {...control}
          required
          value={value}
          maxLength={NAME_LIMIT}
          autoComplete="off"
          placeholder="e.g. Customer welcome"
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}

export function DescriptionField({ value, error, onChange }: TextFieldProps) {
  return (
    <Field label="Description" error={error}>
      {(control) => (
        <Textarea
          {...control}
          rows={2}
          value={value}
          maxLength={DESCRIPTION_LIMIT}
          placeholder="What this prompt is for"
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}
