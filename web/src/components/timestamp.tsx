import { formatDate, formatRelative } from '@/lib/dates';

interface TimestampProps {
  /** RFC 3339. */
  value: string;
  /** Says how long ago instead of when; the full date is in the tooltip either way. */
  relative?: boolean;
  className?: string;
}

/** A date in the visitor's own language and time zone. */
export function Timestamp({ value, relative = false, className }: TimestampProps) {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return <span className={className}>—</span>;
  return (
    <time dateTime={value} title={value} className={className}>
      {relative ? formatRelative(date, new Date()) : formatDate(date)}
    </time>
  );
}
