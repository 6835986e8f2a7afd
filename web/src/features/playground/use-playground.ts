import { useMemo, useState } from 'react';
import { friendlyMessage } from '@/lib/prompt-api/errors';
import type { CompiledPrompt, Prompt } from '@/lib/prompt-api/schemas';
import { toast } from '@/lib/toast';
import { useCompile } from './use-compile';
import { useShowInAddress } from './use-source';
import { enteredValues, listVariables, type VariableInput, type VariableInputs } from './variables';

/** What the playground opens with. */
export interface InitialState {
  prompt: Prompt | undefined;
  template: string;
  inputs: VariableInputs;
}

/** The last compiled text and what it was compiled from. */
export interface Compiled {
  result: CompiledPrompt;
  template: string;
  values: Readonly<Record<string, string>>;
}

function storedTemplate(prompt: Prompt | undefined): string | undefined {
  return prompt?.current_version?.template;
}

function sameValues(left: Compiled['values'], right: Compiled['values']): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
  );
}

/** The playground's state: a template, perhaps a prompt it came from, values, and a result. */
export function usePlayground(initial: InitialState) {
  const [prompt, setPrompt] = useState(initial.prompt);
  const [template, setTemplate] = useState(initial.template);
  const [inputs, setInputs] = useState(initial.inputs);
  const [compiled, setCompiled] = useState<Compiled>();
  const compile = useCompile();
  const showInAddress = useShowInAddress();
  const variables = useMemo(() => listVariables(template, inputs), [template, inputs]);
  const values = useMemo(() => enteredValues(variables), [variables]);
  const edited = prompt !== undefined && template !== storedTemplate(prompt);
  const hasTemplate = template.trim() !== '';
  const blocked = variables.some(({ blocking }) => blocking);

  const run = async () => {
    if (compile.isPending || blocked) return;
    if (!hasTemplate) {
      toast.error('Please select a prompt first');
      return;
    }
    try {
      const key = edited ? undefined : prompt?.key;
      setCompiled({
        result: await compile.mutateAsync({ key, template, values }),
        template,
        values,
      });
      toast.success('Success!');
    } catch (error) {
      toast.error('Failed to compile template', { description: friendlyMessage(error, '') });
    }
  };

  return {
    prompt,
    template,
    inputs,
    variables,
    values,
    edited,
    compiled,
    /** The result no longer belongs to what is on screen. */
    outdated:
      compiled !== undefined &&
      (compiled.template !== template || !sameValues(compiled.values, values)),
    compiling: compile.isPending,
    canCompile: hasTemplate && !blocked && !compile.isPending,
    run,
    setTemplate,
    setInput: (name: string, part: Partial<VariableInput>) => {
      setInputs((current) => ({ ...current, [name]: { value: '', ...current[name], ...part } }));
    },
    choose: (chosen: Prompt | undefined) => {
      setPrompt(chosen);
      setCompiled(undefined);
      if (chosen) setTemplate(storedTemplate(chosen) ?? '');
      showInAddress(chosen?.key);
    },
    /** Takes a text from elsewhere; it belongs to no prompt. */
    replace: (text: string) => {
      setPrompt(undefined);
      setCompiled(undefined);
      setTemplate(text);
      showInAddress(undefined);
    },
  };
}

export type Playground = ReturnType<typeof usePlayground>;
