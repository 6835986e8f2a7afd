import { screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { HttpResponse, http } from 'msw';
import { toast } from '@/lib/toast';
import { makePrompt, makeVersion } from '@/testing/prompt-data';
import { renderScreen } from '@/testing/render-screen';
import { server } from '@/testing/server';
import { CompareScreen } from './compare-screen';

const middle = Array.from({ length: 20 }, (_, index) => `line ${String(index)}`).join('\n');
const versions = [
  makeVersion({
    version: 3,
    template: `Hello {name}!\n${middle}\nend`,
    metadata: { description: 'Louder' },
  }),
  makeVersion({ version: 2, template: `Hello {name}\n${middle}\nend` }),
  makeVersion({ version: 1, template: 'Hi' }),
];
const prompt = makePrompt({
  id: 4,
  key: 'welcome',
  name: 'Welcome',
  current_version: versions[0] ?? null,
});

function serve() {
  server.use(
    http.get('*/api/v1/prompts/4', () => HttpResponse.json(prompt)),
    http.get('*/api/v1/prompts/4/versions', () => HttpResponse.json(versions)),
  );
}

const show = (search = '') =>
  renderScreen(<CompareScreen />, {
    path: '/prompts/:id/compare',
    at: `/prompts/4/compare${search}`,
  });
const differences = () => screen.findByRole('region', { name: 'Differences' });

test('compares the newest version with the one before it', async () => {
  serve();
  const { container } = show();
  const region = await differences();
  expect(region).toHaveTextContent('v2 → v3');
  expect(region).toHaveTextContent('+1 added');
  expect(region).toHaveTextContent('−1 removed');
  expect(screen.getByText('Louder')).toBeInTheDocument();
  expect(container.querySelector('del')).toHaveTextContent('Hello {name}');
  expect(container.querySelector('ins')).toHaveTextContent('Hello {name}!');
  expect(await axe(container)).toHaveNoViolations();
});

test('unchanged lines are folded until asked for', async () => {
  serve();
  const { user } = show('?from=2&to=3');
  const region = await differences();
  expect(region).not.toHaveTextContent('line 15');
  await user.click(within(region).getByRole('button', { name: 'Show 18 unchanged lines' }));
  expect(region).toHaveTextContent('line 15');
});

test('the address restores the view, and choices are written to it', async () => {
  serve();
  const { user, router } = show('?from=1&to=3&w=1');
  expect(await screen.findByRole('combobox', { name: 'From' })).toHaveDisplayValue('v1');
  expect(screen.getByRole('checkbox', { name: 'Ignore whitespace' })).toBeChecked();
  await user.selectOptions(screen.getByRole('combobox', { name: 'From' }), 'Empty');
  expect(await differences()).toHaveTextContent('empty → v3');
  await user.click(screen.getByRole('button', { name: 'Swap' }));
  await waitFor(() => {
    expect(router.state.location.search).toBe('?from=3&to=0&view=split&w=1');
  });
  await user.click(screen.getByRole('button', { name: 'Unified' }));
  await waitFor(() => {
    expect(router.state.location.search).toContain('view=unified');
  });
});

test('the split layout shows both sides in one row', async () => {
  const media = { matches: true, addEventListener: jest.fn(), removeEventListener: jest.fn() };
  jest.spyOn(window, 'matchMedia').mockReturnValue(media as unknown as MediaQueryList);
  serve();
  show('?from=2&to=3&view=split');
  const rows = within(await differences()).getAllByRole('row');
  expect(rows[0]?.querySelector('del')).toHaveTextContent('Hello {name}');
  expect(rows[0]?.querySelector('ins')).toHaveTextContent('Hello {name}!');
});

test('equal texts have no differences', async () => {
  serve();
  show('?from=2&to=2');
  expect(await screen.findByText('No differences')).toBeInTheDocument();
});

test('a version that does not exist is named', async () => {
  serve();
  show('?from=9&to=3');
  expect(await screen.findByRole('alert')).toHaveTextContent('This prompt has no version 9.');
});

test('copies a patch', async () => {
  jest.spyOn(toast, 'success').mockImplementation();
  serve();
  const { user } = show('?from=2&to=3');
  const write = jest.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await user.click(await screen.findByRole('button', { name: 'Copy patch' }));
  await waitFor(() => {
    expect(write).toHaveBeenCalled();
  });
  const patch = write.mock.calls[0]?.[0] ?? '';
  expect(patch).toContain('--- welcome@v2');
  expect(patch).toContain('-Hello {name}\n+Hello {name}!');
});

test('the older version can be restored from here', async () => {
  serve();
  const { user } = show('?from=2&to=3');
  await user.click(await screen.findByRole('button', { name: 'Restore v2' }));
  expect(await screen.findByRole('dialog', { name: 'Restore v2?' })).toBeInTheDocument();
});

test('a failed load is told', async () => {
  serve();
  server.use(http.get('*/api/v1/prompts/4/versions', () => HttpResponse.text('', { status: 500 })));
  show();
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to load data');
});
