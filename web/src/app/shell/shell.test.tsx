import { screen, waitFor, within } from '@testing-library/react';
import { axe } from 'jest-axe';
import { http, HttpResponse } from 'msw';
import { serveAuth, startSignedIn } from '@/testing/auth-server';
import { renderApp } from '@/testing/render-app';
import { server } from '@/testing/server';

beforeEach(() => {
  serveAuth();
  document.documentElement.className = '';
});

/** A page that is the same for everyone and asks the server nothing. */
async function open() {
  const app = renderApp('/terms');
  await screen.findByRole('heading', { level: 1 });
  return app;
}

describe('the navigation', () => {
  test('links only to screens that exist, and the brand leads home', async () => {
    const { container } = await open();
    const main = screen.getByRole('navigation', { name: 'Main' });
    const links = within(main).getAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['Dashboard', '/dashboard'],
      ['Prompts', '/prompts'],
      ['Playground', '/playground'],
    ]);
    expect(screen.getAllByRole('link', { name: 'Wildfire' })[0]).toHaveAttribute('href', '/');
    expect(screen.getByRole('link', { name: 'Sign In' })).toHaveAttribute('href', '/signin');
    expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveAttribute('href', '#main');
    expect(await axe(container)).toHaveNoViolations();
  });

  test('the small-screen menu opens, closes on Escape and on a choice', async () => {
    const { user, where } = await open();
    expect(screen.queryByRole('navigation', { name: 'Menu' })).not.toBeInTheDocument();
    const toggle = screen.getByRole('button', { name: 'Open menu' });
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await user.click(toggle);
    expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await user.keyboard('{Escape}');
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
    expect(toggle).toHaveFocus();

    await user.click(toggle);
    const menu = screen.getByRole('navigation', { name: 'Menu' });
    await user.click(within(menu).getByRole('link', { name: 'Prompts' }));
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await waitFor(() => expect(where()).toBe('/signin?next=%2Fprompts'));
    await screen.findByRole('heading', { level: 1 });
  });

  test('a press elsewhere closes the small-screen menu', async () => {
    const { user } = await open();
    const toggle = screen.getByRole('button', { name: 'Open menu' });
    await user.click(toggle);
    await user.click(screen.getByRole('heading', { level: 1 }));
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
  });

  test('the signed-in have a menu with their address, the theme and the way out', async () => {
    startSignedIn();
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Account of ada@example.com' }));
    const menu = await screen.findByRole('menu');
    expect(within(menu).getByText('ada@example.com')).toBeVisible();
    expect(within(menu).getByRole('menuitem', { name: 'Sign out' })).toBeVisible();
    await user.click(within(menu).getByRole('menuitemradio', { name: 'Dark' }));
    expect(document.documentElement).toHaveClass('dark');
    expect(screen.queryByRole('link', { name: 'Sign In' })).not.toBeInTheDocument();
  });

  test('the footer switches the theme', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('radio', { name: 'Dark' }));
    expect(document.documentElement).toHaveClass('dark');
    await user.click(screen.getByRole('radio', { name: 'Light' }));
    expect(document.documentElement).not.toHaveClass('dark');
  });

  test('a new screen takes the focus', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('link', { name: 'Privacy' }));
    await screen.findByRole('heading', { level: 1, name: 'Privacy' });
    expect(screen.getByRole('main')).toHaveFocus();
    expect(document.title).toBe('Privacy · Wildfire');
  });
});

describe('the command palette', () => {
  test('opens on Ctrl+K, goes places and changes the theme', async () => {
    const { user, where } = await open();
    await user.keyboard('{Control>}k{/Control}');
    const palette = await screen.findByRole('dialog', { name: 'Command palette' });
    expect(within(palette).getByRole('combobox')).toHaveFocus();
    await user.keyboard('dark{Enter}');
    expect(document.documentElement).toHaveClass('dark');
    expect(palette).not.toBeInTheDocument();

    await user.keyboard('{Meta>}k{/Meta}');
    await screen.findByRole('dialog');
    await user.keyboard('sign in{Enter}');
    await waitFor(() => expect(where()).toBe('/signin'));
    await screen.findByRole('heading', { level: 1, name: /Sign in/ });
  });

  test('says when nothing matches, and closes on Escape', async () => {
    const { user } = await open();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('dialog');
    await user.keyboard('zzzz');
    expect(screen.getByText('Nothing matches.')).toBeVisible();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  test('takes no more text than the server searches for', async () => {
    const { user } = await open();
    await user.keyboard('{Control>}k{/Control}');
    const palette = await screen.findByRole('dialog', { name: 'Command palette' });
    await user.paste('z'.repeat(300));
    expect(within(palette).getByRole('combobox')).toHaveValue('z'.repeat(200));
  });

  test('finds prompts on the server for the signed-in', async () => {
    const asked: (string | null)[] = [];
    server.use(
      http.get('*/api/v1/prompts', ({ request }) => {
        const { searchParams } = new URL(request.url);
        asked.push(searchParams.get('q'));
        expect(searchParams.get('limit')).toBe('5');
        return HttpResponse.json([
          {
            id: 7,
            key: 'support-reply',
            name: 'Support reply',
            description: null,
            tags: [],
            is_archived: false,
            current_version: null,
            created_at: '2026-11-01T00:00:00Z',
            updated_at: '2026-11-01T00:00:00Z',
          },
        ]);
      }),
    );
    startSignedIn();
    const { user, router } = await open();
    await screen.findByRole('button', { name: /Account of/ });
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('dialog');
    await user.keyboard('ticket');
    await waitFor(() => expect(asked).toContain('ticket'));
    await user.click(await screen.findByRole('option', { name: /Support reply/ }));
    expect(router.state.location.pathname).toBe('/prompts/7');
  });
});

test('? shows the shortcuts and can switch the single-key ones off', async () => {
  const { user } = await open();
  await user.keyboard('?');
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(within(sheet).getByText('Open the command palette')).toBeVisible();
  await user.click(within(sheet).getByRole('checkbox', { name: 'Single-key shortcuts' }));
  await user.keyboard('{Escape}?');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});
