import { screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, delay, http } from 'msw';
import { decodeShare, encodeShare, sharedPart } from '@/features/playground/share-state';
import { downloadText } from '@/lib/download-text';
import { playgroundHref, storeHandoff } from '@/lib/playground-link';
import { toast } from '@/lib/toast';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { PlaygroundScreen } from './playground-screen';

jest.mock('@/components/template-editor/code-editor', () => ({
  CodeEditor: jest.requireActual<{ PlainEditor: unknown }>(
    '@/components/template-editor/plain-editor',
  ).PlainEditor,
}));
jest.mock('@/lib/download-text', () => ({ downloadText: jest.fn() }));

const welcome = makePrompt({
  id: 4,
  key: 'welcome',
  name: 'Welcome',
  current_version: makeVersion({ version: 3, template: 'Hello {name}, {deadline}' }),
});
const other = makePrompt({
  id: 5,
  key: 'other',
  name: 'Other',
  current_version: makeVersion({ template: 'Bye {name}' }),
});
const system = {
  TODAY: '2026-11-20',
  NOW: '2026-11-20T08:30:00Z',
  TIMESTAMP: 1_795_163_400,
  DATE: '2026-11-20',
  TIME: '08:30:00',
};

const success = jest.fn();
const failure = jest.fn();

beforeEach(() => {
  success.mockReset();
  failure.mockReset();
  jest.mocked(downloadText).mockReset();
  jest.spyOn(toast, 'success').mockImplementation(success);
  jest.spyOn(toast, 'error').mockImplementation(failure);
});

interface Compiled {
  path: string;
  body: unknown;
}

function serve(): Compiled[] {
  const compiled: Compiled[] = [];
  const answer = async (request: Request, version: number | null) => {
    compiled.push({ path: new URL(request.url).pathname, body: await request.json() });
    return HttpResponse.json({
      key: version === null ? null : 'welcome',
      version,
      compiled_template: 'Hello Ada <b>',
      metadata: { missing: ['deadline'], unused: [], warnings: [] },
      system_variables: system,
    });
  };
  server.use(
    http.get('*/api/v1/prompts', () => HttpResponse.json([welcome, other])),
    http.get('*/api/v1/prompts/by-key/welcome', () => HttpResponse.json(welcome)),
    http.get('*/api/v1/prompts/by-key/gone', () => HttpResponse.json({}, { status: 404 })),
    http.post('*/api/v1/prompts/compile/welcome', ({ request }) => answer(request, 3)),
    http.post('*/api/v1/compile', ({ request }) => answer(request, null)),
  );
  return compiled;
}

const show = (at = '/playground') =>
  renderScreen(<PlaygroundScreen />, { path: '/playground', at });
const field = (name: string | RegExp) => screen.getByRole('textbox', { name });
const template = () => screen.findByRole('textbox', { name: 'Template' });
const compileButton = () => screen.getByRole('button', { name: 'Compile Template' });
const picker = () => screen.getByRole('combobox', { name: 'Prompt' });

async function paste(user: ReturnType<typeof show>['user'], text: string) {
  await user.click(await template());
  await user.paste(text);
}

test('a chosen prompt fills the template, and its values survive another choice', async () => {
  serve();
  const { container, user, router } = show();
  await screen.findByRole('option', { name: 'Welcome (welcome)' });
  await user.selectOptions(picker(), 'Welcome (welcome)');
  expect(await template()).toHaveValue('Hello {name}, {deadline}');
  await waitFor(() => {
    expect(router.state.location.search).toBe('?prompt=welcome');
  });
  await user.type(field('name'), 'Ada');
  expect(screen.getByText('1 of 2 filled')).toBeInTheDocument();
  await user.selectOptions(picker(), 'Other (other)');
  expect(await template()).toHaveValue('Bye {name}');
  expect(field('name')).toHaveValue('Ada');
  expect(await axe(container)).toHaveNoViolations();
});

