import { screen, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, delay, http } from 'msw';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { DashboardScreen } from './dashboard-screen';

const stats = { prompts: 41, versions: 120, api_calls: 12_345, avg_response_ms: null };
const health = {
  status: 'ok',
  components: [
    { name: 'API Server', status: 'operational' },
    { name: 'Database', status: 'healthy' },
    { name: 'Cache Layer', status: 'degraded' },
    { name: 'AI Models', status: 'not_configured' },
  ],
};
const prompts = [1, 2, 3, 4, 5, 6].map((id) =>
  makePrompt({
    id,
    tags: ['a', 'b', 'c', 'd', 'e'],
    current_version: makeVersion({ version: id }),
  }),
);

function serve(list: unknown = prompts) {
  server.use(
    http.get('*/api/v1/prompts', ({ request }) => {
      expect(new URL(request.url).search).toBe('?limit=6');
      return HttpResponse.json(list as object[], { headers: { 'X-Total-Count': '41' } });
    }),
    http.get('*/api/v1/stats/overview', () => HttpResponse.json(stats)),
    http.get('*/health', () => HttpResponse.json(health)),
  );
}

const show = () => renderScreen(<DashboardScreen />, { path: '/dashboard' });

test('shows numbers, the three latest prompts and how the parts are', async () => {
  serve();
  const { container } = show();
  expect(screen.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeInTheDocument();
  const link = await screen.findByRole('link', { name: /Prompt 1/ });
  expect(link).toHaveAttribute('href', '/prompts/1');
  expect(screen.getByRole('link', { name: /Prompt 3/ })).toBeInTheDocument();
  expect(screen.queryByRole('link', { name: /Prompt 4/ })).not.toBeInTheDocument();
  expect(within(link).getByText('c')).toBeInTheDocument();
  expect(within(link).queryByText('d')).not.toBeInTheDocument();
  expect(within(link).getByText('+2')).toBeInTheDocument();

  for (const name of ['Recent Prompts', 'Quick Actions', 'System Status']) {
    expect(screen.getByRole('heading', { name })).toBeVisible();
  }
  for (const [label, value] of [
    ['Total Prompts', '41'],
    ['Versions', '120'],
    ['API Calls', '12.3K'],
    ['Avg Response', '—'],
  ] as const) {
    const term = screen.getByText(label);
    expect(term.parentElement).toHaveTextContent(value);
  }
  for (const [part, state] of [
    ['API Server', 'operational'],
    ['Database', 'healthy'],
    ['Cache Layer', 'degraded'],
    ['AI Models', 'not configured'],
  ] as const) {
    expect(screen.getByText(part).closest('li')).toHaveTextContent(state);
  }
  expect(screen.getByText('Cache Layer degraded')).toBeInTheDocument();
  expect(await axe(container)).toHaveNoViolations();
});

test('offers the three quick actions', () => {
  serve();
  show();
  expect(screen.getByRole('heading', { name: 'Quick Actions' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: /^Create Prompt/ })).toHaveAttribute(
    'href',
    '/prompts/new',
  );
  expect(screen.getByRole('link', { name: /^Playground/ })).toHaveAttribute('href', '/playground');
  expect(screen.getByRole('link', { name: /^Repository/ })).toHaveAttribute('href', '/repository');
});

test('says that it loads', () => {
  server.use(http.all('*', () => delay('infinite')));
  show();
  expect(screen.getByText('Loading dashboard...')).toBeInTheDocument();
});

test('leads to the first prompt while there is none', async () => {
  serve([]);
  show();
  expect(await screen.findByText('No prompts yet')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Create your first prompt' })).toHaveAttribute(
    'href',
    '/prompts/new',
  );
});

test('says when it fails, and asks again', async () => {
  serve();
  server.use(
    http.get('*/api/v1/prompts', () => HttpResponse.text('broken', { status: 500 }), {
      once: true,
    }),
  );
  const { user } = show();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Failed to load dashboard');
  expect(alert).toHaveTextContent('API request failed: 500 broken');
  await user.click(within(alert).getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('link', { name: /Prompt 1/ })).toBeInTheDocument();
});

test('a server that cannot be asked has unknown numbers and parts', async () => {
  server.use(http.all('*', () => HttpResponse.error()));
  show();
  expect(await screen.findByText('The server cannot be reached')).toBeInTheDocument();
  expect(await screen.findAllByText('—')).toHaveLength(4);
  expect(screen.getAllByText('unknown')).toHaveLength(4);
});
