import {
  SHARE_LIMIT,
  ShareTooLargeError,
  decodeShare,
  encodeShare,
  sharedPart,
  type SharedState,
} from './share-state';

const state: SharedState = {
  template: 'Hallo {name} 👩‍👩‍👧 "é"',
  prompt: 'welcome',
  values: { name: 'Ada' },
  types: { name: 'text' },
};

const encode = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, '');

test('a state survives the link', () => {
  const encoded = encodeShare(state);
  expect(encoded).toMatch(/^[\w-]+$/);
  expect(decodeShare(encoded)).toEqual(state);
});

test('a state that is too large for a link is refused both ways', () => {
  expect(() => encodeShare({ ...state, template: 'x'.repeat(SHARE_LIMIT) })).toThrow(
    ShareTooLargeError,
  );
  expect(decodeShare('A'.repeat(SHARE_LIMIT + 1))).toBeUndefined();
});

test.each([
  '',
  '%',
  'bm90IGpzb24',
  encode(null),
  encode({ v: 2, template: '' }),
  encode({ v: 1 }),
  encode({ v: 1, template: 1 }),
  encode({ v: 1, template: '', values: { a: 1 } }),
  encode({ v: 1, template: '', types: { a: 'colour' } }),
])('%j is not a state', (encoded) => {
  expect(decodeShare(encoded)).toBeUndefined();
});

test('links carry the state behind the hash, older ones in the query', () => {
  expect(sharedPart({ hash: '#shared=abc', search: '?shared=old' })).toBe('abc');
  expect(sharedPart({ hash: '', search: '?shared=old' })).toBe('old');
  expect(sharedPart({ hash: '#top', search: '' })).toBeUndefined();
});