test('compiles the stored prompt by its key', async () => {
  const compiled = serve();
  const { container, user } = show('/playground?prompt=welcome');
  await user.type(await screen.findByRole('textbox', { name: 'name' }), 'Ada');
  await user.click(compileButton());
  const text = await screen.findByRole('region', { name: 'Compiled text' });
  expect(text).toHaveTextContent('Hello Ada <b>');
  expect(within(text).getByText('Compiled')).toBeInTheDocument();
  expect(within(text).getByText('v3')).toBeInTheDocument();
  expect(text).toHaveTextContent('Without a value, left as written: {deadline}');
  expect(compiled).toEqual([
    { path: '/api/v1/prompts/compile/welcome', body: { variables: { name: 'Ada' } } },
  ]);
  expect(success).toHaveBeenCalledWith('Success!');
  const values = screen.getByRole('region', { name: 'System variables' });
  for (const value of Object.values(system)) expect(values).toHaveTextContent(String(value));
  expect(await axe(container)).toHaveNoViolations();
});

test('an edited prompt is compiled as it reads, and shown as not saved', async () => {
  const compiled = serve();
  const { user } = show('/playground?prompt=welcome');
  await paste(user, '!');
  expect(screen.getByText('Edited, not saved')).toBeInTheDocument();
  await user.click(compileButton());
  const text = await screen.findByRole('region', { name: 'Compiled text' });
  expect(within(text).getByText('Edited, not saved')).toBeInTheDocument();
  expect(within(text).queryByText('v3')).not.toBeInTheDocument();
  expect(compiled[0]).toMatchObject({
    path: '/api/v1/compile',
    body: { template: 'Hello {name}, {deadline}!' },
  });
});

test('a pasted template compiles without a prompt', async () => {
  const compiled = serve();
  const { user } = show();
  expect(compileButton()).toBeDisabled();
  await paste(user, 'Hi {name}');
  await user.type(field('name'), 'Ada');
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(await screen.findByText('Hello Ada <b>')).toBeInTheDocument();
  expect(compiled).toEqual([
    { path: '/api/v1/compile', body: { template: 'Hi {name}', variables: { name: 'Ada' } } },
  ]);
});

test('without prompt and template it says what to do first', async () => {
  serve();
  const { user } = show();
  await template();
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(failure).toHaveBeenCalledWith('Please select a prompt first');
});

test('a result is marked once something has changed', async () => {
  serve();
  const { user } = show('/playground?prompt=welcome');
  await user.click(await screen.findByRole('button', { name: 'Compile Template' }));
  await screen.findByText('Hello Ada <b>');
  expect(screen.queryByText('Changed since')).not.toBeInTheDocument();
  await user.type(field('name'), 'A');
  expect(screen.getByText('Changed since')).toBeInTheDocument();
});

test('a failed compile is told', async () => {
  serve();
  server.use(http.post('*/api/v1/compile', () => HttpResponse.text('', { status: 413 })));
  const { user } = show();
  await paste(user, 'x');
  await user.click(compileButton());
  await waitFor(() => {
    expect(failure).toHaveBeenCalledWith('Failed to compile template', expect.anything());
  });
});

describe('variables', () => {
  test('a guessed type warns, a chosen one blocks', async () => {
    serve();
    const { user } = show();
    await paste(user, '{age}');
    await user.type(field('age'), 'old');
    expect(screen.getByText('Please enter a valid number')).toBeInTheDocument();
    expect(compileButton()).toBeEnabled();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Type of age' }), 'email');
    expect(await screen.findByText('Please enter a valid email address')).toBeInTheDocument();
    expect(compileButton()).toBeDisabled();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Type of age' }), 'text');
    expect(compileButton()).toBeEnabled();
  });

  test('each type has its own field', async () => {
    serve();
    const { user } = show();
    await paste(user, '{email} {website} {date} {count} {topic}');
    expect(field('email')).toHaveAttribute('type', 'email');
    expect(field('website')).toHaveAttribute('type', 'url');
    expect(field('date')).toHaveAttribute('inputmode', 'numeric');
    expect(field('count')).toHaveAttribute('inputmode', 'decimal');
    expect(field('topic').tagName).toBe('TEXTAREA');
  });

  test('an edit keeps values of names that stay, also when they come back', async () => {
    serve();
    const { user } = show();
    await paste(user, '{a}{b}');
    await user.type(field('a'), 'one');
    await user.clear(await template());
    expect(screen.queryByRole('textbox', { name: 'a' })).not.toBeInTheDocument();
    await paste(user, '{a}');
    expect(field('a')).toHaveValue('one');
  });

  test('suggestions are added only when asked for', async () => {
    serve();
    const { user } = show();
    await paste(user, 'Translate this');
    await user.click(screen.getByRole('button', { name: 'Add {language}' }));
    expect(await template()).toHaveValue('Translate this {language}');
    expect(screen.getByText('suggested')).toBeInTheDocument();
  });
});

