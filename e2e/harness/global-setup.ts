import { publish, startStack } from './stack.ts';

/** Starts the stack; what it returns runs after the last test, whatever its result. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const running = await startStack();
  publish(running);
  return running.stop;
}
