import { act, screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, delay, http } from 'msw';
import { toast } from '@/lib/toast';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { VIRTUAL_FROM } from './prompt-grid';
import { PromptListScreen } from './prompt-list-screen';

const prompts = [
  makePrompt({
    id: 1,
    name: 'Welcome',
    key: 'welcome',
    description: 'Greets a customer',
    tags: ['mail', 'prod', 'support', 'x', 'y'],
    current_version: makeVersion({ version: 7 }),
  }),
  makePrompt({ id: 2, name: 'Review', key: 'code-review', tags: ['code'], current_version: null }),
];

function serve(active: object[] = prompts, archived: object[] = []) {
  server.use(
    http.get('*/api/v1/prompts', ({ request }) => {
      const isArchived = new URL(request.url).searchParams.get('archived') === 'true';
      const list = isArchived ? archived : active;
      return HttpResponse.json(list, { headers: { 'X-Total-Count': String(list.length) } });
    }),
  );
}

const show = (at = '/prompts') => renderScreen(<PromptListScreen />, { path: '/prompts', at });
const card = (name: string) => screen.findByRole('article', { name });

test('shows the prompts as cards with their actions', async () => {
  serve();
  const { container } = show();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Prompt Management');
  expect(screen.getByText('Organize and version your AI prompts')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Create Prompt' })).toHaveAttribute(
    'href',
    '/prompts/new',
  );
  expect(screen.getByPlaceholderText('Search prompts...')).toBeInTheDocument();

  const welcome = within(await card('Welcome'));
  expect(welcome.getByText('welcome')).toBeInTheDocument();
  expect(welcome.getByText('Greets a customer')).toBeInTheDocument();
  expect(welcome.getByText('v7')).toBeInTheDocument();
  expect(welcome.getByText('support')).toBeInTheDocument();
  expect(welcome.getByText('+2')).toBeInTheDocument();
  expect(welcome.queryByText('x')).not.toBeInTheDocument();
  expect(welcome.getByRole('link', { name: 'View Details' })).toHaveAttribute('href', '/prompts/1');
  expect(welcome.getByRole('link', { name: 'Edit Prompt' })).toHaveAttribute(
    'href',
    '/prompts/1/edit',
  );
  expect(welcome.getByRole('link', { name: 'Test in Playground' })).toHaveAttribute(
    'href',
    '/playground?prompt=welcome',
  );
  expect(welcome.getByRole('button', { name: 'Archive' })).toBeInTheDocument();
  expect(within(await card('Review')).getByText('v1')).toBeInTheDocument();
  expect(screen.getByText('Showing 2 of 2 prompts')).toBeInTheDocument();
  expect(await axe(container)).toHaveNoViolations();
});

test('searches as one types and keeps the search in the address', async () => {
  serve();
  const { user, router } = show();
  await card('Welcome');
  await user.type(screen.getByRole('searchbox'), 'CODE');
  await waitFor(() => {
    expect(screen.queryByRole('article', { name: 'Welcome' })).not.toBeInTheDocument();
  });
  expect(screen.getByText(/^Showing 1 of 2 prompts/)).toHaveTextContent(
    'Showing 1 of 2 prompts matching “CODE”',
  );
  await waitFor(() => {
    expect(router.state.location.search).toBe('?q=CODE');
  });
});

test('filters by tag, and going back takes the filter off', async () => {
  serve();
  const { user, router } = show();
  await card('Welcome');
  const filter = screen.getByRole('combobox', { name: 'Filter by tag' });
  const options = within(filter).getAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual([
    'All Tags',
    'code',
    'mail',
    'prod',
    'support',
    'x',
    'y',
  ]);
  await user.selectOptions(filter, 'code');
  await waitFor(() => {
    expect(screen.queryByRole('article', { name: 'Welcome' })).not.toBeInTheDocument();
  });
  expect(screen.getByText(/^Showing/)).toHaveTextContent('Showing 1 of 2 prompts tagged “code”');
  await act(() => router.navigate(-1));
  expect(await card('Welcome')).toBeInTheDocument();
});

test('starts with the filter of its address', async () => {
  serve();
  show('/prompts?q=greets&tag=mail');
  await card('Welcome');
  expect(screen.getByRole('searchbox')).toHaveValue('greets');
  expect(screen.getByRole('combobox', { name: 'Filter by tag' })).toHaveValue('mail');
});

