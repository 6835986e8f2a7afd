import { act, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { setShortcutsEnabled, useShortcut, useShortcutsEnabled } from './shortcuts';

const onCreate = jest.fn();
const onDashboard = jest.fn();

function Page({ children }: { children?: React.ReactNode }) {
  useShortcut('c', onCreate);
  useShortcut('g d', onDashboard);
  return <div>{children}</div>;
}

beforeEach(() => {
  onCreate.mockReset();
  onDashboard.mockReset();
});

test('single keys and chords run', async () => {
  const user = userEvent.setup();
  render(<Page />);
  await user.keyboard('c');
  expect(onCreate).toHaveBeenCalledTimes(1);
  await user.keyboard('gd');
  expect(onDashboard).toHaveBeenCalledTimes(1);
  await user.keyboard('d');
  expect(onDashboard).toHaveBeenCalledTimes(1);
});

test('they rest while one types', async () => {
  const user = userEvent.setup();
  render(
    <Page>
      <input aria-label="Name" />
    </Page>,
  );
  await user.type(screen.getByLabelText('Name'), 'cgd');
  expect(onCreate).not.toHaveBeenCalled();
  expect(onDashboard).not.toHaveBeenCalled();
});

test('keys with Ctrl, Alt or Cmd are not theirs', async () => {
  const user = userEvent.setup();
  render(<Page />);
  await user.keyboard('{Control>}c{/Control}{Meta>}c{/Meta}{Alt>}c{/Alt}');
  expect(onCreate).not.toHaveBeenCalled();
});

test('an open dialog owns the keyboard', async () => {
  const user = userEvent.setup();
  render(
    <Page>
      <div role="dialog" data-state="open" />
    </Page>,
  );
  await user.keyboard('c');
  expect(onCreate).not.toHaveBeenCalled();
});

test('they can be switched off and on', async () => {
  const user = userEvent.setup();
  render(<Page />);
  const { result } = renderHook(() => useShortcutsEnabled());
  act(() => setShortcutsEnabled(false));
  expect(result.current).toBe(false);
  await user.keyboard('c');
  expect(onCreate).not.toHaveBeenCalled();
  act(() => setShortcutsEnabled(true));
  await user.keyboard('c');
  expect(onCreate).toHaveBeenCalledTimes(1);
});

test('nothing is left after the page is gone', async () => {
  const user = userEvent.setup();
  render(<Page />).unmount();
  await user.keyboard('c');
  expect(onCreate).not.toHaveBeenCalled();
});
