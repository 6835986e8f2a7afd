import { readFileSync } from 'node:fs';
import { act, renderHook } from '@testing-library/react';
import { setTheme, useTheme, watchTheme } from './theme';

const isDark = () => document.documentElement.classList.contains('dark');

let systemDark = false;
let systemChanged: () => void = () => undefined;

beforeEach(() => {
  systemDark = false;
  jest.spyOn(window, 'matchMedia').mockImplementation(
    () =>
      ({
        get matches() {
          return systemDark;
        },
        addEventListener: (_type: string, listener: () => void) => {
          systemChanged = listener;
        },
        removeEventListener: () => undefined,
      }) as unknown as MediaQueryList,
  );
  document.documentElement.className = '';
});

test('the choice is applied, kept and told', () => {
  const { result } = renderHook(() => useTheme());
  expect(result.current[0]).toBe('auto');
  act(() => setTheme('dark'));
  expect(isDark()).toBe(true);
  expect(result.current[0]).toBe('dark');
  expect(window.localStorage.getItem('wildfire-theme')).toBe('dark');
  act(() => setTheme('light'));
  expect(isDark()).toBe(false);
});

test('a switch ends with transitions as they were', () => {
  let duringSwitch = '';
  const offsetHeight = jest.spyOn(HTMLElement.prototype, 'offsetHeight', 'get');
  offsetHeight.mockImplementation(function (this: HTMLElement) {
    duringSwitch = this.className;
    return 0;
  });
  act(() => setTheme('dark'));
  offsetHeight.mockRestore();
  expect(duringSwitch.split(' ').sort()).toEqual(['dark', 'theme-switching']);
  expect(document.documentElement.className).toBe('dark');
});

test('auto follows the system while it changes; a choice does not', () => {
  const stop = watchTheme();
  systemDark = true;
  systemChanged();
  expect(isDark()).toBe(true);
  act(() => setTheme('light'));
  systemChanged();
  expect(isDark()).toBe(false);
  stop();
});

test('the choice made in another tab arrives', () => {
  const stop = watchTheme();
  window.localStorage.setItem('wildfire-theme', 'dark');
  window.dispatchEvent(new StorageEvent('storage', { key: 'wildfire-theme' }));
  expect(isDark()).toBe(true);
  stop();
});

test('an unknown stored value counts as auto', () => {
  window.localStorage.setItem('wildfire-theme', 'sepia');
  expect(renderHook(() => useTheme()).result.current[0]).toBe('auto');
});

describe('theme.js, which runs before the first paint', () => {
  const script = readFileSync('public/theme.js', 'utf8');
  // The file is a script of the page and not a module.
  const run = () => (new Function(script) as () => void)();

  test.each([
    ['dark', false, true],
    ['light', true, false],
    ['auto', true, true],
    ['auto', false, false],
    [null, true, true],
  ])('stored %p with a dark system %p', (stored, system, dark) => {
    systemDark = system;
    if (stored) window.localStorage.setItem('wildfire-theme', stored);
    run();
    expect(isDark()).toBe(dark);
  });
});
