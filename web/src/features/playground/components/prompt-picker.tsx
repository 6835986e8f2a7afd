import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Label } from '@/components/ui/label';
import { Select } from '@/components/ui/select';
import { promptListQuery } from '@/lib/prompt-api/queries';
import type { Prompt } from '@/lib/prompt-api/schemas';

interface PromptPickerProps {
  chosen: Prompt | undefined;
  onChoose: (prompt: Prompt | undefined) => void;
}

const NO_PROMPTS: readonly Prompt[] = [];

/** The stored prompts; a template pasted by hand belongs to none of them. */
export function PromptPicker({ chosen, onChoose }: PromptPickerProps) {
  const id = useId();
  const list = useQuery(promptListQuery({}));
  const prompts = list.data?.prompts ?? NO_PROMPTS;
  const isListed = chosen === undefined || prompts.some((prompt) => prompt.id === chosen.id);
  const options = isListed ? prompts : [chosen, ...prompts];
  return (
    <div className="grid min-w-0 flex-1 basis-64 gap-1.5">
      <Label htmlFor={id}>Prompt</Label>
      <Select
        id={id}
        value={chosen?.id ?? ''}
        aria-describedby={list.isError ? `${id}-error` : undefined}
        onChange={(event) => {
          onChoose(options.find((prompt) => String(prompt.id) === event.target.value));
        }}
      >
        <option value="">
          {list.isPending ? 'Loading prompts...' : 'No prompt, just a template'}
        </option>
        {options.map((prompt) => (
          <option key={prompt.id} value={prompt.id}>
            {prompt.name} ({prompt.key})
          </option>
        ))}
      </Select>
      {list.isError && (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger">
          Failed to load prompts
        </p>
      )}
    </div>
  );
}
