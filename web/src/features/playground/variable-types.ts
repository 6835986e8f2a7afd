/** The types a playground variable can have, how one is guessed from a name, and what it accepts. */

export const VARIABLE_TYPES = ['text', 'email', 'url', 'date', 'number'] as const;

export type VariableType = (typeof VARIABLE_TYPES)[number];

/** Words that decide a type when they are a whole part of a name, as in `user_email`. */
const TYPE_WORDS: readonly [VariableType, readonly string[]][] = [
  ['email', ['email', 'mail']],
  ['url', ['url', 'link', 'website']],
  ['date', ['date', 'time', 'day']],
  ['number', ['count', 'number', 'age', 'year']],
];

/**
 * Words that decide it anywhere in a name. The others would misfire: `language` contains `age`,
 * `update` contains `date`.
 */
const CONTAINED_WORDS: readonly [VariableType, readonly string[]][] = [
  ['email', ['email']],
  ['url', ['website', 'url']],
  ['number', ['number']],
];

/** The words of a name: `userEmail`, `user_email` and `user-email` have the same two. */
function nameWords(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]+/);
}

function find(
  table: readonly [VariableType, readonly string[]][],
  matches: (word: string) => boolean,
): VariableType | undefined {
  return table.find(([, words]) => words.some(matches))?.[0];
}

/** What a variable of this name probably holds. */
export function guessType(name: string): VariableType {
  const words = new Set(nameWords(name));
  const lower = name.toLowerCase();
  return (
    find(TYPE_WORDS, (word) => words.has(word)) ??
    find(CONTAINED_WORDS, (word) => lower.includes(word)) ??
    'text'
  );
}

function isEmail(value: string): boolean {
  if (/\s/.test(value)) return false;
  const [local, domain, ...more] = value.split('@');
  if (!local || !domain || more.length > 0) return false;
  const dot = domain.indexOf('.', 1);
  return dot !== -1 && dot < domain.length - 1;
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const date = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}

const CHECKS: Record<VariableType, { accepts: (value: string) => boolean; message: string }> = {
  text: { accepts: () => true, message: '' },
  email: { accepts: isEmail, message: 'Please enter a valid email address' },
  url: {
    accepts: (value) => /^https?:\/\//.test(value),
    message: 'Please enter a valid URL (starting with http:// or https://)',
  },
  date: { accepts: isDate, message: 'Please enter a valid date (YYYY-MM-DD)' },
  number: {
    accepts: (value) => value.trim() !== '' && Number.isFinite(Number(value)),
    message: 'Please enter a valid number',
  },
};

/** Whether a value fits its type, and what to say when it does not. */
export interface Validation {
  isValid: boolean;
  message: string;
}

/** Checks a value; an empty one fits every type. */
export function validateValue(type: VariableType, value: string): Validation {
  const { accepts, message } = CHECKS[type];
  const isValid = value === '' || accepts(value);
  return { isValid, message: isValid ? '' : message };
}
