import { Badge } from '@/components/ui/badge';
import { cn } from '@/lib/cn';

/** Tags a card shows before it counts the rest. */
export const CARD_TAGS = 3;

interface TagListProps {
  tags: readonly string[];
  /** How many to show; the rest become `+N`. All without. */
  limit?: number;
  className?: string;
}

export function TagList({ tags, limit = tags.length, className }: TagListProps) {
  if (tags.length === 0) return null;
  const rest = tags.slice(limit);
  return (
    <ul aria-label="Tags" className={cn('flex min-w-0 flex-wrap gap-1.5', className)}>
      {tags.slice(0, limit).map((tag) => (
        <li key={tag} className="flex max-w-full min-w-0">
          <Badge>
            <span className="truncate">{tag}</span>
          </Badge>
        </li>
      ))}
      {rest.length > 0 && (
        <li className="flex shrink-0">
          <Badge title={rest.join(', ')}>+{rest.length}</Badge>
        </li>
      )}
    </ul>
  );
}
