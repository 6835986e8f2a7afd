/** Failures of the prompt API, each with the text a person sees. */
import { parseProblem, type Problem } from './schemas';

/** The server answered, and not with success. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly problem: Problem | undefined;

  constructor(
    readonly status: number,
    responseText: string,
    readonly requestId?: string,
  ) {
    super(`API request failed: ${String(status)} ${responseText}`);
    this.problem = parseProblem(responseText);
  }
}

/** The server could not be asked, or its answer could not be read. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`API request failed for ${path}: ${reason}`, { cause });
  }
}

/** What was asked for is not there, or the caller may not see it. */
export class NotFoundError extends Error {
  override name = 'NotFoundError';
  readonly status = 404;
}

/** The HTTP status behind an error, also when another error wraps it. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof ApiError) return error.status;
  if (error instanceof NotFoundError) return 404;
  return error instanceof Error && error.cause !== undefined ? statusOf(error.cause) : undefined;
}

/** What the server says field by field about a refused form. */
export function fieldProblems(error: unknown): Problem['fields'] {
  return error instanceof ApiError ? (error.problem?.fields ?? []) : [];
}

const BY_STATUS = new Map([
  [401, 'Your session has ended. Sign in again to go on.'],
  [403, 'You do not have access to this.'],
  [413, 'That is larger than the server accepts.'],
  [429, 'Too many requests. Wait a moment and try again.'],
  [503, 'The server is not available right now. Try again in a moment.'],
]);

/** One plain line for people; the full text of the error belongs into a disclosure beside it. */
export function friendlyMessage(error: unknown, fallback: string): string {
  if (error instanceof ConnectionError) {
    return 'The server cannot be reached. Check your connection and try again.';
  }
  if (error instanceof ApiError) {
    return error.problem?.message ?? BY_STATUS.get(error.status) ?? fallback;
  }
  return error instanceof Error && error.message !== '' ? error.message : fallback;
}
