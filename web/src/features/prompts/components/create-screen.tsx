import { FlaskConical } from 'lucide-react';
import { useRef, useState, type SubmitEvent } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { PageHeader } from '@/components/page-header';
import { Button } from '@/components/ui/button';
import { paths } from '@/config/paths';
import {
  EMPTY_DRAFT,
  checkDraft,
  differs,
  serverProblem,
  type FormProblem,
  type PromptDraft,
} from '@/features/prompts/form-state';
import { deriveKey, randomKey } from '@/features/prompts/key';
import { useFocusFirstError } from '@/features/prompts/use-focus-first-error';
import { useUnsavedGuard } from '@/features/prompts/use-unsaved-guard';
import { usePageTitle } from '@/hooks/use-page-title';
import { useModShortcut } from '@/hooks/use-mod-shortcut';
import { playgroundHref, storeHandoff } from '@/lib/playground-link';
import { statusOf } from '@/lib/prompt-api/errors';
import { useCreatePrompt } from '@/lib/prompt-api/mutations';
import { BackLink } from './back-link';
import { FormError } from './form-error';
import { FormSide } from './form-side';
import { KeyField } from './key-field';
import { TagInput } from './tag-input';
import { TemplateField } from './template-field';
import { DescriptionField, NameField } from './text-fields';

/** The draft, with a key that follows the name until it is written by hand. */
function useDraft() {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [ownKey, setOwnKey] = useState(false);
  const change = (part: Partial<PromptDraft>) => {
    setDraft((current) => ({ ...current, ...part }));
  };
  const changeName = (name: string) => {
    const derived = deriveKey(name);
    const key = derived === '' && name.trim() !== '' ? keptOrRandom(draft.key) : derived;
    change(ownKey ? { name } : { name, key });
  };
  const changeKey = (key: string) => {
    setOwnKey(key !== '');
    change({ key });
  };
  return { draft, change, changeName, changeKey };
}

function keptOrRandom(key: string): string {
  return /^prompt-[0-9a-f]{6}$/.test(key) ? key : randomKey();
}

/** Saves the draft once; a second press while it is being sent does nothing. */
function useCreate(draft: PromptDraft, release: () => void) {
  const navigate = useNavigate();
  const create = useCreatePrompt();
  const [problem, setProblem] = useState<FormProblem>();
  const submit = async () => {
    if (create.isPending) return;
    const invalid = checkDraft(draft);
    setProblem(invalid);
    if (invalid) return;
    try {
      const prompt = await create.mutateAsync({ ...draft, name: draft.name.trim() });
      release();
      await navigate(paths.prompt.getHref(prompt.id));
    } catch (error) {
      const found = serverProblem(error, 'Failed to create prompt');
      // Nothing but the key of a new prompt can be taken already.
      if (statusOf(error) === 409) found.fields.key ??= found.message;
      setProblem(found);
    }
  };
  return { submit, problem, pending: create.isPending };
}

export function CreateScreen() {
  usePageTitle('New prompt', 'Prompts');
  const { draft, change, changeName, changeKey } = useDraft();
  const { release, dialog } = useUnsavedGuard(differs(draft, EMPTY_DRAFT));
  const { submit, problem, pending } = useCreate(draft, release);
  const form = useRef<HTMLFormElement>(null);
  const errors = problem?.fields ?? {};
  useFocusFirstError(form, problem);
  useModShortcut('s', () => void submit());
  useModShortcut('enter', () => void submit());

  return (
    <>
      <PageHeader
        above={<BackLink to={paths.prompts.getHref()}>Prompts</BackLink>}
        title="Create Prompt"
      />
      <form
        ref={form}
        noValidate
        aria-label="New prompt"
        className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]"
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="grid min-w-0 grid-cols-1 content-start gap-5">
          <div className="grid items-start gap-5 sm:grid-cols-2">
            <NameField value={draft.name} error={errors.name} onChange={changeName} />
            <KeyField value={draft.key} error={errors.key} onChange={changeKey} />
          </div>
          <DescriptionField
            value={draft.description}
            error={errors.description}
            onChange={(description) => {
              change({ description });
            }}
          />
          <TemplateField
            value={draft.template}
            error={errors.template}
            onChange={(template) => {
              change({ template });
            }}
          />
          <TagInput
            tags={draft.tags}
            onChange={(tags) => {
              change({ tags });
            }}
          />
          {problem && <FormError message={problem.message} details={problem.details} />}
          <FormActions template={draft.template} pending={pending} />
        </div>
        <FormSide template={draft.template} />
      </form>
      {dialog}
    </>
  );
}

function FormActions({ template, pending }: { template: string; pending: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t pt-5">
      <Button
        type="submit"
        variant="primary"
        pending={pending}
        aria-keyshortcuts="Control+S Meta+S"
      >
        {pending ? 'Creating...' : 'Create'}
      </Button>
      <Button asChild>
        <Link
          to={playgroundHref(template)}
          onClick={() => {
            storeHandoff(template);
          }}
        >
          <FlaskConical aria-hidden="true" />
          Test
        </Link>
      </Button>
      <Button asChild variant="ghost">
        <Link to={paths.prompts.getHref()}>Cancel</Link>
      </Button>
    </div>
  );
}
