import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { SUCCESS_TOAST_MS, toast } from '@/lib/toast';
import { Button } from './button';
import { Dialog, DialogContent, DialogTrigger } from './dialog';
import { EmptyState } from './empty-state';
import { ErrorNotice } from './error-notice';
import { Field } from './field';
import { Input } from './input';
import { PageSpinner } from './spinner';
import { Tabs, TabsContent, TabsList, TabsTrigger } from './tabs';
import { TemplateText } from './template-text';
import { ToastHost } from './toast-host';

test('a pending button keeps its words and refuses presses', async () => {
  const press = jest.fn();
  render(
    <Button pending onClick={press}>
      Saving...
    </Button>,
  );
  const button = screen.getByRole('button', { name: 'Saving...' });
  expect(button).toBeDisabled();
  await userEvent.click(button);
  expect(press).not.toHaveBeenCalled();
});

test('a button can be a link', () => {
  render(
    <Button asChild variant="primary">
      <a href="/waitlist">Join</a>
    </Button>,
  );
  expect(screen.getByRole('link', { name: 'Join' })).toHaveClass('fill-ember');
});

test('a button that is a link keeps the handlers of both', async () => {
  const calls: string[] = [];
  render(
    <Button asChild onClick={() => calls.push('button')} className="px-9">
      <a
        href="#here"
        className="underline"
        onClick={(event) => {
          calls.push('link');
          if (calls.length > 2) event.preventDefault();
        }}
      >
        Go
      </a>
    </Button>,
  );
  const link = screen.getByRole('link', { name: 'Go' });
  expect(link).toHaveClass('px-9', 'underline');
  await userEvent.click(link);
  await userEvent.click(link);
  expect(calls).toEqual(['link', 'button', 'link']);
});

test('a field ties label, hint and error to its control', async () => {
  const { container } = render(
    <Field label="Key" hint="Lower case" error="Taken">
      {(control) => <Input {...control} />}
    </Field>,
  );
  const input = screen.getByLabelText('Key');
  expect(input).toHaveAccessibleDescription('Lower case Taken');
  expect(input).toBeInvalid();
  expect(screen.getByRole('alert')).toHaveTextContent('Taken');
  expect(await axe(container)).toHaveNoViolations();
});

test('an error notice has a plain line, details and a way on', async () => {
  const retry = jest.fn();
  const { container } = render(
    <ErrorNotice message="It failed" details="API request failed: 500 boom" onRetry={retry} />,
  );
  const alert = screen.getByRole('alert');
  expect(within(alert).getByText('It failed')).toBeVisible();
  await userEvent.click(within(alert).getByText('Details'));
  expect(within(alert).getByText('API request failed: 500 boom')).toBeVisible();
  await userEvent.click(within(alert).getByRole('button', { name: 'Try Again' }));
  expect(retry).toHaveBeenCalled();
  expect(await axe(container)).toHaveNoViolations();
});

test('details that only repeat the message are left out', () => {
  render(<ErrorNotice message="It failed" details="It failed" />);
  expect(screen.queryByText('Details')).not.toBeInTheDocument();
});

test('an empty state names what is missing and the way on', () => {
  render(<EmptyState title="No prompts yet" actions={<a href="/prompts/new">Create</a>} />);
  expect(screen.getByRole('heading', { name: 'No prompts yet' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Create' })).toBeVisible();
});

test('a page spinner says what loads', () => {
  render(<PageSpinner label="Loading prompts..." />);
  expect(screen.getByRole('status')).toHaveTextContent('Loading prompts...');
});

test('a dialog has a name and a text, closes on Escape and gives the focus back', async () => {
  const user = userEvent.setup();
  render(
    <Dialog>
      <DialogTrigger>Open</DialogTrigger>
      <DialogContent title="Restore v3" description="Creates version 5." />
    </Dialog>,
  );
  await user.click(screen.getByRole('button', { name: 'Open' }));
  const dialog = screen.getByRole('dialog', { name: 'Restore v3' });
  expect(dialog).toHaveAccessibleDescription('Creates version 5.');
  await user.keyboard('{Escape}');
  expect(dialog).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Open' })).toHaveFocus();
});

test('a dialog that no button opens gives the focus back, too', async () => {
  const user = userEvent.setup();
  const dialog = (open: boolean) => (
    <>
      <input aria-label="Search" />
      <Dialog open={open}>
        <DialogContent title="Leave?" />
      </Dialog>
    </>
  );
  const { rerender } = render(dialog(false));
  await user.click(screen.getByLabelText('Search'));
  rerender(dialog(true));
  expect(screen.getByLabelText('Search')).not.toHaveFocus();
  rerender(dialog(false));
  await waitFor(() => expect(screen.getByLabelText('Search')).toHaveFocus());
});

test('tabs are reached by arrows, Home and End, and tell which one is open', async () => {
  const user = userEvent.setup();
  const change = jest.fn();
  const { container } = render(
    <Tabs defaultValue="a" onValueChange={change}>
      <TabsList aria-label="Letters">
        <TabsTrigger value="a">A</TabsTrigger>
        <TabsTrigger value="b">B</TabsTrigger>
        <TabsTrigger value="c">C</TabsTrigger>
      </TabsList>
      <TabsContent value="a">first</TabsContent>
      <TabsContent value="b">second</TabsContent>
      <TabsContent value="c">third</TabsContent>
    </Tabs>,
  );
  await user.tab();
  expect(screen.getByRole('tab', { name: 'A' })).toHaveFocus();
  for (const [key, name, text] of [
    ['{ArrowLeft}', 'C', 'third'],
    ['{Home}', 'A', 'first'],
    ['{ArrowRight}', 'B', 'second'],
    ['{End}', 'C', 'third'],
  ] as const) {
    await user.keyboard(key);
    expect(screen.getByRole('tab', { name, selected: true })).toHaveFocus();
    expect(screen.getByRole('tabpanel', { name })).toHaveTextContent(text);
  }
  expect(change).toHaveBeenLastCalledWith('c');
  expect(await axe(container)).toHaveNoViolations();
});

describe('template text', () => {
  const marks = (text: string) => {
    const { container } = render(<TemplateText text={text} />);
    expect(container).toHaveTextContent(text, { normalizeWhitespace: false });
    return [...container.querySelectorAll<HTMLElement>('[data-mark]')].map((mark) => [
      mark.textContent,
      mark.dataset['mark'],
    ]);
  };

  test('tells variables, system variables and escaped names apart', () => {
    expect(marks('Hi {user}, {TODAY} {{kept}} {today} { a }')).toEqual([
      ['{user}', 'variable'],
      ['{TODAY}', 'system'],
      ['{{kept}}', 'escaped'],
      ['{today}', 'variable'],
      ['{ a }', 'variable'],
    ]);
  });

  test('leaves surplus braces and other braces plain', () => {
    expect(marks('{"a": {x}} {{y} {} {1a}')).toEqual([
      ['{x}', 'variable'],
      ['{y}', 'variable'],
    ]);
  });

  test('never makes markup of text', () => {
    const { container } = render(<TemplateText text={'<b>{x}</b><script>1</script>'} />);
    expect(container.querySelector('b, script')).toBeNull();
  });
});

test('a toast waits for the place it appears in', async () => {
  expect(SUCCESS_TOAST_MS).toBe(2000);
  render(<ToastHost />);
  act(() => toast.success('Success!'));
  expect(await screen.findByText('Success!')).toBeVisible();
  act(() => toast.error('It failed'));
  expect(await screen.findByText('It failed')).toBeVisible();
});
