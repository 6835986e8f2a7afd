/** A stack of our own: `wildfire start` on free ports, with a data folder that is thrown away. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { descendants, survivors } from './processes.ts';

/** Where the stack answers and what opens it. */
export interface Stack {
  api: string;
  app: string;
  mail: string;
  anonKey: string;
  serviceRoleKey: string;
  publishableKey: string;
  secretKey: string;
  jwtSecret: string;
  log: string;
}

export interface RunningStack extends Stack {
  stop: () => Promise<void>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const BINARY = process.env['WILDFIRE_BIN'] ?? join(ROOT, 'target/debug/wildfire');
const VARIABLE = 'WILDFIRE_E2E_STACK';
/** Only to end what hangs; a busy machine takes its time. */
const START_MS = 300_000;
const STOP_MS = 120_000;

/** The stack of this test run; every worker finds it in its environment. */
export function stack(): Stack {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error('No stack is running: the global setup starts it');
  return JSON.parse(text) as Stack;
}

/** Hands the stack to the workers, which inherit this environment. */
export function publish(running: RunningStack): void {
  // JSON leaves the function out.
  process.env[VARIABLE] = JSON.stringify(running);
}

/** Lines of the stack's log that tell of a panic. */
export function panics(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('panicked'));
}

/** Starts a stack and waits until it is healthy. */
export async function startStack(): Promise<RunningStack> {
  // Not created here: `wildfire` makes it, with the owner Postgres needs.
  const dataDir = join(tmpdir(), `wildfire-e2e-${randomBytes(6).toString('hex')}`);
  const log = `${dataDir}.log`;
  // Ports that were free a moment ago may be taken by now, so the stack picks them itself.
  const ports = ['--port=0', '--app-port=0', '--db-port=0', '--mail-port=0'];
  const output = openSync(log, 'w');
  const child = spawn(BINARY, ['start', '--workdir', ROOT, '--data-dir', dataDir, ...ports], {
    stdio: ['ignore', output, output],
    env: environment(),
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    await stopStack(child, dataDir, log);
    process.removeListener('exit', kill);
  };
  try {
    return { ...(await healthy(child, dataDir, log)), log, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** No settings of the shell we run in; but as in production, an address counts once it is proven. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, LANG, RUST_LOG } = process.env;
  return {
    PATH,
    HOME,
    TMPDIR,
    LANG,
    RUST_LOG,
    NO_COLOR: '1',
    GOTRUE_MAILER_AUTOCONFIRM: 'false',
    GOTRUE_SMS_AUTOCONFIRM: 'false',
  };
}

/** Waits until the stack says where it is and answers there. */
async function healthy(
  child: ChildProcess,
  dataDir: string,
  log: string,
): Promise<Omit<Stack, 'log'>> {
  const deadline = Date.now() + START_MS;
  let last: unknown = 'no answer';
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    try {
      const found = await status(dataDir);
      const answer = await fetch(`${found.app}/health`);
      if (answer.ok) return found;
      last = `${String(answer.status)} ${await answer.text()}`;
    } catch (error) {
      last = error;
    }
    await delay(100);
  }
  const ended = child.exitCode ?? child.signalCode;
  if (ended !== null) last = `it ended with ${String(ended)}`;
  throw new Error(
    `wildfire did not become healthy (${String(last)}):\n${readFileSync(log, 'utf8')}`,
  );
}

async function status(dataDir: string): Promise<Omit<Stack, 'log'>> {
  const { stdout } = await promisify(execFile)(BINARY, [
    'status',
    '-o',
    'json',
    '--workdir',
    ROOT,
    '--data-dir',
    dataDir,
  ]);
  const values = JSON.parse(stdout) as Record<string, string>;
  const value = (name: string, otherName = name) => {
    const found = values[name] ?? values[otherName];
    if (!found) throw new Error(`wildfire status does not tell ${name}: ${stdout}`);
    return found.replace(/\/$/, '');
  };
  return {
    api: value('API_URL'),
    app: value('APP_URL', 'STUDIO_URL'),
    mail: value('MAILPIT_URL'),
    anonKey: value('ANON_KEY'),
    serviceRoleKey: value('SERVICE_ROLE_KEY'),
    publishableKey: value('PUBLISHABLE_KEY'),
    secretKey: value('SECRET_KEY'),
    jwtSecret: value('JWT_SECRET'),
  };
}

/** Ends the stack as Ctrl-C would and makes sure that nothing of it is left and nothing broke. */
async function stopStack(child: ChildProcess, dataDir: string, log: string): Promise<void> {
  const below = child.pid === undefined ? [] : descendants(child.pid);
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : [];
  child.kill('SIGTERM');
  const late = AbortSignal.timeout(STOP_MS);
  const problems: string[] = [];
  await Promise.race([exited, once(late, 'abort')]);
  if (child.exitCode === null && child.signalCode === null) {
    problems.push(`wildfire did not stop within ${String(STOP_MS)} ms of SIGTERM`);
    child.kill('SIGKILL');
    await exited;
  } else if (child.exitCode !== 0) {
    problems.push(`wildfire ended with ${String(child.exitCode ?? child.signalCode)}`);
  }
  problems.push(...survivors(below, dataDir).map((line) => `left behind: ${line}`));
  problems.push(...panics(log));
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\nlog: ${log}`);
  rmSync(dataDir, { recursive: true, force: true });
  rmSync(log, { force: true });
}
