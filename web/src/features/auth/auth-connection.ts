/**
 * The link between React and the auth client: loads the client on demand, subscribes to it once,
 * and remembers whether a sign-out was asked for here.
 */
import type { Session } from '@supabase/supabase-js';
import type { Supabase } from '@/lib/supabase';
import type { AuthEvent } from './auth-context';

type Listener = (event: AuthEvent, session: Session | null) => void;

export class AuthConnection {
  private client: Promise<Supabase> | undefined;
  private listener: Listener | undefined;
  private signingOut = false;

  constructor(private readonly load: () => Promise<Supabase>) {}

  /** The client; from here on every auth event reaches the listener. */
  readonly connect = (): Promise<Supabase> => {
    this.client ??= this.load()
      .then((supabase) => {
        supabase.auth.onAuthStateChange((event, session) => this.listener?.(event, session));
        return supabase;
      })
      .catch((error: unknown) => {
        this.client = undefined;
        throw error;
      });
    return this.client;
  };

  get connected(): boolean {
    return this.client !== undefined;
  }

  listen(listener: Listener): () => void {
    this.listener = listener;
    return () => {
      this.listener = undefined;
    };
  }

  /** The next SIGNED_OUT is the user's own wish. */
  readonly markExplicitSignOut = (): void => {
    this.signingOut = true;
  };

  /** Answers once whether the sign-out that just happened was asked for. */
  takeExplicitSignOut(): boolean {
    const explicit = this.signingOut;
    this.signingOut = false;
    return explicit;
  }
}
