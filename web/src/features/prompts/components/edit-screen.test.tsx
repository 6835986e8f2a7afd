import { screen, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, http } from 'msw';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { EditScreen } from './edit-screen';

jest.mock('@/components/template-editor/code-editor', () => ({
  CodeEditor: jest.requireActual<{ PlainEditor: unknown }>(
    '@/components/template-editor/plain-editor',
  ).PlainEditor,
}));

const prompt = makePrompt({
  id: 4,
  key: 'welcome',
  name: 'Welcome',
  description: 'Greets',
  tags: ['mail'],
  current_version: makeVersion({ version: 3, template: 'Hello {name}' }),
});

interface Sent {
  request: string;
  ifMatch: string | null;
  body: unknown;
}

/** A server that accepts every save and tells what it got. */
function serve(loaded = prompt, etag = '"one"'): Sent[] {
  const sent: Sent[] = [];
  const record = async (request: Request) => {
    const path = new URL(request.url).pathname;
    const body: unknown = await request.json();
    sent.push({
      request: `${request.method} ${path}`,
      ifMatch: request.headers.get('If-Match'),
      body,
    });
  };
  server.use(
    http.get('*/api/v1/prompts/4', () => HttpResponse.json(loaded, { headers: { ETag: etag } })),
    http.patch('*/api/v1/prompts/4', async ({ request }) => {
      await record(request);
      return HttpResponse.json(loaded);
    }),
    http.post('*/api/v1/prompts/4/versions', async ({ request }) => {
      await record(request);
      return HttpResponse.json(makeVersion({ version: 4 }), { status: 201 });
    }),
  );
  return sent;
}

const show = () =>
  renderScreen(<EditScreen />, { path: '/prompts/:id/edit', at: '/prompts/4/edit' });
const field = (name: string | RegExp) => screen.getByRole('textbox', { name });
const saveButton = () => screen.getByRole('button', { name: 'Save Changes' });

async function start() {
  const view = show();
  await screen.findByRole('heading', { level: 1, name: 'Edit Prompt' });
  return view;
}

test('starts unchanged, with a fixed key', async () => {
  serve();
  const { container } = await start();
  expect(field(/^Name/)).toHaveValue('Welcome');
  expect(field('Key')).toHaveAttribute('readonly');
  expect(field('Key')).toHaveValue('welcome');
  expect(field(/^Template/)).toHaveValue('Hello {name}');
  expect(screen.getByText('No changes')).toBeInTheDocument();
  expect(saveButton()).toBeDisabled();
  expect(screen.getByRole('heading', { name: 'Version Info' })).toBeInTheDocument();
  expect(screen.getByText(/Saving a changed template creates version/)).toHaveTextContent(
    'version 4',
  );
  expect(await axe(container)).toHaveNoViolations();
});

test('changed fields alone make no version', async () => {
  const sent = serve();
  const { user } = await start();
  await user.type(field('Description'), ' kindly');
  expect(screen.getByText('You have unsaved changes')).toBeInTheDocument();
  await user.click(saveButton());
  expect(await screen.findByText('Went to /prompts/4')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      request: 'PATCH /api/v1/prompts/4',
      ifMatch: '"one"',
      body: { description: 'Greets kindly' },
    },
  ]);
});

test('a changed template is stored first, then the fields', async () => {
  const sent = serve();
  const { user } = await start();
  await user.click(field(/^Template/));
  await user.paste('!');
  expect(screen.getByText(/^Saving creates/)).toHaveTextContent('v4');
  await user.type(field('What changed'), 'Louder');
  await user.clear(field(/^Name/));
  await user.type(field(/^Name/), 'Hello');
  await user.type(field('Tags'), 'new{Enter}');
  await user.keyboard('{Control>}s{/Control}');
  expect(await screen.findByText('Went to /prompts/4')).toBeInTheDocument();
  expect(sent).toEqual([
    {
      request: 'POST /api/v1/prompts/4/versions',
      ifMatch: '"one"',
      body: { template: 'Hello {name}!', metadata: { description: 'Louder' } },
    },
    {
      request: 'PATCH /api/v1/prompts/4',
      ifMatch: null,
      body: { name: 'Hello', tags: ['mail', 'new'] },
    },
  ]);
});

