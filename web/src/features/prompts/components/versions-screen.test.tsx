import { screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, delay, http } from 'msw';
import { toast } from '@/lib/toast';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { VersionsScreen } from './versions-screen';

const versions = [3, 2, 1].map((version) =>
  makeVersion({ version, template: `Text ${String(version)} for {name}` }),
);
const prompt = makePrompt({ id: 4, name: 'Welcome', current_version: versions[0] ?? null });

function serve(list: object = versions, current: object = prompt) {
  server.use(
    http.get('*/api/v1/prompts/4', () => HttpResponse.json(current as Record<string, unknown>)),
    http.get('*/api/v1/prompts/4/versions', () => HttpResponse.json(list as object[])),
  );
}

const show = (at = '/prompts/4/versions') =>
  renderScreen(<VersionsScreen />, { path: '/prompts/:id/versions/:versionId?', at });
const row = (version: number) =>
  screen.getByRole('button', { name: new RegExp(`^v${String(version)}`) });

test('lists every version and opens the newest', async () => {
  serve();
  const { container, user } = show();
  expect(await screen.findByText('3 versions')).toBeInTheDocument();
  await waitFor(() => {
    expect(row(3)).toHaveAttribute('aria-expanded', 'true');
  });
  expect(screen.getByText(/Text 3/)).toBeVisible();
  expect(screen.getByText(/Text 1/)).not.toBeVisible();
  expect(screen.queryByRole('button', { name: 'Restore v3' })).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'View changes' })).toHaveAttribute(
    'href',
    '/prompts/4/compare?from=2&to=3',
  );
  await user.click(row(1));
  expect(screen.getByText(/Text 1/)).toBeVisible();
  // There is nothing before the first version to compare it with.
  expect(screen.getAllByRole('link', { name: 'View changes' })).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'Welcome' })).toHaveAttribute('href', '/prompts/4');
  expect(await axe(container)).toHaveNoViolations();
});

test.each(['v2', '102'])('the address %s opens version 2', async (name) => {
  serve();
  show(`/prompts/4/versions/${name}`);
  await screen.findByText('3 versions');
  await waitFor(() => {
    expect(row(2)).toHaveAttribute('aria-expanded', 'true');
  });
  expect(row(3)).toHaveAttribute('aria-expanded', 'false');
});

test('restoring asks, makes a new version and says so', async () => {
  const success = jest.spyOn(toast, 'success').mockImplementation();
  serve();
  const bodies: unknown[] = [];
  server.use(
    http.post('*/api/v1/prompts/4/rollback', async ({ request }) => {
      bodies.push(await request.json());
      const restored = makeVersion({ version: 4, metadata: { description: 'Restore v1' } });
      const next = { ...prompt, current_version: restored };
      serve([restored, ...versions], next);
      return HttpResponse.json(next);
    }),
  );
  const { user } = show('/prompts/4/versions/v1');
  await user.click(await screen.findByRole('button', { name: 'Restore v1' }));
  const dialog = await screen.findByRole('dialog', { name: 'Restore v1?' });
  expect(dialog).toHaveTextContent('Its text becomes version 4.');
  expect(bodies).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Restore v1' }));
  expect(await screen.findByText('4 versions')).toBeInTheDocument();
  expect(bodies).toEqual([{ version: 1 }]);
  expect(success).toHaveBeenCalledWith('Restored v1 as version 4');
  expect(row(4)).toHaveTextContent('Restore v1');
});

test('a refused restore is told and can be given up', async () => {
  const error = jest.spyOn(toast, 'error').mockImplementation();
  serve();
  server.use(
    http.post('*/api/v1/prompts/4/rollback', () =>
      HttpResponse.json({ error: { code: 'no_change', message: 'Same text.' } }, { status: 409 }),
    ),
  );
  const { user } = show('/prompts/4/versions/v1');
  await user.click(await screen.findByRole('button', { name: 'Restore v1' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Restore v1' }));
  await waitFor(() => {
    expect(error).toHaveBeenCalledWith('Failed to rollback prompt 4', {
      description: 'Same text.',
    });
  });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('says that it loads', () => {
  server.use(http.all('*', () => delay('infinite')));
  show();
  expect(screen.getByText('Loading versions...')).toBeInTheDocument();
});

test('says when the history cannot be loaded', async () => {
  serve();
  server.use(
    http.get('*/api/v1/prompts/4/versions', () => HttpResponse.text('', { status: 500 }), {
      once: true,
    }),
  );
  const { user } = show();
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load data');
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('3 versions')).toBeInTheDocument();
});

test('a prompt that is not there leads back', async () => {
  server.use(http.get('*/api/v1/*', () => HttpResponse.json({}, { status: 404 })));
  show();
  expect(await screen.findByText('Prompt not found')).toBeInTheDocument();
});

test('[ and ] step through the versions, y copies a link to the one on screen', async () => {
  jest.spyOn(toast, 'success').mockImplementation();
  serve();
  const { user, router } = show();
  await screen.findByText('3 versions');
  await user.keyboard('[[');
  await waitFor(() => {
    expect(router.state.location.pathname).toBe('/prompts/4/versions/v2');
  });
  await waitFor(() => {
    expect(row(2)).toHaveAttribute('aria-expanded', 'true');
  });
  const write = jest.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await user.keyboard('y');
  expect(write).toHaveBeenCalledWith(`${window.location.origin}/prompts/4/versions/v2`);
  await user.keyboard(']');
  await waitFor(() => {
    expect(router.state.location.pathname).toBe('/prompts/4/versions/v3');
  });
});
