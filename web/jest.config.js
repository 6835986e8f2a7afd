/** @type {import('jest').Config} */
export default {
  // Plain jsdom lacks TextEncoder, fetch and streams, which the router and msw need.
  testEnvironment: 'jest-fixed-jsdom',
  testEnvironmentOptions: { url: 'http://localhost:8080/' },
  roots: ['<rootDir>/src'],
  testMatch: ['**/*.test.{ts,tsx}'],
  setupFiles: ['<rootDir>/src/testing/setup-globals.ts'],
  setupFilesAfterEnv: ['<rootDir>/src/testing/setup-tests.ts'],
  transform: {
    '\\.m?[tj]sx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic' } },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Published as ES modules only, and pulled in by msw.
  transformIgnorePatterns: ['/node_modules/(?!(rettime|until-async|@open-draft)/)'],
  moduleNameMapper: {
    // `import.meta` exists in this one module, so one mapping keeps it out of Jest.
    '^@/config/env$': '<rootDir>/src/testing/env.ts',
    '\\.(css|svg|woff2)$': '<rootDir>/src/testing/asset-stub.ts',
    '^@/(.*)$': '<rootDir>/src/$1',
  },
  restoreMocks: true,
  testTimeout: 60_000,
  collectCoverageFrom: ['src/**/*.{ts,tsx}', '!src/testing/**', '!src/main.tsx'],
};
