import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { KEY_LIMIT, KEY_MESSAGE, keyProblem } from '@/features/prompts/key';
import { Required } from './text-fields';

interface KeyFieldProps {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** The key, checked while it is typed. */
export function KeyField({ value, error, onChange }: KeyFieldProps) {
  const typed = value === '' ? undefined : keyProblem(value);
  return (
    <Field
      label={<Required>Key</Required>}
      hint={typed === KEY_MESSAGE ? undefined : KEY_MESSAGE}
      error={
        typed ?? (value === '' ? error : undefined) ?? (error === KEY_MESSAGE ? undefined : error)
      }
    >
      {(control) => (
        <Input
          {...control}
          required
          value={value}
          maxLength={KEY_LIMIT}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="e.g. customer-welcome"
          className="font-mono"
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}
