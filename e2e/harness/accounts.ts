/** People of our own for each test, and their clients: unmodified supabase-js. */
import { randomUUID } from 'node:crypto';
import {
  createClient,
  type Session,
  type SupabaseClient,
  type SupabaseClientOptions,
  type User,
} from '@supabase/supabase-js';
import WebSocket from 'ws';
import { patientFetch } from './http.ts';
import { stack } from './stack.ts';

export const PASSWORD = 'correct horse battery staple';

/** An address nobody else has. */
export function newEmail(name = 'ada'): string {
  return `${name}-${randomUUID().slice(0, 12)}@example.com`;
}

type AuthOptions = NonNullable<SupabaseClientOptions<'public'>['auth']>;

/** Node 20 has no WebSocket of its own, and supabase-js wants to see one. */
const realtime = { transport: WebSocket } as unknown as NonNullable<
  SupabaseClientOptions<'public'>['realtime']
>;

/** A client as a browser tab has it, remembering its session in memory. */
export function newClient(key: string = stack().anonKey, auth: AuthOptions = {}): SupabaseClient {
  return createClient(stack().api, key, {
    realtime,
    global: { fetch: patientFetch },
    auth: { autoRefreshToken: false, persistSession: true, storage: memoryStorage(), ...auth },
  });
}

/** A client with every right. */
export function adminClient(key: string = stack().serviceRoleKey): SupabaseClient {
  return createClient(stack().api, key, {
    realtime,
    global: { fetch: patientFetch },
    auth: { autoRefreshToken: false, persistSession: false },
  });
}

function memoryStorage() {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  };
}

/** Someone with a confirmed address, signed in. */
export interface Account {
  email: string;
  password: string;
  user: User;
  session: Session;
  client: SupabaseClient;
}

export async function newAccount(name = 'ada'): Promise<Account> {
  const email = newEmail(name);
  const created = await adminClient().auth.admin.createUser({
    email,
    password: PASSWORD,
    email_confirm: true,
    user_metadata: { onboarded: true },
  });
  if (created.error) throw created.error;
  const client = newClient();
  const { data, error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (error) throw error;
  return { email, password: PASSWORD, user: data.user, session: data.session, client };
}
