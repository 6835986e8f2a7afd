import { readdirSync } from 'node:fs';
import js from '@eslint/js';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import tseslint from 'typescript-eslint';

// Who may import whom: app -> features -> {components, hooks, lib, config}. All imports across
// folders use the `@/` alias (parent-relative ones are refused), so patterns see every edge.
const SHARED = ['components', 'hooks', 'lib', 'config'];
const PARENT = { group: ['../*', '..'], message: 'Import across folders through @/.' };

const zone = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns: [PARENT, ...patterns] }] },
});

const features = readdirSync(new URL('./src/features', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const importMeta = {
  selector: "MetaProperty[meta.name='import']",
  message: 'Only config/env.ts may read import.meta.',
};

export default tseslint.config(
  { ignores: ['dist', 'coverage'] },
  js.configs.recommended,
  ...tseslint.configs.strict,
  ...tseslint.configs.stylistic,
  reactHooks.configs.flat['recommended-latest'],
  jsxA11y.flatConfigs.strict,
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `labels` come from the shared Label component; the rule cannot see through it.
      'jsx-a11y/label-has-associated-control': ['error', { assert: 'either' }],
      'no-console': ['error', { allow: ['error', 'warn', 'debug'] }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/config/env.ts'],
    rules: { 'no-restricted-syntax': ['error', importMeta] },
  },
  zone(
    SHARED.map((name) => `src/${name}/**`),
    [
      {
        group: ['@/app/*', '@/features/*'],
        message: 'Shared code knows neither screens nor features.',
      },
    ],
  ),
  ...features.map((name) =>
    zone(
      [`src/features/${name}/**`],
      [
        { group: ['@/app/*'], message: 'Features do not know the app.' },
        {
          group: features.filter((other) => other !== name).map((other) => `@/features/${other}/*`),
          message: 'Features do not import each other; compose them in app/.',
        },
      ].filter((pattern) => pattern.group.length > 0),
    ),
  ),
  zone(['src/app/**', 'src/main.tsx'], []),
  // A test may render a feature inside the whole app.
  {
    files: ['src/testing/**', 'src/**/*.test.{ts,tsx}'],
    rules: { 'no-restricted-imports': 'off' },
  },
);
