import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { delay, http, HttpResponse } from 'msw';
import { MemoryRouter } from 'react-router-dom';
import { server } from '@/testing/server';
import { Waitlist } from './waitlist';

const ADDRESS = 'http://localhost:8080/api/waitlist/';

function renderWaitlist() {
  const view = render(<Waitlist />, { wrapper: MemoryRouter });
  return { ...view, user: userEvent.setup() };
}

async function join(user: ReturnType<typeof userEvent.setup>) {
  await user.type(screen.getByLabelText('Work email'), 'ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Join Waitlist' }));
}

test('names three reasons and promises no spam', async () => {
  const { container } = renderWaitlist();
  for (const name of ['Ship faster', 'Version control', 'Native SDKs']) {
    expect(screen.getByRole('heading', { name })).toBeVisible();
  }
  expect(screen.getByText(/^No spam, ever/)).toBeVisible();
  expect(screen.getByLabelText('Work email')).toBeRequired();
  expect(screen.getByLabelText('Work email')).toHaveAttribute('type', 'email');
  expect(screen.getByLabelText('Work email')).toHaveAttribute('maxlength', '254');
  expect(screen.getByRole('button', { name: 'Join Waitlist' })).toBeDisabled();
  expect(await axe(container)).toHaveNoViolations();
});

test('sends the address and confirms', async () => {
  let sent: unknown;
  server.use(
    http.post(ADDRESS, async ({ request }) => {
      sent = await request.json();
      return HttpResponse.json({ success: true, message: 'ok', email: 'ada@example.com' });
    }),
  );
  const { user } = renderWaitlist();
  await join(user);
  expect(await screen.findByText("You're in.")).toBeVisible();
  expect(screen.getByRole('link', { name: 'Back to Home' })).toHaveAttribute('href', '/');
  expect(sent).toEqual({ email: 'ada@example.com' });
});

test('is out of reach while it sends', async () => {
  server.use(http.post(ADDRESS, () => delay('infinite')));
  const { user } = renderWaitlist();
  await join(user);
  expect(await screen.findByRole('button', { name: 'Joining...' })).toBeDisabled();
  expect(screen.getByLabelText('Work email')).toBeDisabled();
});

test.each([
  [
    "the server's reason",
    () =>
      HttpResponse.json(
        { error: { code: 'invalid', message: 'That is no email address' } },
        { status: 422 },
      ),
    'That is no email address',
  ],
  [
    'the fallback for an answer without one',
    () => new HttpResponse('<h1>502</h1>', { status: 502 }),
    'Something went wrong. Please try again.',
  ],
  [
    "the answer's own message",
    () => HttpResponse.json({ success: false, message: 'The list is closed' }),
    'The list is closed',
  ],
  [
    'that nobody answered',
    () => HttpResponse.error(),
    'The server cannot be reached. Check your connection and try again.',
  ],
])('on failure shows %s', async (_name, answer, message) => {
  server.use(http.post(ADDRESS, answer));
  const { user } = renderWaitlist();
  await join(user);
  expect(await screen.findByText(message)).toBeVisible();
  expect(screen.getByLabelText('Work email')).toHaveValue('ada@example.com');
  expect(screen.getByLabelText('Work email')).toHaveFocus();
  expect(screen.getByRole('button', { name: 'Join Waitlist' })).toBeEnabled();
});
