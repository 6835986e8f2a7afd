/** Who is signed in, and the ways in and out. */
import type { AuthChangeEvent, Session, User } from '@supabase/supabase-js';
import { createContext, useContext } from 'react';
import type { Supabase } from '@/lib/supabase';

export type OAuthProvider = 'google' | 'github';

export type SignInOptions = {
  /** Where to go afterwards; a path of this app. */
  next?: string | undefined;
  /** The name of a new account. */
  name?: string | undefined;
};

export type Auth = {
  user: User | null;
  session: Session | null;
  /** True until the first look-up of the session is done. */
  loading: boolean;
  /** The client, once this provider listens to it. */
  connect: () => Promise<Supabase>;
  signInWithPassword: (email: string, password: string) => Promise<void>;
  signInWithMagicLink: (email: string, options?: SignInOptions) => Promise<void>;
  signInWithProvider: (provider: OAuthProvider, options?: SignInOptions) => Promise<void>;
  signUp: (email: string, password: string, profile?: Record<string, unknown>) => Promise<void>;
  sendCode: (email: string, options?: SignInOptions) => Promise<void>;
  verifyCode: (email: string, code: string) => Promise<void>;
  updateProfile: (profile: Record<string, unknown>) => Promise<void>;
  signOut: () => Promise<void>;
};

export type AuthEvent = AuthChangeEvent;

export const AuthContext = createContext<Auth | null>(null);

export function useAuth(): Auth {
  const auth = useContext(AuthContext);
  if (!auth) throw new Error('useAuth must be used within an AuthProvider');
  return auth;
}
