import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { MemoryRouter } from 'react-router-dom';
import { FEATURES, TESTIMONIALS } from './content';
import { Landing } from './landing';

const renderLanding = () => render(<Landing />, { wrapper: MemoryRouter });

test('opens with the badge, the line and two ways on', async () => {
  const { container } = renderLanding();
  expect(screen.getByText('Now in beta!')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Ship AI like Wildfire');
  expect(screen.getByRole('link', { name: 'Get Started' })).toHaveAttribute('href', '/dashboard');
  for (const link of screen.getAllByRole('link', { name: 'Join Waitlist' })) {
    expect(link).toHaveAttribute('href', '/waitlist');
  }
  expect(await axe(container)).toHaveNoViolations();
});

test('has six feature cards under #features', () => {
  const { container } = renderLanding();
  const features = container.querySelector<HTMLElement>('#features');
  expect(FEATURES).toHaveLength(6);
  for (const { title, description } of FEATURES) {
    expect(within(features ?? container).getByRole('heading', { name: title })).toBeVisible();
    expect(screen.getByText(description)).toBeVisible();
  }
});

test('makes the claims of the product, figures as goals', () => {
  renderLanding();
  for (const claim of [
    /Jinja2-style runtime interpolation/,
    /Python and JavaScript/,
    /80% faster/,
    /Deploy in under 5 minutes\./,
    /SOC2/,
    /99\.9% uptime/,
  ]) {
    expect(screen.getAllByText(claim)[0]).toBeVisible();
  }
});

test('marks every testimonial as a sample', () => {
  renderLanding();
  expect(screen.getByRole('heading', { name: 'Trusted by AI Teams Worldwide' })).toBeVisible();
  expect(screen.getByText(/^Sample quotes/)).toBeVisible();
  expect(screen.getAllByText('Sample')).toHaveLength(TESTIMONIALS.length);
});

test('closes with the call, the documentation in a new tab, and the trust strip', () => {
  renderLanding();
  expect(screen.getByRole('heading', { name: 'Ready to Ship AI Products Faster?' })).toBeVisible();
  const docs = screen.getByRole('link', { name: 'Read the documentation' });
  expect(docs).toHaveAttribute('href', '/docs');
  expect(docs).toHaveAttribute('target', '_blank');
  expect(docs).toHaveAttribute('rel', 'noopener');
  for (const line of [
    'No credit card required',
    'Deploy in under 5 minutes',
    '24/7 developer support',
  ]) {
    expect(screen.getByText(line)).toBeVisible();
  }
});

test('the sample prompt is alive: values and versions change what comes out', async () => {
  const user = userEvent.setup();
  renderLanding();
  const demo = screen.getByRole('region', { name: 'Try it: a prompt with variables' });
  const output = within(demo).getByRole('status');
  expect(output).toHaveTextContent('Answer Ada about her invoice.');
  expect(output).toHaveTextContent(/Today is \d{4}-\d\d-\d\d/);

  await user.clear(within(demo).getByLabelText('customer'));
  await user.type(within(demo).getByLabelText('customer'), 'Grace');
  expect(output).toHaveTextContent('Answer Grace about her invoice.');

  await user.click(within(demo).getByRole('button', { name: 'v3' }));
  expect(output).toHaveTextContent('Answer Grace about her invoice. Be warm and brief.');
  expect(output).not.toHaveTextContent('Today');
});
