import type { Session } from '@supabase/supabase-js';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { getSupabase, hasStoredSession, SESSION_STORAGE_KEY } from '@/lib/supabase';
import { createAuthCalls } from './auth-calls';
import { AuthConnection } from './auth-connection';
import { type Auth, AuthContext, type AuthEvent } from './auth-context';

type AuthProviderProps = {
  /** The session ended: by the user's own sign-out, or elsewhere (expiry, another tab). */
  onSignedOut: (explicit: boolean) => void;
  children: ReactNode;
};

type State = { session: Session | null; loading: boolean };

function createAuth() {
  const connection = new AuthConnection(getSupabase);
  return { connection, calls: createAuthCalls(connection) };
}

/**
 * Keeps the session. The auth client is loaded only once there is a session to look up or
 * someone starts to sign in, so signed-out visitors never download it.
 */
export function AuthProvider({ onSignedOut, children }: AuthProviderProps) {
  const [{ connection, calls }] = useState(createAuth);
  const [state, setState] = useState<State>(() => ({ session: null, loading: hasStoredSession() }));

  const onEvent = useEffectEvent((event: AuthEvent, session: Session | null) => {
    setState({ session, loading: false });
    if (event === 'SIGNED_IN' || event === 'TOKEN_REFRESHED') console.debug(`Auth event: ${event}`);
    if (event === 'SIGNED_OUT') onSignedOut(connection.takeExplicitSignOut());
  });

  useEffect(() => connection.listen((event, session) => onEvent(event, session)), [connection]);

  useEffect(() => {
    const lookUp = () => {
      connection.connect().catch((error: unknown) => {
        console.error('The session could not be looked up', error);
        setState({ session: null, loading: false });
      });
    };
    if (hasStoredSession()) lookUp();
    // Another tab signed in: this one learns of it even though it has no client yet.
    const onStorage = (event: StorageEvent) => {
      if (event.key === SESSION_STORAGE_KEY && event.newValue && !connection.connected) lookUp();
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [connection]);

  const auth = useMemo<Auth>(
    () => ({
      ...calls,
      connect: connection.connect,
      session: state.session,
      user: state.session?.user ?? null,
      loading: state.loading,
    }),
    [calls, connection, state],
  );
  return <AuthContext value={auth}>{children}</AuthContext>;
}