test('what was changed back counts as unchanged', async () => {
  serve();
  const { user } = await start();
  await user.type(field(/^Name/), 'x{Backspace}');
  expect(screen.getByText('No changes')).toBeInTheDocument();
});

test('name and template are required', async () => {
  serve();
  const { user } = await start();
  await user.clear(field(/^Name/));
  await user.clear(field(/^Template/));
  await user.click(saveButton());
  expect(screen.getByText('Please fill in all required fields')).toBeInTheDocument();
  expect(field(/^Name/)).toHaveFocus();
});

test('a half done save says what was saved', async () => {
  serve();
  server.use(http.patch('*/api/v1/prompts/4', () => HttpResponse.text('no', { status: 500 })));
  const { user } = await start();
  await user.click(field(/^Template/));
  await user.paste('!');
  await user.type(field(/^Name/), '!');
  await user.click(saveButton());
  expect(
    await screen.findByText('Version 4 was saved, but name, description and tags were not.'),
  ).toBeInTheDocument();
});

test('shows that it is saving, and the failure in the end', async () => {
  serve();
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  server.use(
    http.patch('*/api/v1/prompts/4', async () => {
      await asked;
      return HttpResponse.text('', { status: 500 });
    }),
  );
  const { user } = await start();
  await user.type(field(/^Name/), '!');
  await user.click(saveButton());
  expect(screen.getByRole('button', { name: 'Saving...' })).toBeDisabled();
  answer();
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to save prompt');
});

describe('a conflict', () => {
  const theirs = makePrompt({ ...prompt, name: 'Theirs', description: 'Their words' });

  async function conflict() {
    serve();
    const { user } = await start();
    await user.type(field(/^Name/), ' mine');
    server.use(
      http.patch('*/api/v1/prompts/4', () =>
        HttpResponse.json({ error: { code: 'stale', message: 'Changed' } }, { status: 412 }),
      ),
    );
    await user.click(saveButton());
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Someone else saved this prompt while you were editing it.',
    );
    return { user, sent: serve(theirs, '"two"') };
  }

  test('can be settled by taking the other version', async () => {
    const { user } = await conflict();
    await user.click(screen.getByRole('button', { name: 'Load their version' }));
    expect(await screen.findByDisplayValue('Theirs')).toBeInTheDocument();
    expect(screen.getByText('No changes')).toBeInTheDocument();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  test('can be settled by putting one’s own changes on top', async () => {
    const { user, sent } = await conflict();
    await user.click(screen.getByRole('button', { name: 'Keep my changes' }));
    expect(await screen.findByDisplayValue('Their words')).toBeInTheDocument();
    expect(field(/^Name/)).toHaveValue('Welcome mine');
    await user.click(saveButton());
    expect(await screen.findByText('Went to /prompts/4')).toBeInTheDocument();
    expect(sent).toEqual([
      { request: 'PATCH /api/v1/prompts/4', ifMatch: '"two"', body: { name: 'Welcome mine' } },
    ]);
  });
});

test('asks before what was entered is lost', async () => {
  serve();
  const { user } = await start();
  await user.type(field(/^Name/), '!');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
  await user.click(within(dialog).getByRole('button', { name: 'Leave page' }));
  expect(await screen.findByText('Went to /prompts/4')).toBeInTheDocument();
});

test('says that it loads, and when there is nothing to edit', async () => {
  server.use(http.get('*/api/v1/prompts/4', () => HttpResponse.json({}, { status: 404 })));
  show();
  expect(screen.getByText('Loading prompt...')).toBeInTheDocument();
  expect(await screen.findByText('Prompt not found')).toBeInTheDocument();
});
