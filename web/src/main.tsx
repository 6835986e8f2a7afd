/** Starts the app: error logging first, then the router, whose root route catches every crash. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, RouterProvider } from 'react-router-dom';
import { routes } from '@/app/router';
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
    <RouterProvider router={router} />
  </StrictMode>,
);
