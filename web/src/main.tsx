/** Starts the app: error logging first, then the router inside a last-resort error boundary. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from 'react-error-boundary';
import { createBrowserRouter, RouterProvider } from 'react-router-dom';
import { routes } from '@/app/router';
import { CrashScreen } from '@/components/crash-screen';
import { installErrorLogging, logError } from '@/lib/error-log';
import '@/styles.css';

installErrorLogging();

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');

const router = createBrowserRouter(routes);

createRoot(container, {
  onCaughtError: (error) => logError('A screen crashed', error),
}).render(
  <StrictMode>
    <ErrorBoundary
      fallbackRender={({ resetErrorBoundary }) => <CrashScreen onRetry={resetErrorBoundary} />}
    >
      <RouterProvider router={router} />
    </ErrorBoundary>
  </StrictMode>,
);
