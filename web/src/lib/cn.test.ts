import { cn } from './cn';

test('later classes win over earlier ones of the same kind', () => {
  expect(cn('px-2 text-sm', false, ['px-4'], { 'text-base': true })).toBe('px-4 text-base');
  expect(cn('text-muted', 'text-xs')).toBe('text-muted text-xs');
});
