/** The search, tag and state filters of the prompt list; all of them live in the address. */
import type { Prompt } from '@/lib/prompt-api/schemas';

/** The value of the tag filter that means none. */
export const ALL_TAGS = 'all';

export interface ListFilter {
  search: string;
  tag: string;
  archived: boolean;
}

export function readFilter(query: URLSearchParams): ListFilter {
  return {
    search: query.get('q') ?? '',
    tag: query.get('tag') ?? ALL_TAGS,
    archived: query.get('archived') === 'true',
  };
}

/** The address of a filter; what is not filtered by does not appear. */
export function writeFilter({ search, tag, archived }: ListFilter): URLSearchParams {
  const query = new URLSearchParams();
  if (search !== '') query.set('q', search);
  if (tag !== ALL_TAGS) query.set('tag', tag);
  if (archived) query.set('archived', 'true');
  return query;
}

/** Prompts whose name, key, description or tags contain the search text and that carry the tag. */
export function filterPrompts(prompts: readonly Prompt[], filter: ListFilter): Prompt[] {
  const wanted = filter.search.trim().toLowerCase();
  return prompts.filter(({ name, key, description, tags }) => {
    if (filter.tag !== ALL_TAGS && !tags.includes(filter.tag)) return false;
    const texts = [name, key, description ?? '', ...tags];
    return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
  });
}

/** The tags of all prompts: unique, in alphabetical order. */
export function tagOptions(prompts: readonly Prompt[]): string[] {
  return [...new Set(prompts.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));
}
