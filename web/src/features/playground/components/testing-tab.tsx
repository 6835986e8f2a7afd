import { useId } from 'react';
import { Label } from '@/components/ui/label';
import { Select } from '@/components/ui/select';

/** Models the testing tab names while no model is connected. */
export const TEST_MODELS = ['gpt-4', 'gpt-3.5', 'claude-3'] as const;

export function TestingTab() {
  const id = useId();
  return (
    <div className="grid max-w-sm gap-4">
      <div className="grid gap-1.5">
        <Label htmlFor={id}>Model</Label>
        <Select id={id} disabled defaultValue={TEST_MODELS[0]} aria-describedby={`${id}-note`}>
          {TEST_MODELS.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </Select>
      </div>
      <p id={`${id}-note`} className="text-sm text-muted">
        AI testing coming soon
      </p>
    </div>
  );
}