test('says when nothing matches, and clears search and filters', async () => {
  serve();
  const { user } = show('/prompts?q=zebra&tag=code');
  expect(await screen.findByText('No prompts found')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Clear Search' }));
  expect(await card('Review')).toBeInTheDocument();
  expect(screen.queryByRole('article', { name: 'Welcome' })).not.toBeInTheDocument();
  await user.type(screen.getByRole('searchbox'), 'zebra');
  await user.click(await screen.findByRole('button', { name: 'Clear Filters' }));
  expect(await card('Welcome')).toBeInTheDocument();
});

test('leads to the first prompt while there is none', async () => {
  serve([]);
  show();
  expect(await screen.findByText('No prompts yet')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Create Your First Prompt' })).toHaveAttribute(
    'href',
    '/prompts/new',
  );
});

test('says that it loads', () => {
  server.use(http.all('*', () => delay('infinite')));
  show();
  expect(screen.getByText('Loading prompts...')).toBeInTheDocument();
});

test.each([
  [
    'the server’s words',
    { error: { code: 'x', message: 'The database rests.' } },
    'The database rests.',
  ],
  ['a text of its own', 'oops', 'Failed to load prompts'],
])('a failed load shows %s and asks again', async (_name, body, message) => {
  serve();
  server.use(
    http.get(
      '*/api/v1/prompts',
      () =>
        new HttpResponse(typeof body === 'string' ? body : JSON.stringify(body), { status: 500 }),
      { once: true },
    ),
  );
  const { user } = show();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(message);
  expect(alert).toHaveTextContent(/API request failed: 500/);
  await user.click(within(alert).getByRole('button', { name: 'Try Again' }));
  expect(await card('Welcome')).toBeInTheDocument();
});

describe('archiving', () => {
  test('takes the card away at once and offers a way back', async () => {
    const undo = jest.spyOn(toast, 'undo').mockImplementation();
    serve();
    let unarchived = 0;
    server.use(
      http.post('*/api/v1/prompts/1/archive', () => {
        serve([prompts[1] ?? {}]);
        return HttpResponse.json({ ...prompts[0], is_archived: true });
      }),
      http.post('*/api/v1/prompts/1/unarchive', () => {
        unarchived += 1;
        serve();
        return HttpResponse.json(prompts[0]);
      }),
    );
    const { user } = show();
    await user.click(within(await card('Welcome')).getByRole('button', { name: 'Archive' }));
    await waitFor(() => {
      expect(screen.queryByRole('article', { name: 'Welcome' })).not.toBeInTheDocument();
    });
    await waitFor(() => {
      expect(undo).toHaveBeenCalledWith(
        'Archived Welcome',
        expect.objectContaining({ label: 'Undo' }),
      );
    });
    undo.mock.calls[0]?.[1].onClick();
    expect(await card('Welcome')).toBeInTheDocument();
    await waitFor(() => {
      expect(unarchived).toBe(1);
    });
  });

  test('a refusal brings the card back, is logged and told', async () => {
    const error = jest.spyOn(toast, 'error').mockImplementation();
    const warn = jest.spyOn(console, 'warn').mockImplementation();
    serve();
    server.use(
      http.post('*/api/v1/prompts/1/archive', () => HttpResponse.text('no', { status: 500 })),
    );
    const { user } = show();
    await user.click(within(await card('Welcome')).getByRole('button', { name: 'Archive' }));
    await waitFor(() => {
      expect(error).toHaveBeenCalledWith('Failed to archive prompt 1', expect.anything());
    });
    expect(warn).toHaveBeenCalled();
    expect(await card('Welcome')).toBeInTheDocument();
  });

  test('archived prompts have a list of their own and come back from it', async () => {
    jest.spyOn(toast, 'undo').mockImplementation();
    serve([], [makePrompt({ id: 3, name: 'Old', is_archived: true })]);
    let asked = false;
    server.use(
      http.post('*/api/v1/prompts/3/unarchive', () => {
        asked = true;
        serve();
        return HttpResponse.json(makePrompt({ id: 3, name: 'Old' }));
      }),
    );
    const { user, router } = show();
    await user.click(await screen.findByRole('button', { name: 'Archived' }));
    const old = within(await card('Old'));
    expect(router.state.location.search).toBe('?archived=true');
    await user.click(old.getByRole('button', { name: 'Unarchive' }));
    expect(await screen.findByText('No archived prompts')).toBeInTheDocument();
    expect(asked).toBe(true);
  });
});

test('a long list draws only what is on screen', async () => {
  serve(Array.from({ length: 1000 }, (_, index) => makePrompt({ id: index + 1 })));
  show();
  expect(await screen.findByText('Showing 1000 of 1000 prompts')).toBeInTheDocument();
  const drawn = screen.getAllByRole('article').length;
  expect(drawn).toBeGreaterThan(0);
  expect(drawn).toBeLessThan(VIRTUAL_FROM);
});

test('/ leads to the search', async () => {
  serve();
  const { user } = show();
  await card('Welcome');
  await user.keyboard('/');
  expect(screen.getByRole('searchbox')).toHaveFocus();
  await user.keyboard('a/b');
  expect(screen.getByRole('searchbox')).toHaveValue('a/b');
});
