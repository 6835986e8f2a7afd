import { sizeNote } from './template-size';

const KIB = 1024;

test('a template that fits is no problem, and its size is told once there is little room', () => {
  expect(sizeNote('a'.repeat(256 * KIB)).problem).toBeUndefined();
  expect(sizeNote('a'.repeat(256 * KIB)).hint).toBe('256 of 256 KiB');
  expect(sizeNote('a'.repeat(200 * KIB)).hint).toBeUndefined();
  expect(sizeNote('').hint).toBeUndefined();
});

test('a template of one byte too many says so, and is not told to fit', () => {
  const template = 'a'.repeat(256 * KIB + 1);
  expect(sizeNote(template).problem).toBe(
    'The template has 256.1 KiB, and at most 256 KiB can be saved',
  );
  expect(sizeNote(template).hint).toBeUndefined();
});

test('bytes are counted as the server does', () => {
  expect(sizeNote('é'.repeat(128 * KIB)).problem).toBeUndefined();
  expect(sizeNote('é'.repeat(128 * KIB + 1)).problem).toBeDefined();
  expect(sizeNote('\r\n'.repeat(256 * KIB)).problem).toBeUndefined();
});

test('the bytes of a template that is short in any script are not counted', () => {
  const blob = jest.spyOn(global, 'Blob');
  expect(sizeNote('a'.repeat(76 * KIB))).toEqual({});
  expect(blob).not.toHaveBeenCalled();
  blob.mockRestore();
});
