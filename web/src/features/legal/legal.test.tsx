import { render, screen } from '@testing-library/react';
import { axe } from 'jest-axe';
import { Privacy } from './privacy';
import { Terms } from './terms';

test.each([
  ['Terms', Terms],
  ['Privacy', Privacy],
])('%s is a page with one heading and sections', async (title, Page) => {
  const { container } = render(<Page />);
  expect(screen.getByRole('heading', { level: 1, name: title })).toBeVisible();
  expect(screen.getAllByRole('heading', { level: 2 }).length).toBeGreaterThan(3);
  expect(await axe(container)).toHaveNoViolations();
});
