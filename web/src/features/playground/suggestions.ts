/**
 * Variables worth adding to a template, chosen by words it already contains.
 *
 * They are offered as chips and never put into a template without being asked for.
 */
import { variableNames } from '@/lib/compile/compile';
import type { VariableType } from './variable-types';

export interface Suggestion {
  name: string;
  type: VariableType;
  placeholder: string;
  /** The suggestion shows when the template contains one of these words, in any case. */
  triggers: readonly string[];
}

export const SUGGESTIONS: readonly Suggestion[] = [
  {
    name: 'persona',
    type: 'text',
    placeholder: 'a patient teacher',
    triggers: ['you', 'act', 'role', 'assistant', 'expert'],
  },
  {
    name: 'tone',
    type: 'text',
    placeholder: 'friendly',
    triggers: ['tone', 'style', 'voice', 'write', 'reply'],
  },
  {
    name: 'format',
    type: 'text',
    placeholder: 'a bulleted list',
    triggers: ['format', 'json', 'markdown', 'list', 'table', 'output'],
  },
  {
    name: 'user_name',
    type: 'text',
    placeholder: 'Ada',
    triggers: ['user', 'customer', 'hello', 'hi', 'dear', 'greet'],
  },
  {
    name: 'user_email',
    type: 'email',
    placeholder: 'ada@example.com',
    triggers: ['email', 'mail', 'contact'],
  },
  {
    name: 'task',
    type: 'text',
    placeholder: 'summarise the text',
    triggers: ['task', 'goal', 'objective', 'help'],
  },
  {
    name: 'context',
    type: 'text',
    placeholder: 'what the model should know',
    triggers: ['context', 'background', 'document', 'following', 'based'],
  },
  {
    name: 'language',
    type: 'text',
    placeholder: 'English',
    triggers: ['language', 'translate', 'translation', 'english'],
  },
  {
    name: 'audience',
    type: 'text',
    placeholder: 'new customers',
    triggers: ['audience', 'reader', 'readers', 'explain'],
  },
  {
    name: 'output_length',
    type: 'text',
    placeholder: '3 sentences',
    triggers: [
      'length',
      'short',
      'long',
      'words',
      'sentences',
      'summary',
      'summarise',
      'summarize',
    ],
  },
  {
    name: 'industry',
    type: 'text',
    placeholder: 'logistics',
    triggers: ['industry', 'market', 'business', 'sector', 'company'],
  },
  {
    name: 'website_url',
    type: 'url',
    placeholder: 'https://example.com',
    triggers: ['website', 'site', 'url', 'page', 'link'],
  },
  {
    name: 'deadline',
    type: 'date',
    placeholder: '2026-12-31',
    triggers: ['deadline', 'due', 'schedule', 'urgent'],
  },
];

export function findSuggestion(name: string): Suggestion | undefined {
  return SUGGESTIONS.find((suggestion) => suggestion.name === name);
}

/** Suggestions the template's words call for and that it does not use yet. */
export function suggestVariables(template: string): Suggestion[] {
  const words = new Set(template.toLowerCase().split(/[^a-z]+/));
  const used = new Set(variableNames(template));
  return SUGGESTIONS.filter(
    ({ name, triggers }) => !used.has(name) && triggers.some((word) => words.has(word)),
  );
}
