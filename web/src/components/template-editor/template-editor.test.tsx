import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { axe } from 'jest-axe';
import { useState } from 'react';
import { LintList } from './lint-list';
import { TemplateEditor } from './template-editor';

function Harness({
  initial = '',
  onValue,
}: {
  initial?: string;
  onValue?: (text: string) => void;
}) {
  const [value, setValue] = useState(initial);
  const change = (text: string) => {
    setValue(text);
    onValue?.(text);
  };
  return (
    <>
      <TemplateEditor label="Template" hint="In braces" value={value} onChange={change} />
      <LintList template={value} onFix={change} />
      <button
        type="button"
        onClick={() => {
          change('Replaced {other}');
        }}
      >
        Replace
      </button>
    </>
  );
}

/** The code editor, once its chunk is there. */
async function codeEditor(): Promise<HTMLElement> {
  await waitFor(() => {
    expect(screen.getByRole('textbox', { name: 'Template' }).tagName).toBe('DIV');
  });
  return screen.getByRole('textbox', { name: 'Template' });
}

test('a text area stands in until the code editor is there', async () => {
  const { container } = render(<Harness initial="Hello {name} on {TODAY}, {{not}}" />);
  const editor = await codeEditor();
  expect(editor).toHaveTextContent('Hello {name} on {TODAY}, {{not}}');
  expect(editor).toHaveAccessibleDescription('In braces');
  expect(container.querySelector('.template-variable')).toHaveTextContent('{name}');
  expect(container.querySelector('.template-system')).toHaveTextContent('{TODAY}');
  expect(container.querySelector('.template-escaped')).toHaveTextContent('{{not}}');
  expect(await axe(container)).toHaveNoViolations();
});

test('the code editor follows the value and its highlights follow the text', async () => {
  const user = userEvent.setup();
  const { container } = render(<Harness initial="Hello {name}" />);
  await codeEditor();
  await user.click(screen.getByRole('button', { name: 'Replace' }));
  expect(await codeEditor()).toHaveTextContent('Replaced {other}');
  expect(container.querySelector('.template-variable')).toHaveTextContent('{other}');
});

test('Tab leaves the code editor', async () => {
  const user = userEvent.setup();
  render(<Harness initial="x" />);
  const editor = await codeEditor();
  editor.focus();
  await user.keyboard('{Tab}');
  expect(editor).not.toHaveFocus();
  expect(editor).toHaveTextContent('x');
});

test('advice is shown in part, counted, and followed with a click', async () => {
  const user = userEvent.setup();
  const values: string[] = [];
  render(<Harness initial="{{a}} {{b}} {{c}} {{d}} {{e}}" onValue={(text) => values.push(text)} />);
  await codeEditor();
  expect(screen.getByText('and 2 more')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Use {a}' }));
  expect(values).toEqual(['{a} {{b}} {{c}} {{d}} {{e}}']);
});
