import { useId } from 'react';
import { Badge } from '@/components/ui/badge';
import { Input } from '@/components/ui/input';
import { Textarea } from '@/components/ui/textarea';
import { cn } from '@/lib/cn';
import { VARIABLE_TYPES, type VariableType } from '@/features/playground/variable-types';
import type { PlaygroundVariable, VariableInput } from '@/features/playground/variables';

interface VariableFieldProps {
  variable: PlaygroundVariable;
  onChange: (part: Partial<VariableInput>) => void;
}

/** A misfit of a guessed type is a warning, one of a declared type an error. */
export function VariableField({ variable, onChange }: VariableFieldProps) {
  const id = useId();
  const { name, type, suggested, validation, blocking } = variable;
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center gap-2">
        <label htmlFor={id} className="min-w-0 truncate font-mono text-sm font-medium">
          {name}
        </label>
        {suggested && <Badge>suggested</Badge>}
        <TypeSelect
          name={name}
          type={type}
          onChange={(chosenType) => {
            onChange({ chosenType });
          }}
        />
      </div>
      <ValueInput id={id} variable={variable} onChange={onChange} />
      {!validation.isValid && (
        <p
          id={`${id}-message`}
          role={blocking ? 'alert' : 'status'}
          className={cn('text-xs', blocking ? 'text-danger' : 'text-warning')}
        >
          {validation.message}
        </p>
      )}
    </div>
  );
}

interface TypeSelectProps {
  name: string;
  type: VariableType;
  onChange: (type: VariableType) => void;
}

function TypeSelect({ name, type, onChange }: TypeSelectProps) {
  return (
    <select
      aria-label={`Type of ${name}`}
      value={type}
      className="ml-auto h-6 shrink-0 cursor-pointer rounded-sm bg-transparent text-right text-xs text-muted hover:text-foreground pointer-coarse:h-11 pointer-coarse:text-base"
      onChange={(event) => {
        const chosen = VARIABLE_TYPES.find((known) => known === event.target.value);
        if (chosen) onChange(chosen);
      }}
    >
      {VARIABLE_TYPES.map((known) => (
        <option key={known} value={known}>
          {known}
        </option>
      ))}
    </select>
  );
}

type ValueInputProps = VariableFieldProps & { id: string };

/**
 * Dates and numbers are text fields: a guessed type must not keep anyone from typing what they
 * mean.
 */
function ValueInput({ id, variable, onChange }: ValueInputProps) {
  const { value, type, placeholder, validation, blocking } = variable;
  const shared = {
    id,
    value,
    placeholder,
    autoComplete: 'off',
    'aria-invalid': blocking,
    'aria-describedby': validation.isValid ? undefined : `${id}-message`,
  };
  const handleChange = (event: { target: { value: string } }) => {
    onChange({ value: event.target.value });
  };
  switch (type) {
    case 'text':
      return (
        <Textarea
          {...shared}
          rows={1}
          className="field-sizing-content max-h-48 min-h-9 resize-none py-1.5"
          onChange={handleChange}
        />
      );
    case 'email':
      return <Input {...shared} type="email" onChange={handleChange} />;
    case 'url':
      return <Input {...shared} type="url" onChange={handleChange} />;
    case 'date':
      return <Input {...shared} inputMode="numeric" onChange={handleChange} />;
    case 'number':
      return <Input {...shared} inputMode="decimal" onChange={handleChange} />;
  }
}
