import { screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, delay, http } from 'msw';
import { downloadText } from '@/lib/download-text';
import { toast } from '@/lib/toast';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { PromptDetailScreen } from './prompt-detail-screen';

jest.mock('@/lib/download-text', () => ({ downloadText: jest.fn() }));

const versions = [7, 6, 5, 4, 3, 2, 1].map((version) =>
  makeVersion({
    version,
    template: 'Hello {name}, today is {TODAY}',
    metadata: version === 7 ? { description: 'Friendlier' } : {},
  }),
);
const prompt = makePrompt({
  id: 4,
  key: 'welcome',
  name: 'Welcome',
  description: 'Greets a customer',
  tags: ['mail', 'prod'],
  versions_count: 7,
  current_version: versions[0] ?? null,
});

function serve(part: Partial<typeof prompt> = {}) {
  server.use(
    http.get('*/api/v1/prompts/4', () => HttpResponse.json({ ...prompt, ...part })),
    http.get('*/api/v1/prompts/4/versions', () => HttpResponse.json(versions)),
  );
}

const show = (at = '/prompts/4') =>
  renderScreen(<PromptDetailScreen />, { path: '/prompts/:id', at });

test('shows the prompt with its template, versions and numbers', async () => {
  serve();
  const { container } = show();
  expect(await screen.findByRole('heading', { level: 1, name: 'Welcome' })).toBeInTheDocument();
  expect(screen.getByText('welcome')).toBeInTheDocument();
  expect(screen.getByText('Greets a customer')).toBeInTheDocument();
  expect(screen.getByText('{name}')).toHaveClass('template-variable');
  expect(screen.getByText('{TODAY}')).toHaveClass('template-system');
  expect(screen.getByRole('link', { name: 'Test in Playground' })).toHaveAttribute(
    'href',
    '/playground?prompt=welcome',
  );
  expect(screen.getByRole('link', { name: 'Edit' })).toHaveAttribute('href', '/prompts/4/edit');

  const newest = await screen.findByRole('link', { name: /^v7/ });
  expect(newest).toHaveAttribute('href', '/prompts/4/versions/107');
  expect(newest).toHaveTextContent('Friendlier');
  expect(newest).toHaveTextContent('7abcdef0');
  expect(newest).not.toHaveTextContent('7abcdef01');
  expect(screen.getByRole('link', { name: /^v3/ })).toHaveTextContent('No description');
  expect(screen.queryByRole('link', { name: /^v2/ })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View All' })).toHaveAttribute(
    'href',
    '/prompts/4/versions',
  );

  for (const name of ['Template', 'Recent Versions', 'Details', 'Tags', 'Usage Statistics']) {
    expect(screen.getByRole('heading', { name })).toBeVisible();
  }
  const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).parentElement;
  expect(fact('Current version')).toHaveTextContent('v7');
  expect(fact('Content hash')?.lastChild).toHaveTextContent(/^7abcdef012345678$/);
  expect(fact('Total versions')).toHaveTextContent('7');
  expect(fact('Template length')).toHaveTextContent('30 characters');
  expect(fact('Tags')).toHaveTextContent('2');
  expect(await axe(container)).toHaveNoViolations();
});

test('a prompt without a current version shows as v1', async () => {
  serve({ current_version: null, description: null, tags: [] });
  show();
  const term = await screen.findByText('Current version');
  expect(term.parentElement).toHaveTextContent('v1');
  expect(screen.getByText('No tags')).toBeInTheDocument();
});

test('copies the template, and tells when it cannot', async () => {
  serve();
  const success = jest.spyOn(toast, 'success').mockImplementation();
  const error = jest.spyOn(toast, 'error').mockImplementation();
  const { user } = show();
  const write = jest.spyOn(navigator.clipboard, 'writeText').mockResolvedValueOnce();
  await user.click(await screen.findByRole('button', { name: 'Copy Template' }));
  expect(write).toHaveBeenCalledWith('Hello {name}, today is {TODAY}');
  expect(success).toHaveBeenCalledWith('Copied to clipboard');
  write.mockRejectedValueOnce(new Error('refused'));
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  await waitFor(() => {
    expect(error).toHaveBeenCalledWith('Failed to copy to clipboard');
  });
});

