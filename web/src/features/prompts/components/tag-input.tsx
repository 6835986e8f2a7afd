import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { TAG_LIMIT, TAGS_LIMIT, addTag } from '@/features/prompts/key';

interface TagInputProps {
  tags: readonly string[];
  onChange: (tags: string[]) => void;
}

/** Tags are added with Enter and removed with a click. */
export function TagInput({ tags, onChange }: TagInputProps) {
  const id = useId();
  const [entered, setEntered] = useState('');
  const add = () => {
    onChange(addTag(tags, entered));
    setEntered('');
  };
  return (
    <div className="grid gap-1.5">
      <Label htmlFor={id}>Tags</Label>
      {tags.length > 0 && (
        <ul aria-label="Chosen tags" className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag} className="max-w-full">
              <button
                type="button"
                aria-label={`Remove tag ${tag}`}
                className="inline-flex h-7 max-w-full items-center gap-1 rounded-sm border bg-raised pr-1.5 pl-2 text-xs font-medium text-muted hover:border-danger/40 hover:text-danger pointer-coarse:h-11"
                onClick={() => {
                  onChange(tags.filter((other) => other !== tag));
                }}
              >
                <span className="truncate">{tag}</span>
                <X aria-hidden="true" className="size-3 shrink-0" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <Input
        id={id}
        value={entered}
        maxLength={TAG_LIMIT}
        enterKeyHint="done"
        autoComplete="off"
        disabled={tags.length >= TAGS_LIMIT}
        placeholder="Type a tag and press Enter"
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          setEntered(event.target.value);
        }}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
          // Enter adds the tag; it must not send the form.
          event.preventDefault();
          if (!event.nativeEvent.isComposing) add();
        }}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        {tags.length >= TAGS_LIMIT
          ? `At most ${String(TAGS_LIMIT)} tags. Click one to remove it.`
          : 'Press Enter to add a tag, click a tag to remove it.'}
      </p>
    </div>
  );
}
