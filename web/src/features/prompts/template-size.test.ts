import { sizeHint, sizeProblem } from './template-size';

const KIB = 1024;

test('a template that fits is no problem, and its size is told once there is little room', () => {
  expect(sizeProblem('a'.repeat(256 * KIB))).toBeUndefined();
  expect(sizeHint('a'.repeat(256 * KIB))).toBe('256 of 256 KiB');
  expect(sizeHint('a'.repeat(200 * KIB))).toBeUndefined();
  expect(sizeHint('')).toBeUndefined();
});

test('a template of one byte too many says so, and is not told to fit', () => {
  const template = 'a'.repeat(256 * KIB + 1);
  expect(sizeProblem(template)).toBe(
    'The template has 256.1 KiB, and at most 256 KiB can be saved',
  );
  expect(sizeHint(template)).toBeUndefined();
});

test('bytes are counted as the server does', () => {
  expect(sizeProblem('é'.repeat(128 * KIB))).toBeUndefined();
  expect(sizeProblem('é'.repeat(128 * KIB + 1))).toBeDefined();
  expect(sizeProblem('\r\n'.repeat(256 * KIB))).toBeUndefined();
});
