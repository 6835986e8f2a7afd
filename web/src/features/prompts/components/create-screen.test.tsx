import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, http } from 'msw';
import { makePrompt } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { CreateScreen } from './create-screen';

jest.mock('@/components/template-editor/code-editor', () => ({
  CodeEditor: jest.requireActual<{ PlainEditor: unknown }>(
    '@/components/template-editor/plain-editor',
  ).PlainEditor,
}));

const show = () => renderScreen(<CreateScreen />, { path: '/prompts/new' });
const field = (name: string | RegExp) => screen.getByRole('textbox', { name });
const createButton = () => screen.getByRole('button', { name: 'Create' });

function accept(): unknown[] {
  const sent: unknown[] = [];
  server.use(
    http.post('*/api/v1/prompts', async ({ request }) => {
      sent.push(await request.json());
      return HttpResponse.json(makePrompt({ id: 12 }), { status: 201 });
    }),
  );
  return sent;
}

async function fill(user: ReturnType<typeof show>['user']) {
  await user.click(field(/^Name/));
  await user.paste('Customer  Welcome!');
  await user.click(field('Description'));
  await user.paste('Greets');
  await user.click(field(/^Template/));
  await user.paste('Hello {name}\nToday is {TODAY}');
  await user.type(field('Tags'), ' mail {Enter}');
}

test('creates a prompt and goes to it', async () => {
  const sent = accept();
  const { user } = show();
  await fill(user);
  expect(field(/^Key/)).toHaveValue('customer-welcome');
  await user.click(createButton());
  expect(await screen.findByText('Went to /prompts/12')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      name: 'Customer  Welcome!',
      key: 'customer-welcome',
      description: 'Greets',
      template: 'Hello {name}\nToday is {TODAY}',
      tags: ['mail'],
    },
  ]);
});

test('has no accessibility problem', async () => {
  const { container, user } = show();
  await fill(user);
  expect(await axe(container)).toHaveNoViolations();
});

test('a key written by hand no longer follows the name', async () => {
  const { user } = show();
  await user.type(field(/^Key/), 'own');
  await user.type(field(/^Name/), 'Welcome');
  expect(field(/^Key/)).toHaveValue('own');
  await user.clear(field(/^Key/));
  await user.type(field(/^Name/), ' Again');
  expect(field(/^Key/)).toHaveValue('welcome-again');
});

test('a name without usable characters gets a stable random key', async () => {
  const { user } = show();
  await user.type(field(/^Name/), '日本語');
  expect(field(/^Key/)).toHaveDisplayValue(/^prompt-[0-9a-f]{6}$/);
});

test('a template too large to be saved is told while it is written, and not sent', async () => {
  const sent = accept();
  const { user } = show();
  await user.type(field(/^Name/), 'Welcome');
  fireEvent.change(field(/^Template/), { target: { value: 'a'.repeat(256 * 1024 + 1) } });
  const said = 'The template has 256.1 KiB, and at most 256 KiB can be saved';
  expect(field(/^Template/)).toHaveAccessibleDescription(said);
  await user.click(createButton());
  expect(field(/^Template/)).toHaveFocus();
  expect(sent).toEqual([]);
});

test('names what is missing and goes to the first empty field', async () => {
  const { user } = show();
  await user.click(createButton());
  expect(screen.getByText('Please fill in all required fields')).toBeInTheDocument();
  expect(field(/^Name/)).toHaveFocus();
  expect(field(/^Name/)).toHaveAccessibleDescription('Enter a name');
  expect(field(/^Template/)).toHaveAccessibleDescription('Enter a template');
});

test('a key outside the rules is refused', async () => {
  const { user } = show();
  await fill(user);
  await user.clear(field(/^Key/));
  await user.type(field(/^Key/), 'Not A Key');
  const message = 'Only lowercase letters, numbers, and hyphens allowed';
  expect(field(/^Key/)).toHaveAccessibleDescription(message);
  await user.click(createButton());
  expect(screen.getAllByText(message).length).toBeGreaterThan(1);
  expect(field(/^Key/)).toHaveFocus();
});

test('tags are added with Enter, without duplicates, and removed with a click', async () => {
  const { user } = show();
  await user.type(field('Tags'), 'a{Enter} a {Enter}b{Enter}{Enter}');
  const tags = () => within(screen.getByRole('list', { name: 'Chosen tags' }));
  expect(tags().getAllByRole('listitem')).toHaveLength(2);
  await user.click(screen.getByRole('button', { name: 'Remove tag a' }));
  expect(tags().getAllByRole('listitem')).toHaveLength(1);
});

