/** Prompts and versions as the API sends them. */
import type { Prompt, PromptVersion } from '@/lib/prompt-api/schemas';

export function makeVersion(part: Partial<PromptVersion> = {}): PromptVersion {
  const version = part.version ?? 1;
  return {
    id: 100 + version,
    version,
    template: 'Hello {name}',
    content_hash: `${String(version)}abcdef0123456789`.repeat(4).slice(0, 64),
    created_at: '2026-11-19T10:00:00Z',
    metadata: {},
    ...part,
  };
}

export function makePrompt(part: Partial<Prompt> = {}): Prompt {
  const id = part.id ?? 1;
  return {
    id,
    key: `prompt-${String(id)}`,
    name: `Prompt ${String(id)}`,
    description: null,
    tags: [],
    is_archived: false,
    current_version: makeVersion(),
    created_at: '2026-11-01T10:00:00Z',
    updated_at: '2026-11-19T10:00:00Z',
    repository: { id: 1, owner: 'ada', slug: 'default' },
    versions_count: 1,
    ...part,
  };
}
