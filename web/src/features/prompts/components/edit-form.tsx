import { useRef, type SubmitEvent } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { Button } from '@/components/ui/button';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { Input } from '@/components/ui/input';
import { paths } from '@/config/paths';
import { useEdit } from '@/features/prompts/use-edit';
import { useFocusFirstError } from '@/features/prompts/use-focus-first-error';
import { useUnsavedGuard } from '@/features/prompts/use-unsaved-guard';
import { useModShortcut } from '@/hooks/use-mod-shortcut';
import { cn } from '@/lib/cn';
import type { LoadedPrompt } from '@/lib/prompt-api/client';
import { FormError } from './form-error';
import { FormSide } from './form-side';
import { TagInput } from './tag-input';
import { TemplateField } from './template-field';
import { DescriptionField, NameField } from './text-fields';

interface EditFormProps {
  loaded: LoadedPrompt;
  /** Asks the server for the prompt as it is now. */
  onReload: () => Promise<LoadedPrompt | undefined>;
}

export function EditForm({ loaded, onReload }: EditFormProps) {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const done = useRef<() => void>(undefined);
  const edit = useEdit(loaded, () => done.current?.());
  const { draft, problem, change } = edit;
  const { release, dialog } = useUnsavedGuard(edit.dirty);
  const errors = problem?.fields ?? {};
  useFocusFirstError(form, problem);

  const leave = () => {
    release();
    void navigate(paths.prompt.getHref(loaded.id));
  };
  const submit = () => {
    done.current = leave;
    void edit.submit();
  };
  const settle = async (keepDraft: boolean) => {
    const newer = await onReload();
    if (newer) edit.rebase(newer, keepDraft);
  };
  useModShortcut('s', submit);
  useModShortcut('enter', submit);

  return (
    <>
      <form
        ref={form}
        noValidate
        aria-label="Edit prompt"
        className="grid grid-cols-1 gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]"
        onSubmit={(event: SubmitEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="grid min-w-0 grid-cols-1 content-start gap-5">
          <div className="grid items-start gap-5 sm:grid-cols-2">
            <NameField
              value={draft.name}
              error={errors.name}
              onChange={(name) => {
                change({ name });
              }}
            />
            <Field label="Key" hint="The key cannot be changed.">
              {(control) => <Input {...control} readOnly value={draft.key} className="font-mono" />}
            </Field>
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
          {edit.templateChanged && <MessageField value={edit.message} onChange={edit.setMessage} />}
          <TagInput
            tags={draft.tags}
            onChange={(tags) => {
              change({ tags });
            }}
          />
          {problem && (
            <FormError message={problem.message} details={problem.details}>
              {problem.conflict && <ConflictActions onSettle={settle} />}
            </FormError>
          )}
          <SaveBar id={loaded.id} dirty={edit.dirty} pending={edit.pending} />
        </div>
        <FormSide template={draft.template}>
          <VersionInfo next={edit.nextVersion} templateChanged={edit.templateChanged} />
        </FormSide>
      </form>
      {dialog}
    </>
  );
}

function MessageField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field label="What changed" hint="Shown in the version history. Optional.">
      {(control) => (
        <Input
          {...control}
          value={value}
          maxLength={200}
          placeholder="e.g. Friendlier greeting"
          onChange={(event) => {
            onChange(event.target.value);
          }}
        />
      )}
    </Field>
  );
}

function ConflictActions({ onSettle }: { onSettle: (keepDraft: boolean) => Promise<void> }) {
  return (
    <>
      <Button size="sm" onClick={() => void onSettle(false)}>
        Load their version
      </Button>
      <Button size="sm" onClick={() => void onSettle(true)}>
        Keep my changes
      </Button>
    </>
  );
}

function SaveBar({ id, dirty, pending }: { id: number; dirty: boolean; pending: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-t pt-5">
      <Button
        type="submit"
        variant="primary"
        disabled={!dirty || pending}
        pending={pending}
        aria-keyshortcuts="Control+S Meta+S"
      >
        {pending ? 'Saving...' : 'Save Changes'}
      </Button>
      <Button asChild variant="ghost">
        <Link to={paths.prompt.getHref(id)}>Cancel</Link>
      </Button>
      <p role="status" className="ml-auto flex items-center gap-2 text-sm text-muted">
        <span
          aria-hidden="true"
          className={cn('size-2 rounded-full', dirty ? 'bg-warning' : 'bg-border')}
        />
        {dirty ? 'You have unsaved changes' : 'No changes'}
      </p>
    </div>
  );
}

function VersionInfo({ next, templateChanged }: { next: number; templateChanged: boolean }) {
  return (
    <Card>
      <CardHeader title="Version Info" />
      <CardBody className="pt-2 text-sm text-muted">
        {templateChanged ? (
          <p>
            Saving creates <span className="font-mono font-medium text-foreground">v{next}</span>.
            Earlier versions stay in the history.
          </p>
        ) : (
          <p>
            Saving a changed template creates version{' '}
            <span className="font-mono font-medium text-foreground">{next}</span>. Name, description
            and tags change without a new version.
          </p>
        )}
      </CardBody>
    </Card>
  );
}