test('the testing tab announces what is not there yet', async () => {
  serve();
  const { user } = show();
  await user.click(await screen.findByRole('tab', { name: 'Testing' }));
  const models = screen.getByRole('combobox', { name: 'Model' });
  expect(models).toBeDisabled();
  expect(
    within(models)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['gpt-4', 'gpt-3.5', 'claude-3']);
  expect(screen.getByText('AI testing coming soon')).toBeInTheDocument();
});

describe('export and copy', () => {
  test('a template without a prompt is exported as template.txt', async () => {
    serve();
    const { user } = show();
    expect(screen.getByRole('button', { name: 'Export' })).toBeDisabled();
    await paste(user, 'Hi {name}');
    await user.click(screen.getByRole('button', { name: 'Export' }));
    expect(downloadText).toHaveBeenCalledWith('template.txt', 'Hi {name}');
  });

  test('a compiled prompt is exported under its key', async () => {
    serve();
    const { user } = show('/playground?prompt=welcome');
    await user.click(await screen.findByRole('button', { name: 'Compile Template' }));
    await screen.findByText('Hello Ada <b>');
    await user.click(screen.getByRole('button', { name: 'Export' }));
    expect(downloadText).toHaveBeenCalledWith('welcome.txt', 'Hello Ada <b>');
  });

  test('the compiled text is copied, and a refusal told', async () => {
    serve();
    const { user } = show('/playground?prompt=welcome');
    await user.click(await screen.findByRole('button', { name: 'Compile Template' }));
    await screen.findByText('Hello Ada <b>');
    const write = jest.spyOn(navigator.clipboard, 'writeText').mockResolvedValueOnce();
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    expect(write).toHaveBeenCalledWith('Hello Ada <b>');
    write.mockRejectedValueOnce(new Error('refused'));
    await user.click(screen.getByRole('button', { name: 'Copy' }));
    await waitFor(() => {
      expect(failure).toHaveBeenCalledWith('Failed to copy to clipboard');
    });
  });
});

describe('import', () => {
  const importButton = () => screen.getByRole('button', { name: 'Import from Clipboard' });

  test('replaces the template and clears the prompt', async () => {
    serve();
    const { user, router } = show('/playground?prompt=welcome');
    await template();
    jest.spyOn(navigator.clipboard, 'readText').mockResolvedValue('From {elsewhere}');
    await user.click(importButton());
    await waitFor(() => {
      expect(screen.getByRole('textbox', { name: 'Template' })).toHaveValue('From {elsewhere}');
    });
    expect(picker()).toHaveDisplayValue('No prompt, just a template');
    await waitFor(() => {
      expect(router.state.location.search).toBe('');
    });
  });

  test('says when the clipboard is empty or closed', async () => {
    serve();
    const { user } = show();
    await template();
    const read = jest.spyOn(navigator.clipboard, 'readText').mockResolvedValueOnce(' ');
    await user.click(importButton());
    await waitFor(() => {
      expect(failure).toHaveBeenCalledWith('Clipboard is empty');
    });
    read.mockRejectedValueOnce(new Error('denied'));
    await user.click(importButton());
    await waitFor(() => {
      expect(failure).toHaveBeenCalledWith(
        'Unable to access clipboard. Please paste manually into the template editor.',
      );
    });
  });
});

