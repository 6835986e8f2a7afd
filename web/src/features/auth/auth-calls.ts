/** The calls behind the auth context; each throws what the service answered. */
import { paths } from '@/config/paths';
import type { AuthConnection } from './auth-connection';
import type { Auth, SignInOptions } from './auth-context';

type Calls = Omit<Auth, 'user' | 'session' | 'loading' | 'connect'>;

/** Where links of emails and providers lead back to. */
export function callbackUrl(next?: string): string {
  const url = new URL(paths.authCallback.getHref(), window.location.origin);
  if (next) url.searchParams.set('next', next);
  return url.href;
}

const emailOptions = ({ next, name }: SignInOptions) => ({
  emailRedirectTo: callbackUrl(next),
  shouldCreateUser: true,
  ...(name ? { data: { name } } : {}),
});

export function createAuthCalls({ connect, markExplicitSignOut }: AuthConnection): Calls {
  const sendEmail = async (email: string, options: SignInOptions = {}) => {
    const { auth } = await connect();
    const { error } = await auth.signInWithOtp({ email, options: emailOptions(options) });
    if (error) throw error;
  };

  return {
    signInWithMagicLink: sendEmail,
    // One email holds both the link and the code.
    sendCode: sendEmail,

    async signInWithPassword(email, password) {
      const { auth } = await connect();
      const { error } = await auth.signInWithPassword({ email, password });
      if (error) throw error;
    },

    async signInWithProvider(provider, options = {}) {
      const { auth } = await connect();
      const { error } = await auth.signInWithOAuth({
        provider,
        options: { redirectTo: callbackUrl(options.next) },
      });
      if (error) throw error;
    },

    async signUp(email, password, profile = {}) {
      const { auth } = await connect();
      const { error } = await auth.signUp({
        email,
        password,
        options: { data: profile, emailRedirectTo: callbackUrl() },
      });
      if (error) throw error;
    },

    async verifyCode(email, code) {
      const { auth } = await connect();
      const { error } = await auth.verifyOtp({ email, token: code, type: 'email' });
      if (error) throw error;
    },

    async updateProfile(profile) {
      const { auth } = await connect();
      const { data } = await auth.getSession();
      if (!data.session) throw new Error('No user logged in');
      const { error } = await auth.updateUser({ data: profile });
      if (error) throw error;
      // Read again: the service may have refused or changed single fields.
      const { error: readError } = await auth.getUser();
      if (readError) throw readError;
    },

    async signOut() {
      const { auth } = await connect();
      markExplicitSignOut();
      const { error } = await auth.signOut();
      if (error) throw error;
    },
  };
}