describe('the actions menu', () => {
  const open = async () => {
    const view = show();
    await view.user.click(await screen.findByRole('button', { name: 'Actions' }));
    return view;
  };

  test('links to the history and the comparison', async () => {
    serve();
    await open();
    expect(screen.getByRole('menuitem', { name: 'View Version History' })).toHaveAttribute(
      'href',
      '/prompts/4/versions',
    );
    expect(screen.getByRole('menuitem', { name: 'Compare Versions' })).toHaveAttribute(
      'href',
      '/prompts/4/compare',
    );
  });

  test('exports a file', async () => {
    serve();
    const { user } = await open();
    await user.click(screen.getByRole('menuitem', { name: 'Export Prompt' }));
    const [fileName, text] = jest.mocked(downloadText).mock.calls[0] ?? [];
    expect(fileName).toBe('welcome.json');
    expect(JSON.parse(text ?? '')).toMatchObject({
      key: 'welcome',
      template: 'Hello {name}, today is {TODAY}',
      version: 7,
    });
  });

  test('archives and goes to the list', async () => {
    jest.spyOn(toast, 'undo').mockImplementation();
    serve();
    server.use(
      http.post('*/api/v1/prompts/4/archive', () =>
        HttpResponse.json({ ...prompt, is_archived: true }),
      ),
    );
    const { user } = await open();
    await user.click(screen.getByRole('menuitem', { name: 'Archive' }));
    expect(await screen.findByText('Went to /prompts')).toBeInTheDocument();
  });

  test('stays when archiving fails', async () => {
    const error = jest.spyOn(toast, 'error').mockImplementation();
    jest.spyOn(console, 'warn').mockImplementation();
    serve();
    server.use(http.post('*/api/v1/prompts/4/archive', () => HttpResponse.error()));
    const { user } = await open();
    await user.click(screen.getByRole('menuitem', { name: 'Archive' }));
    await waitFor(() => {
      expect(error).toHaveBeenCalledWith('Failed to archive prompt 4', expect.anything());
    });
    expect(screen.getByRole('heading', { level: 1, name: 'Welcome' })).toBeInTheDocument();
  });

  test('an archived prompt comes back', async () => {
    jest.spyOn(toast, 'undo').mockImplementation();
    serve({ is_archived: true });
    server.use(
      http.post('*/api/v1/prompts/4/unarchive', () => {
        serve();
        return HttpResponse.json(prompt);
      }),
    );
    const { user } = await open();
    expect(screen.getByText('Archived')).toBeInTheDocument();
    await user.click(screen.getByRole('menuitem', { name: 'Unarchive' }));
    await waitFor(() => {
      expect(screen.queryByText('Archived')).not.toBeInTheDocument();
    });
  });
});

test('e leads to the edit form', async () => {
  serve();
  const { user } = show();
  await screen.findByRole('heading', { level: 1, name: 'Welcome' });
  await user.keyboard('e');
  expect(await screen.findByText('Went to /prompts/4/edit')).toBeInTheDocument();
});

test('says that it loads', () => {
  server.use(http.all('*', () => delay('infinite')));
  show();
  expect(screen.getByText('Loading prompt...')).toBeInTheDocument();
});

test.each(['/prompts/4', '/prompts/x'])('%s without a prompt leads back', async (at) => {
  server.use(
    http.get('*/api/v1/prompts/4', () =>
      HttpResponse.json({ error: { code: 'not_found', message: 'x' } }, { status: 404 }),
    ),
  );
  show(at);
  expect(await screen.findByText('Prompt not found')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Back to Prompts' })).toHaveAttribute('href', '/prompts');
});

test('a failed load shows its reason, the way back and asks again', async () => {
  serve();
  server.use(
    http.get('*/api/v1/prompts/4', () => HttpResponse.text('', { status: 500 }), { once: true }),
  );
  const { user } = show();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Failed to load prompt');
  expect(within(alert).getByRole('link', { name: 'Back to Prompts' })).toBeInTheDocument();
  await user.click(within(alert).getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Welcome' })).toBeInTheDocument();
});

test('versions that fail to load leave the rest standing', async () => {
  serve();
  server.use(http.get('*/api/v1/prompts/4/versions', () => HttpResponse.text('', { status: 500 })));
  show();
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load data');
  expect(screen.getByText('Greets a customer')).toBeInTheDocument();
});
