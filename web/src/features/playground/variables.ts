/** The variables of the playground: what the template asks for, with what was typed so far. */
import { variableNames } from '@/lib/compile/compile';
import { findSuggestion } from './suggestions';
import { guessType, validateValue, type Validation, type VariableType } from './variable-types';

/** What a person entered for one name; survives edits that remove and restore the name. */
export interface VariableInput {
  value: string;
  /** The type the person chose; a guess from the name otherwise. */
  chosenType?: VariableType;
}

export type VariableInputs = Readonly<Record<string, VariableInput>>;

export interface PlaygroundVariable {
  name: string;
  value: string;
  type: VariableType;
  /** The name is one of the suggested variables. */
  suggested: boolean;
  placeholder: string;
  validation: Validation;
  /** A misfit of a guessed type is only pointed out; one of a declared type stops a compile. */
  blocking: boolean;
}

/** The variables of a template in order of first use. */
export function listVariables(template: string, inputs: VariableInputs): PlaygroundVariable[] {
  return variableNames(template).map((name) => {
    const input = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
    const suggestion = findSuggestion(name);
    const declared = input?.chosenType ?? suggestion?.type;
    const type = declared ?? guessType(name);
    const value = input?.value ?? '';
    const validation = validateValue(type, value);
    return {
      name,
      value,
      type,
      suggested: suggestion !== undefined,
      placeholder: placeholderFor(type, suggestion?.placeholder),
      validation,
      blocking: declared !== undefined && !validation.isValid,
    };
  });
}

const EXAMPLES: Record<VariableType, string> = {
  text: '',
  email: 'ada@example.com',
  url: 'https://example.com',
  date: '',
  number: '3',
};

/** An example that does not look like a value somebody entered. */
function placeholderFor(type: VariableType, suggested: string | undefined): string {
  if (type === 'date') return 'YYYY-MM-DD';
  const example = suggested ?? EXAMPLES[type];
  return example === '' ? '' : `e.g. ${example}`;
}

/** The values to compile with: only what was entered, so that gaps are reported as missing. */
export function enteredValues(variables: readonly PlaygroundVariable[]): Record<string, string> {
  return Object.fromEntries(
    variables.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]),
  );
}
