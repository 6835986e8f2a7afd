/** The five values every compile provides by itself, taken from one reading of the clock. */

/** Names the engine reserves, in the order they are returned. */
export const SYSTEM_VARIABLE_NAMES = ['TODAY', 'NOW', 'TIMESTAMP', 'DATE', 'TIME'] as const;

export type SystemVariableName = (typeof SYSTEM_VARIABLE_NAMES)[number];

/** `TIMESTAMP` is Unix seconds; the others are text. */
export type SystemVariables = Record<Exclude<SystemVariableName, 'TIMESTAMP'>, string> & {
  TIMESTAMP: number;
};

const NAMES: ReadonlySet<string> = new Set(SYSTEM_VARIABLE_NAMES);

/** Whether the engine fills this name itself. Case matters: `{today}` is a user's variable. */
export function isSystemVariable(name: string): name is SystemVariableName {
  return NAMES.has(name);
}

/** The time zone is not one this machine knows. */
export class UnknownTimezoneError extends Error {
  override name = 'UnknownTimezoneError';
  readonly code = 'unknown_timezone';
}

/** Names only: some engines also take offsets such as `+02:00`, others do not. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

interface WallClock {
  date: string;
  time: string;
  offset: string;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

function utcClock(now: Date): WallClock {
  const iso = now.toISOString();
  return { date: iso.slice(0, 10), time: iso.slice(11, 19), offset: 'Z' };
}

function formatOffset(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

function zonedParts(now: Date, timezone: string): Map<string, number> {
  try {
    if (!ZONE_NAME.test(timezone)) throw new RangeError('Not the name of a time zone');
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    return new Map(format.formatToParts(now).map((part) => [part.type, Number(part.value)]));
  } catch (cause) {
    throw new UnknownTimezoneError(`Unknown time zone "${timezone}"`, { cause });
  }
}

function zonedClock(now: Date, timezone: string): WallClock {
  const parts = zonedParts(now, timezone);
  const part = (name: string) => parts.get(name) ?? 0;
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const [hour, minute, second] = [part('hour'), part('minute'), part('second')];
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const instant = Math.floor(now.getTime() / 1000) * 1000;
  return {
    date: `${pad(year, 4)}-${pad(month)}-${pad(day)}`,
    time: `${pad(hour)}:${pad(minute)}:${pad(second)}`,
    offset: formatOffset(Math.round((wall - instant) / 60_000)),
  };
}

/** The system variables at one instant, in UTC unless an IANA time zone is named. */
export function systemVariables(now: Date, timezone = 'UTC'): SystemVariables {
  const clock = timezone === 'UTC' ? utcClock(now) : zonedClock(now, timezone);
  return {
    TODAY: clock.date,
    NOW: `${clock.date}T${clock.time}${clock.offset}`,
    TIMESTAMP: Math.floor(now.getTime() / 1000),
    DATE: clock.date,
    TIME: clock.time,
  };
}
