import { useState } from 'react';
import type { LoadedPrompt, PromptChanges } from '@/lib/prompt-api/client';
import { statusOf } from '@/lib/prompt-api/errors';
import { PartialSaveError, useSavePrompt } from '@/lib/prompt-api/mutations';
import {
  checkDraft,
  differs,
  sameTags,
  serverProblem,
  type FormProblem,
  type PromptDraft,
} from './form-state';

/** A problem of saving; a conflict can be settled by taking or overwriting the other version. */
export interface SaveProblem extends FormProblem {
  conflict?: boolean;
}

const CONFLICT_MESSAGE = 'Someone else saved this prompt while you were editing it.';

export function draftOf(prompt: LoadedPrompt): PromptDraft {
  return {
    name: prompt.name,
    key: prompt.key,
    description: prompt.description ?? '',
    template: prompt.current_version?.template ?? '',
    tags: prompt.tags,
  };
}

function changesOf(draft: PromptDraft, stored: PromptDraft): PromptChanges {
  return {
    ...(draft.name === stored.name ? {} : { name: draft.name.trim() }),
    ...(draft.description === stored.description ? {} : { description: draft.description }),
    ...(sameTags(draft.tags, stored.tags) ? {} : { tags: draft.tags }),
  };
}

function saveProblem(error: unknown): SaveProblem {
  if (error instanceof PartialSaveError) {
    return { ...serverProblem(error.cause, 'Failed to save prompt'), message: error.message };
  }
  const problem = serverProblem(error, 'Failed to save prompt');
  return statusOf(error) === 412
    ? { ...problem, message: CONFLICT_MESSAGE, conflict: true }
    : problem;
}

/** One's own changes on top of what someone else saved: fields one left alone are theirs. */
function merge(draft: PromptDraft, before: PromptDraft, theirs: PromptDraft): PromptDraft {
  return {
    key: theirs.key,
    name: draft.name === before.name ? theirs.name : draft.name,
    description: draft.description === before.description ? theirs.description : draft.description,
    template: draft.template === before.template ? theirs.template : draft.template,
    tags: sameTags(draft.tags, before.tags) ? theirs.tags : draft.tags,
  };
}

/** The edit form's state: the draft, what it is compared with, and how saving it goes. */
export function useEdit(loaded: LoadedPrompt, onSaved: () => void) {
  const [base, setBase] = useState(loaded);
  const stored = draftOf(base);
  const [draft, setDraft] = useState(stored);
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<SaveProblem>();
  const save = useSavePrompt();
  const dirty = differs(draft, stored);
  const templateChanged = draft.template !== stored.template;

  const submit = async () => {
    if (save.isPending || !dirty) return;
    const found = checkDraft(draft);
    setProblem(found);
    if (found) return;
    try {
      await save.mutateAsync({
        prompt: base,
        changes: changesOf(draft, stored),
        ...(templateChanged ? { template: draft.template, message: message.trim() } : {}),
      });
      onSaved();
    } catch (error) {
      setProblem(saveProblem(error));
    }
  };

  return {
    draft,
    message,
    setMessage,
    problem,
    dirty,
    templateChanged,
    nextVersion: (base.current_version?.version ?? 0) + 1,
    pending: save.isPending,
    submit,
    change: (part: Partial<PromptDraft>) => {
      setDraft((current) => ({ ...current, ...part }));
    },
    /** Takes a newer answer of the server as what is stored; keeps or drops one's own changes. */
    rebase: (newer: LoadedPrompt, keepDraft: boolean) => {
      setBase(newer);
      setProblem(undefined);
      setDraft(keepDraft ? merge(draft, stored, draftOf(newer)) : draftOf(newer));
    },
  };
}
