import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { TemplateEditor } from './template-editor';

jest.mock('./code-editor', () => {
  throw new Error('The chunk is gone');
});

function Harness() {
  const [value, setValue] = useState('');
  return <TemplateEditor label="Template" value={value} onChange={setValue} error="Too short" />;
}

test('the text area stays when the code editor cannot be loaded', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation();
  const user = userEvent.setup();
  render(<Harness />);
  const standIn = screen.getByRole('textbox', { name: 'Template' });
  await waitFor(() => {
    expect(standIn).not.toBeInTheDocument();
  });
  expect(warn).toHaveBeenCalledTimes(1);
  const field = screen.getByRole('textbox', { name: 'Template' });
  await user.click(field);
  await user.paste('Hello {name}');
  expect(field).toHaveValue('Hello {name}');
  expect(field.tagName).toBe('TEXTAREA');
  expect(field).toBeInvalid();
  expect(field).toHaveAccessibleDescription('Too short');
});
