import { downloadText } from '@/lib/download-text';
import type { Prompt } from '@/lib/prompt-api/schemas';

/** Downloads a prompt with its current text as JSON, in the fields the API takes it back in. */
export function exportPrompt(prompt: Prompt): void {
  const { key, name, description, tags, current_version } = prompt;
  const content = {
    key,
    name,
    description,
    tags,
    template: current_version?.template ?? '',
    version: current_version?.version ?? 1,
    content_hash: current_version?.content_hash ?? '',
  };
  downloadText(`${key}.json`, `${JSON.stringify(content, null, 2)}\n`);
}