describe('sharing', () => {
  test('the link restores template, prompt, values and types', async () => {
    serve();
    const { user, unmount } = show('/playground?prompt=welcome');
    await user.type(await screen.findByRole('textbox', { name: 'name' }), 'Ada');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Type of name' }), 'email');
    await paste(user, '?');
    const write = jest.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    await user.click(screen.getByRole('button', { name: 'Share' }));
    await waitFor(() => {
      expect(success).toHaveBeenCalledWith('Link copied', {
        description: 'It includes the values you entered.',
      });
    });
    const link = new URL(write.mock.calls[0]?.[0] ?? '');
    expect(link.search).toBe('');
    expect(decodeShare(sharedPart(link) ?? '')).toEqual({
      template: 'Hello {name}, {deadline}?',
      prompt: 'welcome',
      values: { name: 'Ada' },
      types: { name: 'email' },
    });
    unmount();

    show(`${link.pathname}${link.hash}`);
    expect(await template()).toHaveValue('Hello {name}, {deadline}?');
    expect(field('name')).toHaveValue('Ada');
    expect(picker()).toHaveDisplayValue('Welcome (welcome)');
    expect(screen.getByText('Please enter a valid email address')).toBeInTheDocument();
  });

  test('older links carry the state in the query', async () => {
    serve();
    const encoded = encodeShare({
      template: 'Old {x}',
      prompt: null,
      values: { x: '1' },
      types: {},
    });
    show(`/playground?shared=${encoded}`);
    expect(await template()).toHaveValue('Old {x}');
    expect(field('x')).toHaveValue('1');
  });

  test('a damaged link opens an empty playground and says why', async () => {
    serve();
    show('/playground#shared=broken');
    expect(await screen.findByRole('alert')).toHaveTextContent('This shared link is damaged');
    expect(await template()).toHaveValue('');
  });

  test('a state too large for a link is not shared', async () => {
    jest.spyOn(console, 'warn').mockImplementation();
    serve();
    const { user } = show();
    await paste(user, 'x'.repeat(20_000));
    await user.click(screen.getByRole('button', { name: 'Share' }));
    await waitFor(() => {
      expect(failure).toHaveBeenCalledWith('Failed to share playground');
    });
  });
});

describe('addresses', () => {
  test('?template= opens with a text, ?prompt= with a prompt', async () => {
    serve();
    const { unmount } = show(playgroundHref('Hi {x} & co'));
    expect(await template()).toHaveValue('Hi {x} & co');
    unmount();
    show('/playground?prompt=welcome');
    expect(await template()).toHaveValue('Hello {name}, {deadline}');
    expect(picker()).toHaveDisplayValue('Welcome (welcome)');
  });

  test('a long template is handed over by this tab', async () => {
    serve();
    const long = 'word '.repeat(4000);
    storeHandoff(long);
    show(playgroundHref(long));
    expect(await template()).toHaveValue(long);
  });

  test('an unknown prompt is told', async () => {
    serve();
    show('/playground?prompt=gone');
    expect(await screen.findByRole('alert')).toHaveTextContent('No prompt found with key gone');
    expect(await template()).toHaveValue('');
  });

  test('another address opens another prompt', async () => {
    serve();
    const { router } = show();
    await template();
    await waitFor(() => router.navigate('/playground?prompt=welcome'));
    expect(await screen.findByDisplayValue('Hello {name}, {deadline}')).toBeInTheDocument();
  });

  test('says that it loads', () => {
    server.use(http.all('*', () => delay('infinite')));
    show('/playground?prompt=welcome');
    expect(screen.getByText('Loading prompt...')).toBeInTheDocument();
  });

  test('works without the list of prompts', async () => {
    serve();
    server.use(http.get('*/api/v1/prompts', () => HttpResponse.text('', { status: 500 })));
    show();
    expect(await screen.findByText('Failed to load prompts')).toBeInTheDocument();
    expect(await template()).toBeInTheDocument();
  });
});
