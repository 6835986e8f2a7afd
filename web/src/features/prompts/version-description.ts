import type { PromptVersion } from '@/lib/prompt-api/schemas';

/** What a version says about itself. */
export function versionDescription(version: PromptVersion): string {
  const description = version.metadata?.['description'];
  return typeof description === 'string' && description !== '' ? description : 'No description';
}
