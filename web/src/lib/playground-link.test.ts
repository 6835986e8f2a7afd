import { TEMPLATE_LINK_LIMIT, playgroundHref, readHandoff, storeHandoff } from './playground-link';

const searchOf = (href: string) => new URL(href, 'http://localhost').searchParams;

test('a template travels in the address', () => {
  const template = 'Hello {name} & "{x}" #1';
  const href = playgroundHref(template);
  expect(href.startsWith('/playground?template=')).toBe(true);
  expect(readHandoff(searchOf(href))).toBe(template);
});

test('a long template waits in this tab', () => {
  const template = '{name} '.repeat(TEMPLATE_LINK_LIMIT);
  storeHandoff(template);
  const href = playgroundHref(template);
  expect(href.length).toBeLessThan(100);
  expect(readHandoff(searchOf(href))).toBe(template);
});

test('an address without a template hands nothing over', () => {
  storeHandoff('left from before');
  expect(readHandoff(searchOf('/playground'))).toBeUndefined();
});
