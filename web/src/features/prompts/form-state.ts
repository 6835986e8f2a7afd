/** What the create and edit forms hold, and the rules they share. */
import { friendlyMessage, fieldProblems } from '@/lib/prompt-api/errors';
import { REQUIRED_MESSAGE, keyProblem } from './key';
import { sizeNote } from './template-size';

export interface PromptDraft {
  name: string;
  key: string;
  description: string;
  template: string;
  tags: string[];
}

export const EMPTY_DRAFT: PromptDraft = {
  name: '',
  key: '',
  description: '',
  template: '',
  tags: [],
};

export type FieldErrors = Partial<Record<keyof PromptDraft, string>>;

/** Why a form cannot be or was not saved. */
export interface FormProblem {
  message: string;
  /** The full text of a failure. */
  details?: string;
  fields: FieldErrors;
}

/** What is wrong with a draft before it is sent; undefined when nothing is. */
export function checkDraft(draft: PromptDraft): FormProblem | undefined {
  const fields: FieldErrors = {};
  if (draft.name.trim() === '') fields.name = 'Enter a name';
  if (draft.key === '') fields.key = 'Enter a key';
  if (draft.template.trim() === '') fields.template = 'Enter a template';
  if (Object.keys(fields).length > 0) return { message: REQUIRED_MESSAGE, fields };
  const key = keyProblem(draft.key);
  if (key !== undefined) return { message: key, fields: { key } };
  const template = sizeNote(draft.template).problem;
  return template === undefined ? undefined : { message: template, fields: { template } };
}

/** What the server said about a draft that was sent. */
export function serverProblem(error: unknown, fallback: string): FormProblem {
  const fields: FieldErrors = {};
  for (const { field, message } of fieldProblems(error)) {
    if (field in EMPTY_DRAFT) fields[field as keyof PromptDraft] = message;
  }
  return {
    message: friendlyMessage(error, fallback),
    ...(error instanceof Error ? { details: error.message } : {}),
    fields,
  };
}

export function sameTags(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((tag, index) => tag === right[index]);
}

/** Whether a draft differs from another in anything that is saved. */
export function differs(draft: PromptDraft, from: PromptDraft): boolean {
  return (
    draft.name !== from.name ||
    draft.key !== from.key ||
    draft.description !== from.description ||
    draft.template !== from.template ||
    !sameTags(draft.tags, from.tags)
  );
}
