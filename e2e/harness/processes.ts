/** What runs below a process, as `ps` tells it. */
import { execFileSync } from 'node:child_process';

interface Process {
  pid: number;
  parent: number;
  state: string;
  command: string;
}

function list(): Process[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return text
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, pid, parent, state = '', command = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      state,
      command,
    }));
}

/** Every process started, directly or not, by this one. */
export function descendants(root: number): number[] {
  const all = list();
  const found: number[] = [];
  for (let parents = [root]; parents.length > 0;) {
    parents = all.filter(({ parent }) => parents.includes(parent)).map(({ pid }) => pid);
    found.push(...parents);
  }
  return found;
}

/** Those of the processes that still run; a zombie has ended. */
export function survivors(pids: readonly number[], mentioning: string): string[] {
  return list()
    .filter(({ state }) => !state.startsWith('Z'))
    .filter(({ pid, command }) => pids.includes(pid) || command.includes(mentioning))
    .map(({ pid, command }) => `${String(pid)} ${command}`);
}