test('shows what the template holds, and tips', async () => {
  const { user } = show();
  await fill(user);
  const about = within(screen.getByRole('region', { name: 'About the template' }));
  expect(about.getByRole('heading', { name: 'Detected Variables' })).toBeInTheDocument();
  expect(about.getByRole('heading', { name: 'Tips' })).toBeInTheDocument();
  for (const name of ['{TODAY}', '{NOW}', '{DATE}', '{TIME}']) {
    expect(about.getByText(name)).toBeInTheDocument();
  }
  expect(about.getByText('{name}')).toHaveClass('template-variable');
  const stat = (label: string) => about.getByText(label).parentElement;
  expect(about.getByRole('heading', { name: 'Template Stats' })).toBeInTheDocument();
  expect(stat('Characters')).toHaveTextContent('29');
  expect(stat('Lines')).toHaveTextContent('2');
  expect(stat('Variables')).toHaveTextContent('1');
});

test('previews with the system variables filled in', async () => {
  const { user } = show();
  await fill(user);
  await user.click(screen.getByRole('button', { name: 'Preview' }));
  const preview = screen.getByRole('region', { name: 'Preview' });
  expect(preview).toHaveTextContent(/Hello \{name\}\s*Today is \d{4}-\d{2}-\d{2}/);
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  expect(field(/^Template/)).toHaveValue('Hello {name}\nToday is {TODAY}');
});

test('offers to put an escaped name right', async () => {
  const { user } = show();
  await user.click(field(/^Template/));
  await user.paste('Hello {{name}}');
  const advice = within(screen.getByRole('list', { name: 'Advice' }));
  await user.click(advice.getByRole('button', { name: 'Use {name}' }));
  expect(field(/^Template/)).toHaveValue('Hello {name}');
});

test('Test hands the template to the playground, Cancel leads to the list', async () => {
  const { user } = show();
  expect(screen.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', '/prompts');
  await user.click(field(/^Template/));
  await user.paste('Hi {x} & co');
  const href = screen.getByRole('link', { name: 'Test' }).getAttribute('href') ?? '';
  const url = new URL(href, 'http://localhost');
  expect(url.pathname).toBe('/playground');
  expect(url.searchParams.get('template')).toBe('Hi {x} & co');
});

test('shows that it is creating, and sends once', async () => {
  const sent: unknown[] = [];
  let release = () => undefined as unknown;
  server.use(
    http.post('*/api/v1/prompts', async ({ request }) => {
      sent.push(await request.json());
      await new Promise((resolve) => {
        release = () => {
          resolve(undefined);
        };
      });
      return HttpResponse.json(makePrompt({ id: 12 }), { status: 201 });
    }),
  );
  const { user } = show();
  await fill(user);
  await user.click(createButton());
  expect(await screen.findByRole('button', { name: 'Creating...' })).toBeDisabled();
  await user.keyboard('{Control>}s{/Control}');
  await waitFor(() => {
    expect(sent).toHaveLength(1);
  });
  release();
  expect(await screen.findByText('Went to /prompts/12')).toBeInTheDocument();
  expect(sent).toHaveLength(1);
});

test.each([
  ['text', 'Failed to create prompt'],
  [
    JSON.stringify({ error: { code: 'conflict', message: 'A prompt with this key exists.' } }),
    'A prompt with this key exists.',
  ],
])('a refusal is told: %s', async (body, message) => {
  server.use(http.post('*/api/v1/prompts', () => HttpResponse.text(body, { status: 409 })));
  const { user } = show();
  await fill(user);
  await user.click(createButton());
  const alerts = await screen.findAllByRole('alert');
  expect(field(/^Key/)).toHaveAccessibleDescription(expect.stringContaining(message));
  expect(alerts.at(-1)).toHaveTextContent(message);
  expect(alerts.at(-1)).toHaveTextContent('API request failed: 409');
});

test('a problem of one field stands at that field', async () => {
  const details = [{ field: 'key', message: 'This key is taken.' }];
  server.use(
    http.post('*/api/v1/prompts', () =>
      HttpResponse.json(
        { error: { code: 'invalid', message: 'Check it.', details } },
        { status: 422 },
      ),
    ),
  );
  const { user } = show();
  await fill(user);
  await user.click(createButton());
  expect(await screen.findByText('This key is taken.')).toBeInTheDocument();
  expect(field(/^Key/)).toHaveFocus();
});

test.each(['{Control>}s{/Control}', '{Meta>}{Enter}{/Meta}'])('%s creates', async (keys) => {
  accept();
  const { user } = show();
  await fill(user);
  await user.keyboard(keys);
  expect(await screen.findByText('Went to /prompts/12')).toBeInTheDocument();
});

test('asks before what was entered is lost', async () => {
  const { user } = show();
  await user.type(field(/^Name/), 'Draft');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
  await user.click(within(dialog).getByRole('button', { name: 'Stay here' }));
  expect(field(/^Name/)).toHaveValue('Draft');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  await user.click(await screen.findByRole('button', { name: 'Leave page' }));
  expect(await screen.findByText('Went to /prompts')).toBeInTheDocument();
});

test('an empty form is left without a question', async () => {
  const { user } = show();
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByText('Went to /prompts')).toBeInTheDocument();
});
