import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import { checkSettings } from './src/config/env-rules';

const packages = (...names: string[]) =>
  new RegExp(`node_modules[\\\\/](${names.join('|')})[\\\\/]`);

/** What even the smallest page needs: class names, the button and the links' icons. */
const BASICS =
  /node_modules[\\/](clsx|tailwind-merge|class-variance-authority)[\\/]|src[\\/](lib[\\/](cn|compile[\\/](tokens|system-variables))|hooks[\\/]use-page-title|components[\\/]ui[\\/](badge|button|input|slot|spinner|template-text))\./;

/** Small parts of the signed-in screens. */
const PARTS =
  /src[\\/]components[\\/](page-header|tag-list|timestamp|ui[\\/](empty-state|skeleton|textarea))\./;

export default defineConfig(({ mode }) => {
  checkSettings(loadEnv(mode, import.meta.dirname));
  return {
    plugins: [react(), tailwindcss()],
    resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
    server: { host: '127.0.0.1', port: 5173 },
    preview: { host: '127.0.0.1', port: 4173 },
    build: {
      target: 'es2022',
      // Inlined data: URLs would need a wider content security policy than 'self'.
      assetsInlineLimit: 0,
      // Old browsers merely miss the head start.
      modulePreload: { polyfill: false },
      sourcemap: false,
      // Read by scripts/check-size.mjs.
      manifest: true,
      // React and the router change rarely: apart from our own code they stay cached over releases.
      rolldownOptions: {
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              {
                name: 'react',
                test: packages(
                  'react',
                  'react-dom',
                  'react-router',
                  'react-router-dom',
                  'scheduler',
                ),
              },
              { name: 'supabase', test: packages('@supabase', 'iceberg-js') },
              {
                name: 'data',
                test: packages('@tanstack/query-core', '@tanstack/react-query', 'zod'),
              },
              { name: 'basics', test: BASICS },
              // One file for the icons that several screens share, instead of one each.
              { name: 'icons', test: packages('lucide-react'), minShareCount: 5 },
              { name: 'parts', test: PARTS, minShareCount: 3 },
            ],
          },
        },
      },
    },
  };
});
