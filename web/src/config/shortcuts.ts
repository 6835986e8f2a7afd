/** The shortcuts the help sheet lists. The keys themselves are bound where they act. */
export const SHORTCUT_GROUPS = [
  {
    title: 'Anywhere',
    shortcuts: [
      { keys: ['Ctrl', 'K'], does: 'Open the command palette' },
      { keys: ['?'], does: 'Show this sheet' },
      { keys: ['g', 'd'], does: 'Go to the dashboard' },
      { keys: ['g', 'p'], does: 'Go to prompts' },
      { keys: ['g', 'y'], does: 'Go to the playground' },
      { keys: ['c'], does: 'Create a prompt' },
      { keys: ['/'], does: 'Focus the search box' },
    ],
  },
  {
    title: 'On a prompt',
    shortcuts: [
      { keys: ['e'], does: 'Edit' },
      { keys: ['y'], does: 'Copy a link to this exact version' },
      { keys: ['['], does: 'Previous version' },
      { keys: [']'], does: 'Next version' },
      { keys: ['Ctrl', 'S'], does: 'Save' },
      { keys: ['Ctrl', 'Enter'], does: 'Compile, or save' },
    ],
  },
] as const;
