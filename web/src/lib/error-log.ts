/** What nobody caught is logged once, with the time, by a global handler. */

/** One line per failure; the error itself follows for its stack. */
export function logError(situation: string, error: unknown): void {
  console.error(`[${new Date().toISOString()}] ${situation}`, error);
}

let installed = false;

export function installErrorLogging(): void {
  if (installed) return;
  installed = true;
  window.addEventListener('error', (event) => logError('Uncaught error', event.error));
  window.addEventListener('unhandledrejection', (event) =>
    logError('Unhandled rejection', event.reason),
  );
}
